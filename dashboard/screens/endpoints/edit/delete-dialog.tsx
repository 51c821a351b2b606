import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { endpointLabel } from '../../../parts/cells';
import { Confirm } from '../../../parts/dialog';
import { useGo } from '../../../parts/place';
import { Untrusted } from '../../../parts/untrusted';
import { useConfirmed } from '../../../parts/use-confirmed';
import { DELETE_ENDPOINT } from '../later-documents';
import type { EndpointDialogProps } from '../use-endpoint';

/** Deletes an endpoint, after saying how many deliveries that cancels. */
export function DeleteDialog({ endpoint, onClose }: EndpointDialogProps) {
  const { t } = useLingui();
  const go = useGo();
  const [state, remove] = useConfirmed(DELETE_ENDPOINT, t`The endpoint is deleted.`, () => go('/endpoints'));
  const { backlog, heldCount } = endpoint;
  const open = (backlog?.due ?? 0) + (backlog?.scheduled ?? 0) + heldCount;
  return (
    <Confirm
      {...state}
      open
      onClose={onClose}
      title={<Trans>Delete this endpoint?</Trans>}
      action={t`Delete the endpoint`}
      onConfirm={() => remove({ input: { id: endpoint.id } })}
    >
      <p className="mb-2 font-medium [overflow-wrap:anywhere] text-ink">
        <Untrusted text={endpointLabel(endpoint)} />
      </p>
      <ul className="ms-4 flex list-disc flex-col gap-1">
        <li>
          <Plural
            value={open}
            _0="No delivery is waiting or held."
            one="One waiting or held delivery is canceled."
            other="# waiting or held deliveries are canceled."
          />
        </li>
        <li>
          <Trans>Its signing secret is lost. A new endpoint gets another one.</Trans>
        </li>
        <li>
          <Trans>
            Past deliveries stay readable as long as they are stored. To stop for a while, pause it instead.
          </Trans>
        </li>
      </ul>
    </Confirm>
  );
}

import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Confirm } from '../../../parts/dialog';
import { useConfirmed } from '../../../parts/use-confirmed';
import { UPDATE_ENDPOINT } from '../later-documents';
import type { EndpointDialogProps } from '../use-endpoint';

/** Stops the deliveries of an endpoint, after saying what happens to them. */
export function PauseDialog({ endpoint, onClose }: EndpointDialogProps) {
  const { t } = useLingui();
  const [state, update] = useConfirmed(UPDATE_ENDPOINT, t`The endpoint is paused.`, onClose);
  const { backlog } = endpoint;
  const open = (backlog?.due ?? 0) + (backlog?.scheduled ?? 0);
  return (
    <Confirm
      {...state}
      open
      onClose={onClose}
      title={<Trans>Pause this endpoint?</Trans>}
      action={t`Pause the endpoint`}
      onConfirm={() => update({ input: { id: endpoint.id, active: false } })}
    >
      <ul className="ms-4 flex list-disc flex-col gap-1">
        <li>
          <Plural
            value={open}
            _0="No delivery is waiting."
            one="One waiting delivery is held."
            other="# waiting deliveries are held."
          />
        </li>
        <li>
          <Trans>New events are held too, until you enable the endpoint again.</Trans>
        </li>
        <li>
          <Trans>They are held for a limited time. This page shows the end once the endpoint is paused.</Trans>
        </li>
      </ul>
    </Confirm>
  );
}

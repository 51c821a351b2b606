import { Trans, useLingui } from '@lingui/react/macro';
import { Confirm } from '../../../parts/dialog';
import { Untrusted } from '../../../parts/untrusted';
import { useConfirmed } from '../../../parts/use-confirmed';
import { UPDATE_ENDPOINT } from '../later-documents';
import type { EndpointDialogProps } from '../use-endpoint';

/** Stops signing as the former system did, after naming the headers that end with it. */
export function RemoveCompatDialog({ endpoint, onClose }: EndpointDialogProps) {
  const { t } = useLingui();
  const [state, update] = useConfirmed(UPDATE_ENDPOINT, t`The signature of the former system is removed.`, onClose);
  const { id, version, signatures } = endpoint;
  const headers = signatures.find(({ scheme }) => scheme === 'COMPAT')?.headers ?? [];
  return (
    <Confirm
      {...state}
      open
      onClose={onClose}
      title={<Trans>Remove this signature?</Trans>}
      action={t`Remove the signature`}
      onConfirm={() => update({ input: { id, delivery: { compat: null }, ifVersion: version } })}
    >
      <p>
        <Trans>Requests no longer have these headers. A receiver that checks them refuses every request then.</Trans>
      </p>
      <ul className="my-1.5 ms-4 list-disc">
        {headers.map((name) => (
          <li key={name}>
            <code className="font-mono text-xs">
              <Untrusted text={name} />
            </code>
          </li>
        ))}
      </ul>
      <p>
        <Trans>Only the operator can set it again.</Trans>
      </p>
    </Confirm>
  );
}

import { Trans, useLingui } from '@lingui/react/macro';
import { FormDialog } from '../../../parts/form-dialog';
import { useConfirmed } from '../../../parts/use-confirmed';
import { UPDATE_ENDPOINT } from '../later-documents';
import type { EndpointDialogProps } from '../use-endpoint';

/** Begins or ends the signature by the key pair, after saying what receivers notice of it. */
export function SigningDialog({ endpoint, onClose }: EndpointDialogProps) {
  const { t } = useLingui();
  const { id, version, delivery } = endpoint;
  const begins = delivery.signing !== 'SECRET_AND_KEY';
  const said = begins ? t`The key pair signs from now on.` : t`The key pair no longer signs.`;
  const [state, update] = useConfirmed(UPDATE_ENDPOINT, said, onClose);
  const signing = begins ? 'SECRET_AND_KEY' : 'SECRET';
  return (
    <FormDialog
      form={{
        ...state,
        submit: (event) => {
          event.preventDefault();
          update({ input: { id, delivery: { signing }, ifVersion: version } });
        },
      }}
      onClose={onClose}
      title={begins ? <Trans>Sign by key pair?</Trans> : <Trans>End the key signature?</Trans>}
      action={begins ? <Trans>Sign by the key pair</Trans> : <Trans>Stop it</Trans>}
      danger={!begins}
    >
      {begins ? (
        <p className="text-sm text-soft">
          <Trans>
            The header webhook-signature gets another signature, v1a. Your server can verify it with the public keys,
            without a secret. Servers that verify by the secret notice nothing.
          </Trans>
        </p>
      ) : (
        <p className="text-sm text-soft">
          <Trans>A server that verifies by the public keys refuses every request then.</Trans>
        </p>
      )}
    </FormDialog>
  );
}

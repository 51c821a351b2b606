import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation } from 'urql';
import { TextField } from '../../../parts/field';
import { useForm } from '../../../parts/form';
import { FormDialog } from '../../../parts/form-dialog';
import { notify } from '../../../parts/toast';
import { ROTATE_SIGNING_KEY } from '../later-documents';
import type { EndpointDialogProps } from '../use-endpoint';

const HOURS = { min: 24, max: 168 };

/** Gives the tenant another key pair, for all of its endpoints that are signed by one. */
export function RotateKeyDialog({ onClose }: EndpointDialogProps) {
  const { t } = useLingui();
  const [, rotate] = useMutation(ROTATE_SIGNING_KEY);
  const form = useForm({
    initial: { inHours: String(HOURS.min) },
    save: ({ inHours }) => rotate({ input: { inHours: Number(inHours) } }),
    saved: () => {
      notify(t`The new key is published.`);
      onClose();
    },
  });
  const hours = form.values.inHours === '' ? Number.NaN : Number(form.values.inHours);
  const isPossible = Number.isInteger(hours) && (hours === 0 || (hours >= HOURS.min && hours <= HOURS.max));
  return (
    <FormDialog
      form={form}
      title={<Trans>Rotate the key pair</Trans>}
      action={hours === 0 ? <Trans>Rotate and end the old one</Trans> : <Trans>Rotate the key pair</Trans>}
      danger={hours === 0}
      ready={isPossible}
      onClose={onClose}
    >
      <p className="text-sm text-soft">
        <Trans>
          All endpoints that are signed by the key pair follow. Servers that read the public keys at their address need
          to do nothing.
        </Trans>
      </p>
      <TextField
        {...form.field('inHours')}
        name={<Trans>Hours until the new key signs</Trans>}
        hint={<Trans>24 to 168, or 0 after a leak. The old key stays published for a week more.</Trans>}
        error={!isPossible && t`Enter 0, or a whole number of hours from 24 to 168.`}
        type="number"
        min={0}
        max={HOURS.max}
        step={1}
      />
      {hours === 0 && (
        <p className="text-sm text-warn">
          <Trans>The new key signs in ten minutes, and the old one is no longer published then.</Trans>
        </p>
      )}
    </FormDialog>
  );
}

import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { useMutation } from 'urql';
import { TextField, Ticks } from '../../parts/field';
import { type FieldProps, useForm } from '../../parts/form';
import { FormDialog } from '../../parts/form-dialog';
import { SecretDialog } from '../../parts/secret-dialog';
import { Select } from '../../parts/select';
import { useViewer } from '../../parts/viewer';
import { CREATE_KEY } from './documents';
import { grantable } from './scopes';

const DAY_SECONDS = 86_400;
const LIFETIMES = {
  never: Number.POSITIVE_INFINITY,
  day: DAY_SECONDS,
  month: 30 * DAY_SECONDS,
  quarter: 90 * DAY_SECONDS,
  year: 365 * DAY_SECONDS,
} as const;

/** `session`: as long as this session, whose keys end with it unless its maker has allowed more. */
type Lifetime = keyof typeof LIFETIMES | 'session';

/** The clocks of this machine and of the service may differ. */
const MARGIN_SECONDS = 30;

/** Creates a key, and shows it the only time that it can be seen. */
export function CreateKey({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const [key, setKey] = useState<string>();
  return key === undefined ? (
    <KeyForm onCreated={setKey} onClose={onClose} />
  ) : (
    <SecretDialog
      title={<Trans>Your new key</Trans>}
      secret={key}
      name={t`the key`}
      hint={<Trans>Copy the key now: it is shown only once. Anyone who has it can do everything it allows.</Trans>}
      leave={<Trans>Close</Trans>}
      onClose={onClose}
    />
  );
}

function KeyForm({ onCreated, onClose }: { onCreated: (key: string) => void; onClose: () => void }) {
  const { t } = useLingui();
  const { apiKey: own } = useViewer();
  const [, create] = useMutation(CREATE_KEY);
  const endsAt = own.expiresAt == null ? Infinity : Date.parse(own.expiresAt);
  const secondsLeft = () => Math.floor((endsAt - Date.now()) / 1_000) - MARGIN_SECONDS;
  const form = useForm({
    initial: {
      name: '',
      scopes: [] as readonly string[],
      lifetime: (endsAt === Infinity ? 'never' : 'session') as Lifetime,
    },
    save: ({ name, scopes, lifetime }) => {
      const seconds = lifetime === 'session' ? secondsLeft() : LIFETIMES[lifetime];
      const expiry = seconds === Infinity ? {} : { expiresInSeconds: seconds };
      return create({ input: { name, scopes: [...scopes], ...expiry } });
    },
    saved: ({ createApiKey }) => onCreated(createApiKey.key),
  });
  return (
    <FormDialog
      form={form}
      title={<Trans>Create a key</Trans>}
      action={<Trans>Create the key</Trans>}
      refused={
        form.values.name.trim() === ''
          ? t`Enter a name.`
          : form.values.scopes.length === 0
            ? t`Choose at least one permission.`
            : undefined
      }
      onClose={onClose}
    >
      <TextField
        {...form.field('name')}
        name={<Trans>Name</Trans>}
        hint={<Trans>Where it is used, such as “checkout, production”.</Trans>}
        required
        autoFocus
        maxLength={200}
      />
      <ScopeTicks {...form.field('scopes')} />
      <LifetimeChoice {...form.field('lifetime')} left={secondsLeft()} />
    </FormDialog>
  );
}

function ScopeTicks(field: FieldProps<readonly string[]>) {
  const { i18n } = useLingui();
  const { scopes: held, tenant } = useViewer();
  const options = grantable(held, tenant == null).map(([value, words]) => ({
    value,
    words: (
      <>
        {words && i18n._(words)} <code className="ms-1 font-mono text-xs whitespace-nowrap text-faint">{value}</code>
      </>
    ),
  }));
  return <Ticks {...field} name={<Trans>Permissions</Trans>} options={options} />;
}

/** @param left how long this session lasts. */
function LifetimeChoice({ value, onChange, left }: FieldProps<Lifetime> & { left: number }) {
  const { t } = useLingui();
  const { portalSession } = useViewer();
  const secondsMax = portalSession?.keysExpireInSeconds ?? left;
  const lifetimes: { value: Lifetime; name: string }[] = [
    { value: 'never', name: t`never` },
    { value: 'session', name: t`with your session` },
    { value: 'day', name: t`in a day` },
    { value: 'month', name: t`in 30 days` },
    { value: 'quarter', name: t`in 90 days` },
    { value: 'year', name: t`in a year` },
  ];
  const fits = ({ value }: { value: Lifetime }) =>
    value === 'session' ? left !== Infinity : LIFETIMES[value] <= secondsMax;
  return (
    <div>
      <p className="mb-1 text-sm font-medium">
        <Trans>Expires</Trans>
      </p>
      <Select label={t`Expires`} value={value} onChange={onChange} options={lifetimes.filter(fits)} />
      {left !== Infinity && (
        <p className="mt-1 text-xs text-soft">
          {portalSession == null ? (
            <Trans>A key cannot outlive the session that created it. The command line creates keys that last.</Trans>
          ) : portalSession.keysExpireInSeconds == null ? (
            <Trans>A key that you create here ends with your session.</Trans>
          ) : (
            <Trans>If your session is revoked, its keys are revoked too.</Trans>
          )}
        </p>
      )}
    </div>
  );
}

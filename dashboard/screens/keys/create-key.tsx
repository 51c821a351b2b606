import { Trans, useLingui } from '@lingui/react/macro';
import { type FormEvent, useState } from 'react';
import { useMutation } from 'urql';
import { Button } from '../../parts/button';
import { Code } from '../../parts/code';
import { Dialog } from '../../parts/dialog';
import { Field, Select, TextInput, Tick } from '../../parts/field';
import { Answer, Failure } from '../../parts/page';
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

/** Makes a key, and shows it the only time that it can be seen. */
export function CreateKey({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [made, setMade] = useState<string>();
  const close = () => {
    setMade(undefined);
    onClose();
  };
  const isShown = made !== undefined;
  return (
    <Dialog
      open={open}
      onClose={close}
      stays={isShown}
      title={isShown ? <Trans>Your new key</Trans> : <Trans>Create a key</Trans>}
    >
      {isShown ? <NewKey text={made} onDone={close} /> : <KeyForm onMade={setMade} />}
    </Dialog>
  );
}

function NewKey({ text, onDone }: { text: string; onDone: () => void }) {
  const { t } = useLingui();
  return (
    <div className="flex flex-col gap-3">
      <Answer tone="warn">
        <Trans>Copy the key now: it is not shown again. Anyone who has it can do everything it allows.</Trans>
      </Answer>
      <Code text={text} name={t`key`} wrap />
      <div className="flex justify-end">
        <Button look="primary" onClick={onDone}>
          <Trans>I have copied it</Trans>
        </Button>
      </div>
    </div>
  );
}

function KeyForm({ onMade }: { onMade: (key: string) => void }) {
  const { t, i18n } = useLingui();
  const { scopes: held, tenant, apiKey: own, portalSession } = useViewer();
  const [{ fetching, error }, create] = useMutation(CREATE_KEY);
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>([]);
  const endsAt = own.expiresAt == null ? Infinity : Date.parse(own.expiresAt);
  const secondsLeft = () => Math.floor((endsAt - Date.now()) / 1_000) - MARGIN_SECONDS;
  const secondsMax = () => portalSession?.keysExpireInSeconds ?? secondsLeft();
  const [lifetime, setLifetime] = useState<Lifetime>(endsAt === Infinity ? 'never' : 'session');
  const lifetimes: { value: Lifetime; name: string }[] = [
    { value: 'never', name: t`never` },
    { value: 'session', name: t`with your session` },
    { value: 'day', name: t`in a day` },
    { value: 'month', name: t`in 30 days` },
    { value: 'quarter', name: t`in 90 days` },
    { value: 'year', name: t`in a year` },
  ];
  const fits = ({ value }: { value: Lifetime }) =>
    value === 'session' ? endsAt !== Infinity : LIFETIMES[value] <= secondsMax();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const seconds = lifetime === 'session' ? secondsLeft() : LIFETIMES[lifetime];
    const { data } = await create({
      input: { name, scopes: [...scopes], ...(seconds === Infinity ? {} : { expiresInSeconds: seconds }) },
    });
    if (data) {
      onMade(data.createApiKey.key);
    }
  };
  const toggle = (scope: string) =>
    setScopes(scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope]);
  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
      {error && <Failure error={error} />}
      <Field name={<Trans>Name</Trans>} hint={<Trans>What uses it, such as “checkout, production”.</Trans>}>
        {(props) => (
          <TextInput
            {...props}
            required
            autoFocus
            maxLength={200}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
      <fieldset>
        <legend className="mb-1.5 text-sm font-medium">
          <Trans>It may</Trans>
        </legend>
        <div className="flex flex-col gap-1.5">
          {grantable(held, tenant == null).map(([scope, words]) => (
            <Tick key={scope} checked={scopes.includes(scope)} onChange={() => toggle(scope)}>
              {words && i18n._(words)}{' '}
              <code className="ms-1 font-mono text-xs whitespace-nowrap text-faint">{scope}</code>
            </Tick>
          ))}
        </div>
      </fieldset>
      <div>
        <p className="mb-1 text-sm font-medium">
          <Trans>It expires</Trans>
        </p>
        <Select label={t`It expires`} value={lifetime} onChange={setLifetime} options={lifetimes.filter(fits)} />
        {endsAt !== Infinity && (
          <p className="mt-1 text-xs text-soft">
            {portalSession == null ? (
              <Trans>A session makes no key that outlives it. The command line makes keys that last.</Trans>
            ) : portalSession.keysExpireInSeconds == null ? (
              <Trans>A key that you make here ends with your session.</Trans>
            ) : (
              <Trans>If your session is revoked, its keys are revoked too.</Trans>
            )}
          </p>
        )}
      </div>
      <div className="flex justify-end">
        <Button
          type="submit"
          look="primary"
          disabled={fetching}
          refused={
            name.trim() === '' ? t`Give it a name.` : scopes.length === 0 ? t`Choose what it may do.` : undefined
          }
        >
          <Trans>Create the key</Trans>
        </Button>
      </div>
    </form>
  );
}

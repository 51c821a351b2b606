import { Trans, useLingui } from '@lingui/react/macro';
import { type FormEvent, useState } from 'react';
import { type SignedOut, sessions } from '../api/session';
import { Button } from '../parts/button';
import { Field, TextInput, Tick } from '../parts/field';
import { Answer } from '../parts/page';

/** Takes an API key, of the platform or of a tenant. It stays in this tab. */
export function SignIn({ why }: { why: SignedOut }) {
  const { t } = useLingui();
  const [key, setKey] = useState('');
  const [keep, setKeep] = useState(true);
  const signIn = (event: FormEvent) => {
    event.preventDefault();
    sessions.begin({ token: key.trim(), expiresAt: null }, { keep });
  };
  return (
    <main className="mx-auto flex min-h-screen max-w-sm flex-col justify-center gap-4 p-6">
      <h1 className="text-2xl font-semibold tracking-tight">Hookwright</h1>
      {(why === 'refused' || why === 'expired') && (
        <Answer tone="warn">
          {why === 'refused' ? (
            <Trans>The service does not take this key: it is revoked, has expired, or was never valid.</Trans>
          ) : (
            <Trans>Your session has ended. Sign in again.</Trans>
          )}
        </Answer>
      )}
      <form onSubmit={signIn} className="flex flex-col gap-2">
        <Field name={<Trans>API key</Trans>} hint={<Trans>A platform key, or a key of one tenant.</Trans>}>
          {(props) => (
            <TextInput
              {...props}
              type="password"
              required
              value={key}
              placeholder={t`Paste a key`}
              onChange={({ target }) => setKey(target.value)}
            />
          )}
        </Field>
        <Tick checked={keep} onChange={({ target }) => setKeep(target.checked)}>
          <Trans>Stay signed in for this tab</Trans>
        </Tick>
        <div className="mt-2">
          <Button type="submit" look="primary" disabled={key.trim() === ''}>
            <Trans>Sign in</Trans>
          </Button>
        </div>
      </form>
    </main>
  );
}

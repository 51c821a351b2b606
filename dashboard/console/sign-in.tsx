import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect, useState } from 'react';
import { type SignedOut, sessions } from '../api/session';
import { Button, buttonLook } from '../parts/button';
import { TextField, Tick } from '../parts/field';
import { useForm } from '../parts/form';
import { Answer } from '../parts/page';
import { Untrusted } from '../parts/untrusted';
import { Brand } from './brand';
import type { Refusal } from './enter';
import { type WaysIn, waysIn } from './ways-in';

export interface SignInProps {
  why: SignedOut;
  refusal: Refusal | undefined;
}

/**
 * Leads to the OpenID provider, where there is one, and takes an API key, of the platform or of a tenant, which stays in
 * this tab.
 *
 * @param refusal why the link of the start, or the provider, has not signed somebody in.
 */
export default function SignIn({ why, refusal }: SignInProps) {
  const { t } = useLingui();
  useEffect(() => {
    document.title = t`Sign in · Hookwright`;
  }, [t]);
  return (
    <main className="mx-auto flex min-h-screen max-w-md flex-col justify-center px-4 py-10">
      <h1 className="mb-1.5">
        <Brand large />
      </h1>
      <p className="mb-6 text-soft">
        <Trans>Every event, delivery and endpoint of this installation, as it happens.</Trans>
      </p>
      <div className="flex flex-col gap-4">
        <Trouble why={why} refusal={refusal} />
        <Ways isKeyRefused={why === 'refused'} />
      </div>
    </main>
  );
}

/** The provider is one button: there, keys are for emergencies. */
function Ways({ isKeyRefused }: { isKeyRefused: boolean }) {
  const [ways, setWays] = useState<WaysIn>();
  useEffect(() => void waysIn().then(setWays), []);
  if (ways === undefined) {
    return null;
  }
  const byKey = (
    <>
      <ByKey />
      <WhereKeysAre keyFile={ways.keyFile} program={ways.program} />
    </>
  );
  if (ways.oidc === null) {
    return byKey;
  }
  return (
    <>
      <ByProvider oidc={ways.oidc} />
      <details open={isKeyRefused}>
        <summary className="cursor-pointer text-center text-sm text-soft hover:text-ink">
          <Trans>Use a key</Trans>
        </summary>
        <div className="mt-4 flex flex-col gap-4">{byKey}</div>
      </details>
    </>
  );
}

function ByKey() {
  const { t } = useLingui();
  const form = useForm({
    initial: { key: '', keep: true },
    save: async ({ key, keep }) => {
      const token = key.trim();
      // What no header can carry would look like a service that cannot be reached.
      const fits = /^[\x21-\x7e]+$/.test(token);
      if (fits) {
        sessions.begin({ token, expiresAt: null }, { keep });
      }
      return { data: { malformed: fits ? undefined : key } };
    },
  });
  const { value: keep, onChange: setKeep } = form.field('keep');
  const isMalformed = form.data?.malformed === form.values.key;
  return (
    <form onSubmit={form.submit} className="flex flex-col gap-3 rounded-xl border border-line bg-surface p-5 shadow-sm">
      <TextField
        {...form.field('key')}
        name={<Trans>API key</Trans>}
        hint={<Trans>A platform key sees all tenants. The key of a tenant sees its own data.</Trans>}
        error={isMalformed && t`A key contains only letters, digits and “_”, such as hw_1_….`}
        type="password"
        required
        autoFocus
        placeholder="hw_…"
      />
      <Tick checked={keep} onChange={({ target }) => setKeep(target.checked)}>
        <Trans>Stay signed in while this tab is open</Trans>
      </Tick>
      <Button type="submit" look="primary" disabled={form.values.key.trim() === ''}>
        <Trans>Sign in</Trans>
      </Button>
    </form>
  );
}

function ByProvider({ oidc }: { oidc: NonNullable<WaysIn['oidc']> }) {
  const url = `${oidc.url}?${new URLSearchParams({ return: location.pathname + location.search })}`;
  return (
    <a href={url} className={`${buttonLook('primary')} justify-center`}>
      <span>
        <Trans>
          Sign in with <Untrusted text={oidc.name} />
        </Trans>
      </span>
    </a>
  );
}

/** By the codes with which the service sends people back. */
function ProviderTrouble({ why }: { why: string }) {
  switch (why) {
    case 'denied':
      return <Trans>You or the provider declined the sign-in.</Trans>;
    case 'stale':
      return (
        <Trans>The sign-in took too long, began in another tab or browser, or had no cookies. Sign in again.</Trans>
      );
    case 'role':
      return <Trans>The provider gives you no role here. Ask the operator of this installation.</Trans>;
    default:
      return (
        <Trans>
          The provider could not be reached, or its answer was not valid. The service's log says more. You can sign in
          with a key.
        </Trans>
      );
  }
}

function Trouble({ why, refusal }: SignInProps) {
  if (why === 'refused') {
    return (
      <Answer tone="bad">
        <Trans>The service refused this key: it is revoked, expired, or was never valid.</Trans>
      </Answer>
    );
  }
  if (why === 'expired') {
    return (
      <Answer tone="warn">
        <Trans>Your session has ended. Sign in again.</Trans>
      </Answer>
    );
  }
  if (why === 'moved') {
    return (
      <Answer tone="warn">
        <Trans>Another cell has the tenant of this key. Sign in to the console of that cell.</Trans>
      </Answer>
    );
  }
  if (why === 'left') {
    return (
      <Answer tone="info">
        <Trans>You have signed out.</Trans>
      </Answer>
    );
  }
  return (
    refusal !== undefined && (
      <Answer tone="warn">
        <p className="font-medium">
          {refusal.by === 'link' ? (
            <Trans>The link did not sign you in.</Trans>
          ) : (
            <Trans>You were not signed in.</Trans>
          )}
        </p>
        <p className="text-sm text-soft">
          {refusal.by === 'link' ? <Untrusted text={refusal.words} /> : <ProviderTrouble why={refusal.why} />}
        </p>
      </Answer>
    )
  );
}

/** Where a newcomer finds a first key. */
function WhereKeysAre({ keyFile, program }: Pick<WaysIn, 'keyFile' | 'program'>) {
  return (
    <section aria-labelledby="where-keys-are" className="px-1 text-sm text-soft">
      <h2 id="where-keys-are" className="mb-1.5 font-medium text-ink">
        <Trans>Get a key</Trans>
      </h2>
      <ul className="flex list-disc flex-col gap-1.5 ps-4">
        {keyFile !== null && (
          <li>
            <Trans>
              The first start wrote a key of the tenant “default” into the data folder:{' '}
              <Command>{`cat ${keyFile}`}</Command>
            </Trans>
          </li>
        )}
        <li>
          <Trans>
            A key for all tenants: <Command>{`${program} key create me --platform`}</Command>
          </Trans>
        </li>
        <li>
          <Trans>
            A key for one tenant: <Command>{`${program} key create me --tenant 1`}</Command>
          </Trans>
        </li>
      </ul>
    </section>
  );
}

function Command({ children }: { children: string }) {
  return (
    <code className="rounded-sm bg-sunken px-1 py-0.5 font-mono text-xs whitespace-nowrap text-ink select-all">
      {children}
    </code>
  );
}

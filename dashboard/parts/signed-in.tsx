import { Trans } from '@lingui/react/macro';
import { type ReactNode, useState, useSyncExternalStore } from 'react';
import { Provider, useQuery } from 'urql';
import { createClient } from '../api/client';
import { ForeignAnswer } from '../api/foreign-answer';
import { type SignedOut, sessions } from '../api/session';
import { Button } from './button';
import { Failure } from './page';
import { VIEWER, ViewerContext } from './viewer';

/** Shows `children` to who is signed in, `otherwise` to who is not; a client of the API for each sign-in. */
export function SignedIn({
  children,
  otherwise,
}: {
  children: ReactNode;
  /** @param returnUrl where the session that has ended leads back to; null: nowhere */
  otherwise: (why: SignedOut, returnUrl: string | null) => ReactNode;
}) {
  const state = useSyncExternalStore(sessions.subscribe, sessions.read);
  if (state.session === null) {
    return otherwise(state.why, state.returnUrl);
  }
  return <WithClient>{children}</WithClient>;
}

/**
 * A client of the API for what is in it, made again when somebody else signs in, and not when a session is renewed.
 *
 * @param tenantId whom a platform key acts for.
 * @param wayOut is beside the reason where the API says no, as for a tenant that is not there.
 */
export function WithClient(props: { tenantId?: string; wayOut?: ReactNode; children: ReactNode }) {
  const state = useSyncExternalStore(sessions.subscribe, sessions.read);
  // The client of one sign-in must not serve another.
  return state.session !== null && <WithNewClient key={`${state.signIn} ${props.tenantId}`} {...props} />;
}

function WithNewClient({ tenantId, wayOut, children }: Parameters<typeof WithClient>[0]) {
  const [client] = useState(() => createClient(tenantId));
  return (
    <Provider value={client}>
      <WithViewer wayOut={wayOut}>{children}</WithViewer>
    </Provider>
  );
}

function WithViewer({ wayOut, children }: { wayOut: ReactNode; children: ReactNode }) {
  const [{ data, error }, again] = useQuery({ query: VIEWER });
  if (data?.viewer !== undefined) {
    return <ViewerContext value={data.viewer}>{children}</ViewerContext>;
  }
  return (
    <div className="mx-auto max-w-xl p-6">
      {error ? (
        <div className="flex flex-col gap-3">
          {wayOut}
          <Failure error={error} retry={again} />
          {error.networkError instanceof ForeignAnswer && (
            <div>
              <Button onClick={() => sessions.end('left')}>
                <Trans>Sign out</Trans>
              </Button>
            </div>
          )}
        </div>
      ) : (
        <p role="status" className="animate-late text-soft">
          <Trans>Signing in …</Trans>
        </p>
      )}
    </div>
  );
}

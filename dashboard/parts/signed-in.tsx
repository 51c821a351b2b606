import { Trans } from '@lingui/react/macro';
import { type ReactNode, useMemo, useSyncExternalStore } from 'react';
import { Provider, useQuery } from 'urql';
import { createClient } from '../api/client';
import { type SignedOut, sessions } from '../api/session';
import { Failure } from './page';
import { VIEWER, ViewerContext } from './viewer';

/** Shows `children` to who is signed in, `otherwise` to who is not; a client of the API for each session. */
export function SignedIn({
  children,
  otherwise,
}: {
  children: ReactNode;
  otherwise: (why: SignedOut) => ReactNode;
}) {
  const standing = useSyncExternalStore(sessions.subscribe, sessions.read);
  if (standing.session === null) {
    return otherwise(standing.why);
  }
  return <WithClient token={standing.session.token}>{children}</WithClient>;
}

/** @param tenantId whom a platform key acts for. */
export function WithClient({
  token,
  tenantId,
  children,
}: {
  token: string;
  tenantId?: string;
  children: ReactNode;
}) {
  const client = useMemo(() => createClient(token, tenantId), [token, tenantId]);
  return (
    <Provider value={client} key={`${token} ${tenantId}`}>
      <WithViewer>{children}</WithViewer>
    </Provider>
  );
}

function WithViewer({ children }: { children: ReactNode }) {
  const [{ data, error }, again] = useQuery({ query: VIEWER });
  if (data?.viewer !== undefined) {
    return <ViewerContext value={data.viewer}>{children}</ViewerContext>;
  }
  return (
    <div className="mx-auto max-w-xl p-6">
      {error ? (
        <Failure error={error} retry={again} />
      ) : (
        <p role="status" className="text-soft">
          <Trans>Signing in …</Trans>
        </p>
      )}
    </div>
  );
}

import { useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { useMutation, useQuery } from 'urql';
import { useRefresh } from '../../../parts/refresh';
import { useClock } from '../../../parts/time';
import { notify } from '../../../parts/toast';
import { useAllowed } from '../../../parts/viewer';
import { OWNERSHIP, VERIFY_ENDPOINT } from '../documents';
import type { ShownEndpoint } from '../use-endpoint';

export type Verification = NonNullable<ShownEndpoint['verification']>;

/** While an endpoint is being asked, its answer is looked for this often. Both requests have 10 s each. */
const READ_EVERY_MS = 2_000;
const ASKING_MS = 30_000;

/**
 * Whether an endpoint has proved that it wants its deliveries, and what asks it again.
 *
 * @param isNew it is asked at this moment
 */
export function useVerify(
  endpoint: { id: string; disabledReason?: string | null; verification?: Verification | null },
  isNew = false,
) {
  const { t } = useLingui();
  const isAllowed = useAllowed('webhooks:test');
  const [askedAt, setAskedAt] = useState(isNew ? Date.now() : 0);
  const isRecent = useClock((now) => now - askedAt < ASKING_MS);
  const [{ data }, read] = useQuery({ query: OWNERSHIP, variables: { id: endpoint.id }, pause: !isNew && !isRecent });
  // The cache brings what is read to the page's endpoint, but not to a new one, which is an answer.
  const { disabledReason, verification } = (isNew && data?.webhook) || endpoint;
  // One that somebody has paused before its proof is PAUSED.
  const isUnverified = disabledReason === 'UNVERIFIED' || (verification != null && verification.status !== 'VERIFIED');
  useRefresh(read, isRecent && isUnverified ? READ_EVERY_MS : undefined);
  const [{ error, fetching }, ask] = useMutation(VERIFY_ENDPOINT);
  return {
    isUnverified,
    isOffered: isUnverified && isAllowed,
    busy: fetching,
    error,
    verification: verification ?? undefined,
    ask: async () => {
      const { data: done } = await ask({ input: { id: endpoint.id } });
      if (done) {
        notify(t`The endpoint is being asked.`);
        setAskedAt(Date.now());
      }
    },
  };
}

export type Verify = ReturnType<typeof useVerify>;

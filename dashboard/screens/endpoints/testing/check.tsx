import { Trans, useLingui } from '@lingui/react/macro';
import { Send } from 'lucide-react';
import { type CombinedError, useMutation } from 'urql';
import { Button } from '../../../parts/button';
import { useAllowed } from '../../../parts/viewer';
import { whenWanted } from '../../../parts/when-wanted';
import { CHECK_ENDPOINT } from '../documents';
import type { ShownEndpoint } from '../use-endpoint';

const Answer = whenWanted(() => import('./check-answer'));

/** A check of an endpoint that is not active: one test, sent all the same. Its answer comes with the page's updates. */
export function useCheck({ id, active, disabledReason }: ShownEndpoint) {
  const [{ data, error, fetching }, send] = useMutation(CHECK_ENDPOINT);
  // Before its proof an endpoint gets nothing but what asks for it.
  const isOffered = useAllowed('webhooks:test') && !active && disabledReason !== 'UNVERIFIED';
  return {
    isOffered,
    busy: fetching,
    error,
    /** The delivery of the check that was sent last. */
    sent: data?.checkWebhook.delivery.id,
    send: () => void send({ input: { webhookId: id } }),
  };
}

type Check = ReturnType<typeof useCheck>;

export function CheckButton({ check }: { check: Check }) {
  const { t } = useLingui();
  return (
    check.isOffered && (
      <Button icon={<Send />} onClick={check.send} disabled={check.busy} title={t`Sends one test`}>
        {check.sent === undefined ? <Trans>Check it</Trans> : <Trans>Check it again</Trans>}
      </Button>
    )
  );
}

/** The answer to the check, as it comes; nothing before one is sent. */
export function CheckAnswer({ check: { isOffered, error, sent } }: { check: Check }) {
  return isOffered && (error ?? sent) !== undefined && <Answer wanted error={error} sent={sent} />;
}

/** Why an endpoint was neither checked nor asked for a proof, which share a limit. */
export function CheckFailure({ error }: { error: CombinedError }) {
  return <Answer wanted error={error} sent={undefined} />;
}

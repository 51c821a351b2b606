import { Trans, useLingui } from '@lingui/react/macro';
import { Send } from 'lucide-react';
import { type CombinedError, useMutation } from 'urql';
import { Button } from '../../../parts/button';
import { Answer, Failure } from '../../../parts/page';
import { useAllowed } from '../../../parts/viewer';
import { CHECK_ENDPOINT } from '../documents';
import type { ShownEndpoint } from '../use-endpoint';
import { TestAnswer } from './test-answer';

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
  if (!isOffered) {
    return null;
  }
  if (error) {
    return <CheckFailure error={error} />;
  }
  return sent !== undefined && <TestAnswer key={sent} id={sent} closedUntil={null} />;
}

/** Why an endpoint was neither checked nor asked for a proof, which share a limit. */
export function CheckFailure({ error }: { error: CombinedError }) {
  return isTooOften(error) ? <TooOften error={error} /> : <Failure error={error} />;
}

/** In the person's language, since anybody who repairs an endpoint meets it. */
const isTooOften = ({ graphQLErrors }: CombinedError) => graphQLErrors[0]?.extensions?.['code'] === 'RATE_LIMITED';

function TooOften({ error }: { error: CombinedError }) {
  const seconds = Number(error.graphQLErrors[0]?.extensions?.['retryAfterSeconds']);
  return (
    <Answer tone="warn">
      <Trans>Nothing was sent: an endpoint can be checked six times a minute. Try again in {seconds} s.</Trans>
    </Answer>
  );
}

import { Plural, Trans, useLingui } from '@lingui/react/macro';
import type { DeliveryRowFragment, FanOutQuery, FanOutReason } from '../../api/generated/graphql';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { remedyFor } from '../../text/remedies';
import { ConditionWords } from '../endpoints/content/condition-words';

type FanOutEntry = NonNullable<NonNullable<FanOutQuery['event']>['fanOut']>['edges'][number]['node'];
type FailedCondition = FanOutEntry['failedCondition'];

/** Why an endpoint got no delivery of an event. */
export function ReasonWords({
  reason,
  eventType,
  failedCondition,
}: {
  reason: FanOutReason;
  eventType: string;
  failedCondition: FailedCondition | null | undefined;
}) {
  switch (reason) {
    case 'NOT_SUBSCRIBED':
      return (
        <Trans>
          It was not subscribed to <Untrusted text={eventType} /> when the event was emitted.
        </Trans>
      );
    case 'CREATED_LATER':
      return <Trans>The endpoint was added after the event was emitted.</Trans>;
    case 'FOR_ANOTHER_WEBHOOK':
      return <Trans>The event was for another endpoint only, like a test.</Trans>;
    case 'FILTERED':
      return (
        <>
          <Trans>The event did not meet the filter that the endpoint had at that time.</Trans>
          {failedCondition && (
            <>
              {' '}
              <Trans>
                It fails: <ConditionWords condition={failedCondition} {...failedCondition} />
              </Trans>
            </>
          )}
        </>
      );
    case 'INACTIVE':
      return <Trans>The endpoint was inactive for longer than deliveries are held.</Trans>;
    case 'ABOUT_THIS_WEBHOOK':
      return <Trans>The event is about this endpoint itself, so only the others get it.</Trans>;
    case 'NO_LONGER_KEPT':
      return <Trans>Deliveries this old are no longer stored. There may have been one.</Trans>;
    case 'UNKNOWN':
      return <Trans>Unknown. The endpoint may have been changed at that moment.</Trans>;
  }
}

/** How a delivery stands, in short. */
export function DeliveryWords({ delivery }: { delivery: DeliveryRowFragment }) {
  const { i18n } = useLingui();
  const { status, attemptCount, finishedAt, nextAttemptAt, lastErrorCode, cancelReason } = delivery;
  const why = lastErrorCode && i18n._(remedyFor(lastErrorCode).why);
  switch (status) {
    case 'SUCCEEDED':
      return (
        <>
          <Plural value={attemptCount} one="At the first attempt" other="At attempt #" />
          {finishedAt && (
            <>
              , <Time value={finishedAt} />
            </>
          )}
        </>
      );
    case 'FAILED':
      return why ? <Trans>Failed for good, because {why}.</Trans> : <Trans>Failed for good.</Trans>;
    case 'PENDING':
      return attemptCount > 0 && nextAttemptAt ? (
        <Trans>
          It is sent again <Time value={nextAttemptAt} next />, because {why}.
        </Trans>
      ) : (
        <Trans>It is on its way.</Trans>
      );
    case 'WAITING':
      return <Trans>It waits for an earlier delivery of its key.</Trans>;
    case 'HELD':
      return <Trans>Held until the endpoint is enabled or its held deliveries are released.</Trans>;
    case 'CANCELED':
      return cancelReason === 'ERASED' ? (
        <Trans>Canceled, because the payload was erased.</Trans>
      ) : (
        <Trans>Canceled. It will not be sent.</Trans>
      );
  }
}

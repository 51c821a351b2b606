import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { span } from '../../../parts/pace';
import { Link } from '../../../parts/place';
import { Time, useClock } from '../../../parts/time';
import { Untrusted } from '../../../parts/untrusted';
import { count, endOf } from '../../../text/numbers';
import { remedyFor } from '../../../text/remedies';
import type { Key } from './use-keys';

export function KeyName({ name }: { name: string }) {
  return (
    <code className="font-mono text-xs font-medium text-ink [overflow-wrap:anywhere]">
      {name === '' ? <Trans>all deliveries</Trans> : <Untrusted text={name} />}
    </code>
  );
}

/** Why the deliveries of a key wait: for which delivery, and what becomes of that. */
export function WhyWaiting({ shown }: { shown: Key }): ReactNode {
  const { waiting, blockedAt, head } = shown;
  const number = head?.databaseId;
  const first = number === undefined ? '…' : <DeliveryNumber number={number} />;
  const blockedFor = useClock((now) => span(Math.max(1, Math.floor((now - Date.parse(blockedAt ?? '')) / 1_000))));
  return (
    <>
      {blockedAt == null ? (
        <Trans>
          {count(waiting)} waiting for {first}
        </Trans>
      ) : (
        <Trans>
          Blocked for {blockedFor} by {first}; {count(waiting)} waiting
        </Trans>
      )}
      {head != null && <HeadState head={head} isBlocked={blockedAt != null} />}.
    </>
  );
}

function DeliveryNumber({ number }: { number: number }) {
  return (
    <Link to={`/deliveries/${number}`} className="text-accent underline">
      <Trans>delivery {endOf(number)}</Trans>
    </Link>
  );
}

function HeadState({ head, isBlocked }: { head: NonNullable<Key['head']>; isBlocked: boolean }): ReactNode {
  const { i18n } = useLingui();
  const { status, lastErrorCode, nextAttemptAt } = head;
  const why = lastErrorCode != null && i18n._(remedyFor(lastErrorCode).why);
  if (isBlocked) {
    return why && <Trans>. It failed for good: {why}</Trans>;
  }
  if (status === 'HELD') {
    return <Trans>, which is held with its endpoint</Trans>;
  }
  return why && nextAttemptAt != null ? (
    <Trans>
      , which is tried again <Time value={nextAttemptAt} next />: {why}
    </Trans>
  ) : (
    <Trans>, which is being sent</Trans>
  );
}

import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Plural, Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { DeliveryCancelReason } from '../../../api/generated/graphql';
import { Answer, type Tone } from '../../../parts/page';
import { Link } from '../../../parts/place';
import { absolute, useClock } from '../../../parts/time';
import { duration } from '../../../text/numbers';
import { remedyFor } from '../../../text/remedies';
import type { Delivery } from '../documents';
import { answerOf } from './answer';
import { Countdown } from './countdown';

const CANCELED: Record<DeliveryCancelReason, MessageDescriptor> = {
  BY_USER: msg`Somebody has canceled it. You can send it again.`,
  DISCARDED: msg`It was discarded when its endpoint was enabled without what it held. You can send it again.`,
  EXPIRED: msg`It came to the end of the time that deliveries are kept, before it could be sent.`,
  HOLD_EXPIRED: msg`Its endpoint was inactive for longer than deliveries are held. Enable the endpoint, and send it again.`,
  WEBHOOK_DELETED: msg`Its endpoint was deleted before it could be sent.`,
};

/** The sentence that a person came for: how the delivery stands, why, and what can be done. */
export function DeliveryAnswer({ delivery }: { delivery: Delivery }) {
  const { i18n } = useLingui();
  const now = useClock((ms) => ms);
  const answer = answerOf(delivery, now);
  const last = delivery.attempts.at(-1);
  const say = (tone: Tone, first: ReactNode, then?: ReactNode) => (
    <Answer tone={tone}>
      <p className="font-medium">{first}</p>
      {then !== undefined && <p className="mt-0.5 text-sm text-soft">{then}</p>}
    </Answer>
  );
  switch (answer.kind) {
    case 'delivered':
      return say(
        'good',
        <>
          {answer.tries === 1 ? (
            <Trans>Delivered at the first attempt</Trans>
          ) : (
            <Trans>Delivered at attempt {answer.tries}</Trans>
          )}
          {last !== undefined && (
            <Trans>
              , answered with {last.statusCode} in {duration(last.durationMs)}
            </Trans>
          )}
          .
        </>,
      );
    case 'failed': {
      const { why, what } = remedyFor(answer.code);
      return say(
        'bad',
        <>
          <Trans>Failed for good: {i18n._(why)}.</Trans>{' '}
          {answer.gone ? (
            <Trans>It is not tried again.</Trans>
          ) : (
            <Plural value={answer.tries} one="It was tried once." other="It was tried # times." />
          )}
        </>,
        i18n._(what),
      );
    }
    case 'retrying': {
      const { why, what } = remedyFor(answer.code);
      return say(
        'warn',
        <>
          <Trans>
            Attempt {answer.tries} has failed: {i18n._(why)}.
          </Trans>{' '}
          {answer.next === undefined ? (
            <Trans>The next one is due now.</Trans>
          ) : (
            <Trans>
              The next one is in <Countdown to={answer.next} />.
            </Trans>
          )}
        </>,
        i18n._(what),
      );
    }
    case 'waiting':
      return say(
        'warn',
        <Trans>
          Its endpoint has asked for a pause, which ends in <Countdown to={answer.until} />.
        </Trans>,
        <Trans>Nothing is lost: it is sent at {absolute(answer.until)}, or somewhat later.</Trans>,
      );
    case 'queued':
      return say(
        'info',
        answer.next === undefined ? (
          <Trans>It is about to be sent.</Trans>
        ) : (
          <Trans>
            Its first attempt is in <Countdown to={answer.next} />.
          </Trans>
        ),
      );
    case 'held':
      return say(
        'warn',
        {
          paused: <Trans>It is held, because its endpoint is paused.</Trans>,
          disabled: <Trans>It is held, because its endpoint was disabled.</Trans>,
          kept: <Trans>It is held until what its endpoint keeps is released.</Trans>,
        }[answer.why],
        <>
          {delivery.webhook?.holdUntil && (
            <Trans>It is held until {absolute(delivery.webhook.holdUntil)}, then canceled.</Trans>
          )}{' '}
          {delivery.webhook && (
            <Link to={`/endpoints/${delivery.webhook.databaseId}`} className="text-accent">
              <Trans>Go to the endpoint</Trans>
            </Link>
          )}
        </>,
      );
    case 'canceled': {
      const reason = CANCELED[answer.reason as DeliveryCancelReason];
      return say('info', <Trans>It was canceled.</Trans>, reason && i18n._(reason));
    }
  }
}

import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Plural, Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { DeliveryCancelReason } from '../../../api/generated/graphql';
import { Answer, type Tone } from '../../../parts/page';
import { Link } from '../../../parts/place';
import { absolute, useClock } from '../../../parts/time';
import { useAllowed } from '../../../parts/viewer';
import { duration } from '../../../text/numbers';
import { remedyFor } from '../../../text/remedies';
import { statusText } from '../../../text/status-codes';
import { Remedy } from '../../endpoints/remedy';
import { answerOf, type Answer as DeliveryAnswerKind } from './answer';
import { BlockedKey, BlocksKey } from './blocked-key';
import { Countdown } from './countdown';
import type { Delivery } from './documents';

type Of<Kind extends DeliveryAnswerKind['kind']> = Extract<DeliveryAnswerKind, { kind: Kind }> & {
  delivery: Delivery;
};

/** The sentence that a person came for: how the delivery stands, why, and what can be done. */
export function DeliveryAnswer({ delivery }: { delivery: Delivery }) {
  const now = useClock((ms) => ms);
  const answer = answerOf(delivery, now);
  switch (answer.kind) {
    case 'delivered':
      return <Delivered {...answer} delivery={delivery} />;
    case 'failed':
      return (
        <>
          <Failed {...answer} delivery={delivery} />
          <BlocksKey delivery={delivery} />
        </>
      );
    case 'retrying':
      return <Retrying {...answer} delivery={delivery} />;
    case 'waiting':
      return <Waiting {...answer} />;
    case 'settling':
      return <Settling {...answer} />;
    case 'queued':
      return <Queued {...answer} />;
    case 'ordered':
      return <Ordered delivery={delivery} />;
    case 'held':
      return <Held {...answer} delivery={delivery} />;
    case 'canceled':
      return <Canceled {...answer} delivery={delivery} />;
  }
}

function Saying({ tone, then, children }: { tone: Tone; then?: ReactNode; children: ReactNode }) {
  return (
    <Answer tone={tone}>
      <p className="font-medium">{children}</p>
      {then && <p className="mt-0.5 text-sm text-soft">{then}</p>}
    </Answer>
  );
}

function Delivered({ tries, delivery }: Of<'delivered'>) {
  const last = delivery.attempts.at(-1);
  return (
    <Saying tone="good">
      {tries === 1 ? <Trans>Delivered at the first attempt</Trans> : <Trans>Delivered at attempt {tries}</Trans>}
      {last?.statusCode != null && (
        <Trans>
          , answered with {statusText(last.statusCode)} in {duration(last.durationMs)}
        </Trans>
      )}
      .
    </Saying>
  );
}

function Failed({ code, tries, gone, delivery }: Of<'failed'>) {
  const { i18n } = useLingui();
  const { why } = remedyFor(code);
  return (
    <Saying tone="bad" then={<Remedy code={code} endpoint={delivery.webhook} />}>
      <Trans>Failed for good: {i18n._(why)}.</Trans>{' '}
      {gone ? (
        <Trans>It is not tried again.</Trans>
      ) : (
        <Plural value={tries} one="It was tried once." other="It was tried # times." />
      )}
    </Saying>
  );
}

function Retrying({ code, tries, next, pause, delivery }: Of<'retrying'>) {
  const { i18n } = useLingui();
  const { why } = remedyFor(code);
  const paused = pause && (
    <Trans>Its endpoint asked for a pause until {absolute(pause)}. Trying now waits for it.</Trans>
  );
  return (
    <Saying tone="warn" then={paused ?? <Remedy code={code} endpoint={delivery.webhook} />}>
      <Trans>
        Attempt {tries} failed: {i18n._(why)}.
      </Trans>{' '}
      {next === undefined ? (
        <Trans>The next attempt is due now.</Trans>
      ) : (
        <Trans>
          The next attempt is in <Countdown to={next} />.
        </Trans>
      )}
    </Saying>
  );
}

function Waiting({ until }: Omit<Of<'waiting'>, 'delivery'>) {
  return (
    <Saying tone="warn" then={<Trans>It is sent at {absolute(until)} or shortly after.</Trans>}>
      <Trans>
        Its endpoint asked for a pause, which ends in <Countdown to={until} />.
      </Trans>
    </Saying>
  );
}

function Settling({ until }: Omit<Of<'settling'>, 'delivery'>) {
  return (
    <Saying tone="info" then={<Trans>A newer event of its key takes its place until then.</Trans>}>
      <Trans>
        It waits for its key to be quiet, and settles until {absolute(until)}, in <Countdown to={until} />.
      </Trans>
    </Saying>
  );
}

function Queued({ next }: Omit<Of<'queued'>, 'delivery'>) {
  return (
    <Saying tone="info">
      {next === undefined ? (
        <Trans>It is about to be sent.</Trans>
      ) : (
        <Trans>
          Its first attempt is in <Countdown to={next} />.
        </Trans>
      )}
    </Saying>
  );
}

function Ordered({ delivery }: { delivery: Delivery }) {
  const { waitsFor } = delivery;
  const number = waitsFor?.databaseId;
  return waitsFor?.status === 'FAILED' ? (
    <BlockedKey delivery={delivery} failed={waitsFor.databaseId} />
  ) : (
    <Saying tone="info" then={<Trans>Deliveries with the same key are sent one after the other.</Trans>}>
      {number === undefined ? (
        <Trans>It waits for an earlier delivery of its key.</Trans>
      ) : (
        <Trans>
          It waits for{' '}
          <Link to={`/deliveries/${number}`} className="text-accent">
            delivery {number}
          </Link>
          .
        </Trans>
      )}
    </Saying>
  );
}

function Held({ why, delivery: { webhook } }: Of<'held'>) {
  const until = webhook?.holdUntil;
  return (
    <Saying
      tone="warn"
      then={
        <>
          {until && <Trans>It is held until {absolute(until)}, then canceled.</Trans>} <WayOut webhook={webhook} />
        </>
      }
    >
      {
        {
          paused: <Trans>It is held, because its endpoint is paused.</Trans>,
          disabled: <Trans>It is held, because its endpoint is disabled.</Trans>,
          unverified: <Trans>It is held, because its endpoint is not verified.</Trans>,
          kept: <Trans>It is held until you release the held deliveries of its endpoint.</Trans>,
        }[why]
      }
    </Saying>
  );
}

const CANCELED: Record<DeliveryCancelReason, MessageDescriptor> = {
  BY_USER: msg`Someone canceled it. You can send it again.`,
  DISCARDED: msg`The held deliveries of its endpoint were discarded. You can send it again.`,
  EXPIRED: msg`Its storage period ended before it could be sent.`,
  HOLD_EXPIRED: msg`Its endpoint was inactive for longer than deliveries are held. You can send it again once the endpoint is enabled.`,
  SUPERSEDED: msg`A later event of its key took its place.`,
  ERASED: msg`The payload of its event was erased.`,
  MOVED: msg`Its tenant has moved to another cell, which sends it.`,
  WEBHOOK_DELETED: msg`Its endpoint was deleted before it could be sent.`,
};

function Canceled({ reason, delivery: { webhook, supersededBy } }: Of<'canceled'>) {
  const { i18n } = useLingui();
  const why = CANCELED[reason as DeliveryCancelReason];
  const number = supersededBy?.databaseId;
  return (
    <Saying
      tone="info"
      then={
        why && (
          <>
            {i18n._(why)}{' '}
            {number !== undefined && (
              <Link to={`/deliveries/${number}`} className="text-accent">
                <Trans>Open delivery {number}</Trans>
              </Link>
            )}{' '}
            {webhook?.active === false && <WayOut webhook={webhook} />}
          </>
        )
      }
    >
      <Trans>It was canceled.</Trans>
    </Saying>
  );
}

/** The step at the endpoint that lets the delivery go on, or the endpoint for those who may not take it. */
function WayOut({ webhook }: { webhook: Delivery['webhook'] }) {
  const mayEdit = useAllowed('webhooks:edit');
  if (webhook == null) {
    return null;
  }
  const step = webhook.active ? 'release' : 'enable';
  const maySay = mayEdit && webhook.disabledReason !== 'UNVERIFIED';
  return (
    <Link to={`/endpoints/${webhook.databaseId}`} search={maySay ? { do: step } : {}} className="text-accent">
      {!maySay ? (
        <Trans>Open the endpoint</Trans>
      ) : webhook.active ? (
        <Trans>Release held deliveries</Trans>
      ) : (
        <Trans>Enable the endpoint</Trans>
      )}
    </Link>
  );
}

import { Trans, useLingui } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { useQuery, useSubscription } from 'urql';
import type { StreamContext } from '../../../api/live';
import { CopyButton } from '../../../parts/button';
import { endpointLabel } from '../../../parts/cells';
import { OnePage } from '../../../parts/one-page';
import { Card, Fact, Facts } from '../../../parts/page';
import { Link, useAddress } from '../../../parts/place';
import { useReadAgain } from '../../../parts/refresh';
import { Badge, DeliveryBadge } from '../../../parts/status';
import { Time } from '../../../parts/time';
import { Untrusted } from '../../../parts/untrusted';
import { whenWanted } from '../../../parts/when-wanted';
import { DELIVERY_UPDATES } from '../documents';
import { AttemptDetail } from './attempt';
import type { ComparedAttempts } from './compare';
import { DeliveryActions } from './delivery-actions';
import { DeliveryAnswer } from './delivery-answer';
import { DELIVERY, type Delivery } from './documents';
import { Waterfall } from './waterfall';

const CompareAttempts = whenWanted<ComparedAttempts>(() => import('./compare'));

/** One delivery: how it stands, each attempt at it, and what was sent and answered. */
export default function DeliveryScreen() {
  const { t } = useLingui();
  const { number } = useParams({ strict: false }) as { number: string };
  const [{ data, error }, again] = useQuery({ query: DELIVERY, variables: { id: number } });
  const delivery = data?.delivery;
  const { webhookId = null, eventType = null } = delivery ?? {};
  // What happens between the first read and the first update is read then.
  const context = useMemo((): StreamContext => ({ onBegin: () => again() }), [again]);
  useSubscription({
    query: DELIVERY_UPDATES,
    variables: { webhookId, eventType },
    pause: delivery == null,
    context,
  });
  // The one that it waits for may be of another event type.
  useReadAgain(again, delivery?.status === 'WAITING');
  // Updates bring how the delivery stands, not its attempts: those are read when there is another one.
  const isBehind = delivery != null && delivery.attemptCount > (delivery.attempts.at(-1)?.number ?? 0);
  useEffect(() => {
    if (isBehind) {
      again();
    }
  }, [isBehind, again]);
  return (
    <OnePage
      title={t`Delivery ${number}`}
      back={{ to: '/deliveries', name: t`Deliveries` }}
      thing={delivery}
      error={error}
      retry={again}
      head={(one) => ({
        title: `${one.eventType} ${one.databaseId}`,
        badges: (
          <>
            <CopyButton text={String(one.databaseId)} name={t`the number`} />
            <DeliveryBadge status={one.status} attemptCount={one.attemptCount} />
            {one.isCheck && <Badge tone="calm">{t`Check`}</Badge>}
          </>
        ),
        actions: <DeliveryActions delivery={one} />,
      })}
    >
      {(one) => (
        <>
          <DeliveryAnswer delivery={one} />
          <Origin delivery={one} />
          {one.attempts.length > 0 && <Attempts delivery={one} />}
        </>
      )}
    </OnePage>
  );
}

function Origin({ delivery: { webhook, eventId, path, orderingKey, createdAt, finishedAt } }: { delivery: Delivery }) {
  const ended = finishedAt === createdAt ? null : finishedAt;
  return (
    <Card>
      <Facts>
        <Fact name={<Trans>Endpoint</Trans>}>
          {webhook ? (
            <Link to={`/endpoints/${webhook.databaseId}`} className="text-accent">
              <Untrusted text={endpointLabel(webhook)} />
            </Link>
          ) : (
            <span className="text-soft">
              <Trans>deleted</Trans>
            </span>
          )}
        </Fact>
        <Fact name={<Trans>Event</Trans>}>
          <Link to={`/events/${eventId.replace(/^ev_/, '')}`} className="figures text-accent">
            {eventId}
          </Link>
        </Fact>
        {path != null && (
          <Fact name={<Trans>Address below the URL</Trans>}>
            <code className="font-mono text-xs break-all">
              <Untrusted text={path} />
            </code>
          </Fact>
        )}
        {orderingKey && (
          <Fact name={<Trans>Ordering key</Trans>}>
            <code className="font-mono text-xs">
              <Untrusted text={orderingKey} />
            </code>
          </Fact>
        )}
        <Fact name={ended ? <Trans>Created and ended</Trans> : <Trans>Created</Trans>}>
          <Time value={createdAt} absolute />
          {ended && (
            <>
              {' – '}
              <Time value={ended} absolute />
            </>
          )}
        </Fact>
      </Facts>
    </Card>
  );
}

function Attempts({ delivery: { attempts, webhook } }: { delivery: Delivery }) {
  const [address, setAddress] = useAddress();
  const chosen = attempts.find((one) => String(one.number) === address['attempt']) ?? attempts.at(-1)!;
  const other = attempts.find((one) => String(one.number) === address['against']);
  return (
    <>
      <Waterfall
        attempts={attempts}
        chosen={chosen.number}
        onChoose={(attempt) => setAddress({ attempt: String(attempt), against: undefined })}
      />
      {other !== undefined && other !== chosen ? (
        <CompareAttempts wanted first={other} second={chosen} onClose={() => setAddress({ against: undefined })} />
      ) : (
        <AttemptDetail
          attempt={chosen}
          attempts={attempts}
          webhook={webhook}
          onCompare={(against) => setAddress({ attempt: String(chosen.number), against: String(against) })}
        />
      )}
    </>
  );
}

import { Trans, useLingui } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { useQuery, useSubscription } from 'urql';
import type { StreamContext } from '../../../api/live';
import { CopyButton } from '../../../parts/button';
import { Card, Fact, Facts, Failure, PageHead } from '../../../parts/page';
import { Link, useAddress } from '../../../parts/place';
import { DeliveryBadge } from '../../../parts/status';
import { Time } from '../../../parts/time';
import { Untrusted } from '../../../parts/untrusted';
import { DELIVERY, DELIVERY_UPDATES, type Delivery } from '../documents';
import { AttemptDetail } from './attempt';
import { CompareAttempts } from './compare';
import { DeliveryActions } from './delivery-actions';
import { DeliveryAnswer } from './delivery-answer';
import { Waterfall } from './waterfall';

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
  // Updates bring how the delivery stands, not its attempts: those are read when there is another one.
  const isBehind = delivery != null && delivery.attemptCount > (delivery.attempts.at(-1)?.number ?? 0);
  useEffect(() => {
    if (isBehind) {
      again();
    }
  }, [isBehind, again]);
  return (
    <>
      {error && delivery == null && (
        <>
          <PageHead title={t`Delivery`} />
          <Failure error={error} retry={again} />
        </>
      )}
      {delivery != null && <DeliveryPage delivery={delivery} />}
    </>
  );
}

function DeliveryPage({ delivery }: { delivery: Delivery }) {
  const { t } = useLingui();
  const [address, setAddress] = useAddress();
  const { attempts, databaseId, status, attemptCount, eventType, webhook, eventId, createdAt, finishedAt } = delivery;
  const ended = finishedAt === createdAt ? null : finishedAt;
  const chosen = attempts.find((one) => String(one.number) === address['attempt']) ?? attempts.at(-1);
  const other = attempts.find((one) => String(one.number) === address['against']);
  return (
    <>
      <PageHead
        title={eventType}
        back={
          <Link to="/deliveries" className="text-soft">
            <Trans>Deliveries</Trans>
          </Link>
        }
        beside={<DeliveryBadge status={status} attemptCount={attemptCount} />}
        actions={<DeliveryActions delivery={delivery} />}
      />
      <div className="flex flex-col gap-4">
        <DeliveryAnswer delivery={delivery} />
        <Card>
          <div className="grid gap-x-8 gap-y-1.5 lg:grid-cols-2">
            <Facts>
              <Fact name={<Trans>Endpoint</Trans>}>
                {webhook ? (
                  <Link to={`/endpoints/${webhook.databaseId}`} className="text-accent">
                    <Untrusted text={webhook.url} />
                  </Link>
                ) : (
                  <span className="text-soft">{t`deleted`}</span>
                )}
              </Fact>
              <Fact name={<Trans>Event</Trans>}>
                <Link to={`/events/${eventId.replace(/^ev_/, '')}`} className="figures text-accent">
                  {eventId}
                </Link>
              </Fact>
            </Facts>
            <Facts>
              <Fact name={<Trans>Delivery</Trans>}>
                <span className="-my-1.5 flex items-center gap-1">
                  <span className="figures">{databaseId}</span>
                  <CopyButton text={String(databaseId)} name={t`the number`} />
                </span>
              </Fact>
              <Fact name={ended ? <Trans>Created, and ended</Trans> : <Trans>Created</Trans>}>
                <Time value={createdAt} absolute />
                {ended && (
                  <>
                    {' – '}
                    <Time value={ended} absolute />
                  </>
                )}
              </Fact>
            </Facts>
          </div>
        </Card>
        {attempts.length > 0 && chosen !== undefined && (
          <>
            <Waterfall
              attempts={attempts}
              chosen={chosen.number}
              onChoose={(attempt) => setAddress({ attempt: String(attempt), against: undefined })}
            />
            {other !== undefined && other !== chosen ? (
              <CompareAttempts first={other} second={chosen} onClose={() => setAddress({ against: undefined })} />
            ) : (
              <AttemptDetail
                attempt={chosen}
                attempts={attempts}
                webhook={webhook}
                onCompare={(against) => setAddress({ attempt: String(chosen.number), against: String(against) })}
              />
            )}
          </>
        )}
      </div>
    </>
  );
}

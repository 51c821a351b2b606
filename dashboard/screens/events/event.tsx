import { Trans, useLingui } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { useQuery } from 'urql';
import { ERASE } from '../../../src/domain/keys/scopes';
import type { EventRowFragment } from '../../api/generated/graphql';
import { buttonLook, CopyButton } from '../../parts/button';
import { unlessErased } from '../../parts/erased';
import { OnePage } from '../../parts/one-page';
import { Card, Fact, Facts } from '../../parts/page';
import { Link } from '../../parts/place';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { useAllowed } from '../../parts/viewer';
import { EVENT, TYPE_VERSIONS } from './documents';
import { EraseEvent } from './erase-event';
import { EventPayload } from './event-payload';
import { versionAt } from './fan-out';
import { FanOut } from './fan-out-card';

/** One event: where it went and where not, and what was sent. */
export default function EventPage() {
  const { t } = useLingui();
  const { number } = useParams({ strict: false }) as { number: string };
  const [{ data, error }, read] = useQuery({ query: EVENT, variables: { id: number } });
  const seesDeliveries = useAllowed('deliveries:read');
  const seesEndpoints = useAllowed('webhooks:read');
  const mayErase = useAllowed(ERASE);
  return (
    <OnePage
      title={t`Event ${number}`}
      back={{ to: '/events', name: t`Events` }}
      thing={data?.event}
      error={unlessErased(error)}
      retry={read}
      head={({ eventType, id, erasedAt }) => ({
        title: eventType,
        badges: (
          <span className="inline-flex items-center gap-1 font-mono text-sm font-normal tracking-normal text-soft">
            {id}
            <CopyButton text={id} name={id} />
          </span>
        ),
        actions: (
          <>
            {seesDeliveries && (
              <Link to="/deliveries" search={{ event: number, range: '30d' }} className={buttonLook()}>
                <Trans>View deliveries</Trans>
              </Link>
            )}
            {mayErase && erasedAt == null && <EraseEvent id={id} />}
          </>
        ),
      })}
    >
      {(event) => (
        <>
          {seesDeliveries && seesEndpoints && <FanOut event={event} />}
          <Card title={<Trans>Payload</Trans>}>
            <EventPayload body={event.body} erasedAt={event.erasedAt} />
          </Card>
          <Card title={<Trans>Details</Trans>}>
            <AboutEvent event={event} seesEndpoints={seesEndpoints} />
          </Card>
        </>
      )}
    </OnePage>
  );
}

function AboutEvent({ event, seesEndpoints }: { event: EventRowFragment; seesEndpoints: boolean }) {
  const [{ data }] = useQuery({
    query: TYPE_VERSIONS,
    variables: { name: event.eventType },
    pause: !seesEndpoints,
  });
  const version = data?.eventType && versionAt(data.eventType.versions, event.createdAt);
  return (
    <Facts>
      <Fact name={<Trans>Type</Trans>}>
        <Link to={`/catalogue/${event.eventType}`} className="text-accent">
          <Untrusted text={event.eventType} />
        </Link>
      </Fact>
      <Fact name={<Trans>Accepted</Trans>}>
        <Time value={event.createdAt} absolute />
      </Fact>
      {version && (
        <Fact name={<Trans>Schema</Trans>}>
          <Link to={`/catalogue/${event.eventType}`} search={{ version: String(version) }} className="text-accent">
            <Trans>version {version}</Trans>
          </Link>
        </Fact>
      )}
      {event.onlyWebhookId && (
        <Fact name={<Trans>Only for</Trans>}>
          <Link to={`/endpoints/${event.onlyWebhookId.replace(/^wh_/, '')}`} className="text-accent">
            {event.onlyWebhookId}
          </Link>
        </Fact>
      )}
    </Facts>
  );
}

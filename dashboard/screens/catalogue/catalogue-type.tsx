import { Trans, useLingui } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { CalendarClock, Send } from 'lucide-react';
import { useQuery } from 'urql';
import { INSTALLATION_TENANT } from '../../../src/domain/installation/installation-tenant';
import type { EventTypeQuery } from '../../api/generated/graphql';
import { Button, buttonLook } from '../../parts/button';
import { JsonView } from '../../parts/json-view';
import { OnePage } from '../../parts/one-page';
import { Answer, Card } from '../../parts/page';
import { Link, useAddress } from '../../parts/place';
import { SchemaCard } from '../../parts/schema/schema-card';
import { skeletonOf } from '../../parts/schema/schema-properties';
import { Time } from '../../parts/time';
import { useAllowed, useViewer } from '../../parts/viewer';
import { EVENT_TYPE } from '../event-types/documents';
import { EventTypeBadge } from '../event-types/event-type-badge';
import { TypeDescription } from '../event-types/type-description';
import { EmitDialog } from './emit-dialog';
import { HowToRegister } from './how-to-register';
import { SendSample } from './send-sample';
import { SnippetsCard } from './snippets-card';
import { Subscribers } from './subscribers';

type Type = NonNullable<EventTypeQuery['eventType']>;

/** One event type: when it happens, what its payload has, who gets it, and a try. */
export default function CatalogueType() {
  const { t } = useLingui();
  const { name } = useParams({ strict: false }) as { name: string };
  const [{ data, error }, read] = useQuery({ query: EVENT_TYPE, variables: { name } });
  const seesEvents = useAllowed('events:read');
  const mayEmit = useMayEmit();
  return (
    <OnePage
      title={name}
      back={{ to: '/catalogue', name: t`Event catalogue` }}
      thing={data?.eventType}
      error={error}
      retry={read}
      missing={<HowToRegister />}
      head={(type) => ({
        badges: <EventTypeBadge {...type} />,
        actions: (
          <>
            {seesEvents && (
              <Link to="/events" search={{ type: name }} className={buttonLook()}>
                <Trans>View events</Trans>
              </Link>
            )}
            {mayEmit(type) && <EmitActions type={type} />}
          </>
        ),
      })}
    >
      {(type) => <Contents key={name} type={type} />}
    </OnePage>
  );
}

/** Whether the page's caller may emit events of a type for this tenant. */
function useMayEmit() {
  const { tenant } = useViewer();
  const mayEmit = useAllowed('events:emit') && tenant?.databaseId !== INSTALLATION_TENANT;
  return ({ reserved, deprecatedAt }: Type) => mayEmit && !reserved && deprecatedAt == null;
}

const sampleOf = ({ samplePayload, schema }: Type): string =>
  JSON.stringify(samplePayload ?? skeletonOf(schema), null, 2);

function EmitActions({ type }: { type: Type }) {
  const [address, setAddress] = useAddress();
  const asked = address['do'];
  const close = () => setAddress({ do: undefined }, { replace: true });
  return (
    <>
      <Button icon={<CalendarClock />} onClick={() => setAddress({ do: 'schedule' }, { replace: true })}>
        <Trans>Schedule</Trans>
      </Button>
      <Button look="primary" icon={<Send />} onClick={() => setAddress({ do: 'emit' }, { replace: true })}>
        <Trans>Emit</Trans>
      </Button>
      {(asked === 'emit' || asked === 'schedule') && (
        <EmitDialog eventType={type.name} sample={sampleOf(type)} later={asked === 'schedule'} onClose={close} />
      )}
    </>
  );
}

function Contents({ type }: { type: Type }) {
  const { t } = useLingui();
  const mayTest = useAllowed('webhooks:test');
  const isSample = type.samplePayload != null;
  const sample = sampleOf(type);
  return (
    <>
      <p className="max-w-3xl text-soft">
        <TypeDescription {...type} />
      </p>
      {type.deprecatedAt != null && (
        <Answer tone="warn">
          <Trans>
            This event type is deprecated. Its events are refused since <Time value={type.deprecatedAt} absolute />.
          </Trans>
        </Answer>
      )}
      <SchemaCard versions={type.versions} />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          {!mayTest && isSample && (
            <Card title={<Trans>Sample payload</Trans>}>
              <JsonView text={sample} name={t`sample`} />
            </Card>
          )}
          {mayTest && <SendSample type={type} sample={sample} fits={isSample} />}
        </div>
        <SnippetsCard type={type} sample={sample} />
      </div>
      <Subscribers name={type.name} />
    </>
  );
}

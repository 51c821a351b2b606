import { Trans, useLingui } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { useQuery } from 'urql';
import type { EventTypeQuery } from '../../api/generated/graphql';
import { buttonLook } from '../../parts/button';
import { JsonView } from '../../parts/json-view';
import { OnePage } from '../../parts/one-page';
import { Answer, Card } from '../../parts/page';
import { Link } from '../../parts/place';
import { SchemaCard } from '../../parts/schema/schema-card';
import { skeletonOf } from '../../parts/schema/schema-properties';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { useAllowed } from '../../parts/viewer';
import { EVENT_TYPE } from '../event-types/documents';
import { EventTypeBadge } from '../event-types/event-type-badge';
import { HowToRegister } from './how-to-register';
import { SendSample } from './send-sample';
import { SnippetsCard } from './snippets-card';
import { Subscribers } from './subscribers';

/** One event type: when it happens, what its payload has, who gets it, and a try. */
export default function CatalogueType() {
  const { t } = useLingui();
  const { name } = useParams({ strict: false }) as { name: string };
  const [{ data, error }, read] = useQuery({ query: EVENT_TYPE, variables: { name } });
  const seesEvents = useAllowed('events:read');
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
        actions: seesEvents && (
          <Link to="/events" search={{ type: name }} className={buttonLook()}>
            <Trans>Its events</Trans>
          </Link>
        ),
      })}
    >
      {(type) => <Contents key={name} type={type} />}
    </OnePage>
  );
}

function Contents({ type }: { type: NonNullable<EventTypeQuery['eventType']> }) {
  const { t } = useLingui();
  const mayTest = useAllowed('webhooks:test');
  const isSample = type.samplePayload != null;
  const sample = JSON.stringify(type.samplePayload ?? skeletonOf(type.schema), null, 2);
  return (
    <>
      <p className="max-w-3xl text-soft">
        <Untrusted text={type.description} />
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

import { Trans, useLingui } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { Pencil } from 'lucide-react';
import { useQuery } from 'urql';
import type { EventTypeQuery } from '../../api/generated/graphql';
import { buttonLook } from '../../parts/button';
import { JsonView } from '../../parts/json-view';
import { OnePage } from '../../parts/one-page';
import { Answer, Card } from '../../parts/page';
import { Link } from '../../parts/place';
import { SchemaCard } from '../../parts/schema/schema-card';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { useAllowed } from '../../parts/viewer';
import { ConverterCard } from './converter-card';
import { Deprecate } from './deprecate';
import { EVENT_TYPE } from './documents';
import { EventTypeBadge } from './event-type-badge';
import { GoBack } from './go-back';
import { Hide } from './hide';
import { UsageCard } from './usage-card';

/** One event type: when it happens, its schema in each version, a sample. */
export default function EventTypePage() {
  const { t } = useLingui();
  const { name } = useParams({ strict: false }) as { name: string };
  const [{ data, error }, again] = useQuery({ query: EVENT_TYPE, variables: { name } });
  const mayChange = useAllowed('platform:admin');
  return (
    <OnePage
      title={name}
      back={{ to: '/event-types', name: t`Event types` }}
      thing={data?.eventType}
      error={error}
      retry={again}
      head={(type) => ({
        badges: <EventTypeBadge {...type} />,
        actions: !type.reserved && mayChange && (
          <>
            <GoBack name={name} versions={type.versions} />
            <Hide name={name} hidden={type.hiddenAt != null} />
            <Deprecate name={name} deprecated={type.deprecatedAt != null} />
            <Link to={`/event-types/${name}/edit`} className={buttonLook('primary')}>
              <Pencil aria-hidden />
              <Trans>Change</Trans>
            </Link>
          </>
        ),
      })}
    >
      {(type) => <Contents type={type} />}
    </OnePage>
  );
}

function Contents({ type }: { type: NonNullable<EventTypeQuery['eventType']> }) {
  const { t } = useLingui();
  return (
    <>
      <p className="max-w-3xl text-soft">
        <Untrusted text={type.description} />
      </p>
      {type.deprecatedAt != null && (
        <Answer tone="warn">
          <Trans>
            New events of this type are refused since <Time value={type.deprecatedAt} absolute />. Earlier events are
            still delivered.
          </Trans>
        </Answer>
      )}
      {type.hiddenAt != null && (
        <Answer tone="info">
          <Trans>
            Hidden since <Time value={type.hiddenAt} absolute />. Only tenants whose endpoints name the type see it.
          </Trans>
        </Answer>
      )}
      {type.reserved && (
        <Answer tone="info">
          <Trans>Only the service emits events of this type, so you cannot change it.</Trans>
        </Answer>
      )}
      <div className="grid items-start gap-4 2xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <SchemaCard versions={type.versions} />
        <div className="flex min-w-0 flex-col gap-4">
          <ConverterCard name={type.name} versions={type.versions} />
          <Card title={<Trans>Sample</Trans>}>
            {type.samplePayload == null ? (
              <p className="text-sm text-soft">
                <Trans>No sample fits the schema. Add “examples” to the schema.</Trans>
              </p>
            ) : (
              <JsonView text={JSON.stringify(type.samplePayload, null, 2)} name={t`sample`} />
            )}
          </Card>
          <UsageCard name={type.name} />
        </div>
      </div>
    </>
  );
}

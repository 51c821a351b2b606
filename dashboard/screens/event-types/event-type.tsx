import { Trans, useLingui } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { Pencil } from 'lucide-react';
import { useQuery } from 'urql';
import { buttonLook } from '../../parts/button';
import { JsonView } from '../../parts/json-view';
import { Answer, Card, Failure, PageHead } from '../../parts/page';
import { Link } from '../../parts/place';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { useAllowed } from '../../parts/viewer';
import { SchemaCard } from '../catalogue/schema-card';
import { Deprecate } from './deprecate';
import { EVENT_TYPE } from './documents';
import { EventTypeBadge } from './event-type-badge';
import { UsageCard } from './usage-card';

/** One event type: when it happens, its schema in each version, a sample. */
export default function EventTypePage() {
  const { t } = useLingui();
  const { name } = useParams({ strict: false }) as { name: string };
  const [{ data, error }, again] = useQuery({ query: EVENT_TYPE, variables: { name } });
  const type = data?.eventType;
  const mayChange = useAllowed('platform:admin');
  return (
    <>
      <PageHead
        title={name}
        beside={type && <EventTypeBadge {...type} />}
        back={
          <Link to="/event-types">
            <Trans>Event types</Trans>
          </Link>
        }
        actions={
          type &&
          !type.reserved &&
          mayChange && (
            <>
              <Deprecate name={name} deprecated={type.deprecatedAt != null} />
              <Link to={`/event-types/${name}/edit`} className={buttonLook('primary')}>
                <Pencil aria-hidden />
                <Trans>Change</Trans>
              </Link>
            </>
          )
        }
      />
      {error && <Failure error={error} retry={again} />}
      {type && (
        <div className="flex flex-col gap-4">
          <p className="max-w-3xl text-soft">
            <Untrusted text={type.description} />
          </p>
          {type.deprecatedAt != null && (
            <Answer tone="warn">
              <Trans>
                Events of this type are refused since <Time value={type.deprecatedAt} absolute />. What was accepted
                before is still delivered.
              </Trans>
            </Answer>
          )}
          {type.reserved && (
            <Answer tone="info">
              <Trans>Only the service itself emits events of this type, so it cannot be changed.</Trans>
            </Answer>
          )}
          <div className="grid items-start gap-4 2xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
            <SchemaCard versions={type.versions} />
            <div className="flex min-w-0 flex-col gap-4">
              <UsageCard name={name} />
              <Card title={<Trans>Sample</Trans>}>
                {type.samplePayload == null ? (
                  <p className="text-sm text-soft">
                    <Trans>No payload was found that fits the schema. “examples” in the schema help.</Trans>
                  </p>
                ) : (
                  <JsonView text={JSON.stringify(type.samplePayload, null, 2)} name={t`sample`} />
                )}
              </Card>
            </div>
          </div>
        </div>
      )}
    </>
  );
}

import { Trans, useLingui } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { Pencil } from 'lucide-react';
import { useQuery } from 'urql';
import type { EventTypeQuery } from '../../api/generated/graphql';
import { buttonLook } from '../../parts/button';
import { JsonView } from '../../parts/json-view';
import { Answer, Card, Failure, PageHead } from '../../parts/page';
import { Link, useAddress } from '../../parts/place';
import { Segments } from '../../parts/segments';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { Deprecate } from './deprecate';
import { EVENT_TYPE } from './documents';
import { EventTypeBadge } from './event-type-badge';

type Type = NonNullable<EventTypeQuery['eventType']>;

/** One event type: when it happens, its schema in each version, a sample. */
export default function EventTypePage() {
  const { t } = useLingui();
  const { name } = useParams({ strict: false }) as { name: string };
  const [{ data, error }, again] = useQuery({ query: EVENT_TYPE, variables: { name } });
  const type = data?.eventType;
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
          !type.reserved && (
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
                Events of this type are refused since <Time value={type.deprecatedAt} absolute />. What was
                accepted before is still delivered.
              </Trans>
            </Answer>
          )}
          {type.reserved && (
            <Answer tone="info">
              <Trans>Only the service itself emits events of this type, so it cannot be changed.</Trans>
            </Answer>
          )}
          <div className="grid items-start gap-4 xl:grid-cols-2">
            <Schemas type={type} />
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
      )}
    </>
  );
}

function Schemas({ type: { name, versions } }: { type: Type }) {
  const { t } = useLingui();
  const [address, setAddress] = useAddress();
  const [newest] = versions;
  const shown = versions.find(({ version }) => String(version) === address['version']) ?? newest;
  if (shown === undefined) {
    return null;
  }
  return (
    <Card
      title={<Trans>Schema</Trans>}
      actions={
        versions.length > 1 && (
          <Segments
            label={t`Version`}
            value={String(shown.version)}
            onChange={(version) =>
              setAddress({ version: version === String(newest?.version) ? undefined : version })
            }
            options={versions.slice(0, 8).map(({ version }) => ({
              value: String(version),
              name: t`v${version}`,
            }))}
          />
        )
      }
    >
      <p className="mb-2 text-xs text-soft">
        <Trans>
          Version {shown.version}, since <Time value={shown.createdAt} absolute />
        </Trans>
      </p>
      <JsonView
        key={`${name} ${shown.version}`}
        text={JSON.stringify(shown.schema, null, 2)}
        name={t`schema`}
      />
    </Card>
  );
}

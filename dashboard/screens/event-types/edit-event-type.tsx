import { Trans, useLingui } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { useQuery } from 'urql';
import type { ConverterStepInput, EventTypeWholeFragment } from '../../api/generated/graphql';
import { OnePage } from '../../parts/one-page';
import { Card } from '../../parts/page';
import { useGo } from '../../parts/place';
import { SchemaChanges } from '../../parts/schema/schema-changes';
import { notify } from '../../parts/toast';
import { EVENT_TYPE } from './documents';
import { EventTypeForm } from './event-type-form';
import { isOtherSchema, useSchemaChange } from './schema-change';
import { SchemaImpact } from './schema-impact';

/** Changes an event type: another schema is a new version. */
export default function EditEventType() {
  const { t } = useLingui();
  const go = useGo();
  const { name } = useParams({ strict: false }) as { name: string };
  const [{ data, error: unread }, again] = useQuery({ query: EVENT_TYPE, variables: { name } });
  const change = useSchemaChange(name);
  const type = data?.eventType;
  const newest = type?.versions[0];
  return (
    <OnePage
      title={t`Change ${name}`}
      back={{ to: `/event-types/${name}`, name }}
      thing={type}
      error={unread}
      retry={again}
    >
      {(type) => (
        <EventTypeForm
          key={type.version}
          fixed={name}
          usual={type}
          action={t`Save`}
          leave={`/event-types/${name}`}
          busyText={t`Checking …`}
          save={({ description, schema, converter }) =>
            change.save({
              description,
              ...(isOtherSchema(schema, type.schema) ? { schema } : {}),
              ...(converter === undefined ? {} : { converter: converter as ConverterStepInput[] }),
            })
          }
          decision={({ schema, converter }) => {
            const impact = change.impactOf(schema, converter);
            return (
              impact && {
                shown: <SchemaImpact impact={impact} />,
                action: impact.breaks ? t`Save the breaking change` : t`Save all the same`,
              }
            );
          }}
          saved={({ updateEventType: { eventType } }) => {
            const { version } = eventType;
            notify(version === type.version ? t`The description is changed.` : t`Version ${version} is in use.`);
            go(`/event-types/${name}`);
          }}
        >
          {(schema) => newest && isOtherSchema(schema, newest.schema) && <Changes newest={newest} schema={schema} />}
        </EventTypeForm>
      )}
    </OnePage>
  );
}

/** The changes of the schema in the editor, as receivers of payloads see them. */
function Changes({
  newest,
  schema,
}: {
  newest: EventTypeWholeFragment['versions'][number];
  schema: Record<string, unknown>;
}) {
  const version = newest.version + 1;
  return (
    <Card flush title={<Trans>What version {version} changes</Trans>}>
      <SchemaChanges before={newest} after={{ ...newest, version, schema }} />
    </Card>
  );
}

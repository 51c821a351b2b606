import { Trans, useLingui } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { useMutation, useQuery } from 'urql';
import type { EventTypeWholeFragment } from '../../api/generated/graphql';
import { OnePage } from '../../parts/one-page';
import { Card } from '../../parts/page';
import { useGo } from '../../parts/place';
import { notify } from '../../parts/toast';
import { SchemaChanges } from '../catalogue/schema-changes';
import { EVENT_TYPE, UPDATE_EVENT_TYPE } from './documents';
import { EventTypeForm } from './event-type-form';

/** Changes an event type: another schema is a new version. */
export default function EditEventType() {
  const { t } = useLingui();
  const go = useGo();
  const { name } = useParams({ strict: false }) as { name: string };
  const [{ data, error: unread }, again] = useQuery({ query: EVENT_TYPE, variables: { name } });
  const [, update] = useMutation(UPDATE_EVENT_TYPE);
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
          save={({ description, schema }) =>
            update({ name, description, ...(isOther(schema, type.schema) ? { schema } : {}) })
          }
          saved={({ updateEventType: { eventType } }) => {
            const { version } = eventType;
            notify(version === type.version ? t`The description is changed.` : t`Version ${version} is in use.`);
            go(`/event-types/${name}`);
          }}
        >
          {(schema) => newest && isOther(schema, newest.schema) && <Changes newest={newest} schema={schema} />}
        </EventTypeForm>
      )}
    </OnePage>
  );
}

const isOther = (schema: object, before: object | undefined) => JSON.stringify(schema) !== JSON.stringify(before);

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

import type pg from 'pg';
import { type Database, query } from '../../database/database.js';
import { tenantTransaction } from '../../database/tenant-database.js';
import { textFieldsOf } from '../../domain/event-schemas/event-schema.js';
import { samplePayload } from '../../domain/event-schemas/sample-payload.js';
import { BUILT_IN_EVENT_TYPES, isEventTypeName, isOwnEventTypeName } from '../../domain/event-type.js';
import { ApiError, invalidInput, notFound } from '../../errors.js';
import { compileEventSchema } from '../../event-schemas/compile-event-schema.js';
import { lockFor } from '../advisory-lock.js';
import { type Actor, about, audit } from '../audit.js';

/** So that every process can keep all of them in memory. */
export const REGISTERED_TYPES_MAX = 500;

type Schema = Record<string, unknown>;

/** An event type to register. Its schema is one that `schemaIssues` finds no fault with. */
interface NewEventType {
  name: string;
  description: string;
  schema: Schema;
}

/**
 * @throws ApiError name_taken; event_type_limit_reached; invalid_input for a name of the service's own
 */
export async function registerEventType(
  db: Pick<Database, 'pool'>,
  { name, description, schema }: NewEventType,
  by: Actor,
): Promise<void> {
  const { text, fields, sample } = columnsOf(schema);
  await tenantTransaction(db.pool, null, async (client, withCommit) => {
    // Two at once could each count one below the limit.
    await lockFor(client, 'event-types');
    const [counted] = await query<{ types: number }>(
      client,
      { name: 'count_event_types', text: 'select count(*)::integer as types from hookwright.event_types' },
      [],
    );
    if (counted!.types >= REGISTERED_TYPES_MAX) {
      throw new ApiError(
        'event_type_limit_reached',
        `There are ${REGISTERED_TYPES_MAX} event types, and there cannot be more.`,
      );
    }
    const inserted = await query(
      client,
      {
        name: 'register_event_type',
        text: `insert into hookwright.event_types (name, description, schema, text_fields, sample_payload)
               values ($1, $2, $3, $4, $5) on conflict do nothing returning name`,
      },
      [name, description, text, fields, sample],
    );
    if (inserted.length === 0) {
      throw new ApiError('name_taken', `There is an event type ${name} already.`);
    }
    // Only now: that the name is taken, as the service's own are, is the better answer.
    if (isOwnEventTypeName(name)) {
      const detail = `must not begin with webhook. or delivery.: events of these families are the service's own`;
      throw invalidInput([{ path: ['input', 'name'], code: 'event_type_reserved', detail }]);
    }
    const after = { description, schema, version: 1 };
    withCommit(
      audit(client, by, { ...about('EVENT_TYPE', null, name), action: 'EVENT_TYPE_REGISTERED', after }),
    );
  });
}

interface Row {
  description: string;
  schema: string;
  version: number;
  reserved: boolean;
  deprecated: boolean;
}

/**
 * Changes the description, the schema or both. Another schema is another version; the same one changes nothing.
 *
 * @throws ApiError not_found; invalid_input for the schema of a built-in type
 */
export async function updateEventType(
  db: Pick<Database, 'pool'>,
  {
    name,
    description,
    schema,
  }: { name: string; description?: string | undefined; schema?: Schema | undefined },
  by: Actor,
): Promise<void> {
  await changeEventType(db, name, async (client, row) => {
    const next = { description: description ?? row.description, schema: row.schema };
    if (schema !== undefined) {
      next.schema = JSON.stringify(schema);
    }
    const newSchema = next.schema !== row.schema;
    if (newSchema && BUILT_IN_EVENT_TYPES.includes(name)) {
      const detail = 'cannot be changed: the interface that integrators rely on defines it';
      throw invalidInput([{ path: ['input', 'schema'], code: 'event_type_built_in', detail }]);
    }
    if (!newSchema && next.description === row.description) {
      return;
    }
    const { fields, sample } = columnsOf(JSON.parse(next.schema));
    await query(
      client,
      {
        name: 'update_event_type',
        text: `update hookwright.event_types
               set description = $2, schema = $3, text_fields = $4, sample_payload = $5 where name = $1`,
      },
      [name, next.description, next.schema, fields, sample],
    );
    const shown = (state: typeof next, version: number) => ({
      ...(next.description === row.description ? {} : { description: state.description }),
      ...(newSchema ? { version, schema: JSON.parse(state.schema) } : {}),
    });
    await audit(client, by, {
      ...about('EVENT_TYPE', null, name),
      action: 'EVENT_TYPE_UPDATED',
      before: shown(row, row.version),
      after: shown(next, row.version + 1),
    });
  });
}

/**
 * From now on the type is refused at every emit, or accepted again. Webhooks may still name it, and what was emitted
 * goes on.
 *
 * @throws ApiError not_found
 */
export async function deprecateEventType(
  db: Pick<Database, 'pool'>,
  { name, deprecated }: { name: string; deprecated: boolean },
  by: Actor,
): Promise<void> {
  await changeEventType(db, name, async (client, row) => {
    if (row.deprecated === deprecated) {
      return;
    }
    await query(
      client,
      {
        name: 'deprecate_event_type',
        text: `update hookwright.event_types set deprecated_at = case when $2 then now() end where name = $1`,
      },
      [name, deprecated],
    );
    const states = { before: { deprecated: row.deprecated }, after: { deprecated } };
    await audit(client, by, {
      ...about('EVENT_TYPE', null, name),
      action: 'EVENT_TYPE_DEPRECATED',
      ...states,
    });
  });
}

async function changeEventType(
  db: Pick<Database, 'pool'>,
  name: string,
  change: (client: pg.PoolClient, row: Row) => Promise<void>,
): Promise<void> {
  if (!isEventTypeName(name)) {
    throw unknownEventType(); // nor would Postgres take every text for a value
  }
  await tenantTransaction(db.pool, null, async (client) => {
    const [row] = await query<Row>(
      client,
      {
        name: 'lock_event_type',
        text: `select description, schema, version, reserved, deprecated_at is not null as deprecated
               from hookwright.event_types where name = $1 for update`,
      },
      [name],
    );
    if (row === undefined) {
      throw unknownEventType();
    }
    if (row.reserved) {
      const detail = 'belongs to the service itself and cannot be changed';
      throw invalidInput([{ path: ['input', 'name'], code: 'event_type_reserved', detail }]);
    }
    await change(client, row);
  });
}

/** The name is not repeated: it may have any length. */
export const unknownEventType = () => notFound('event type', 'of this name');

/** What is stored of a schema. */
function columnsOf(schema: Schema): { text: string; fields: string[] | null; sample: string | null } {
  const text = JSON.stringify(schema);
  const sample = samplePayload(schema, compileEventSchema(text));
  return { text, fields: textFieldsOf(schema), sample: sample === null ? null : JSON.stringify(sample) };
}

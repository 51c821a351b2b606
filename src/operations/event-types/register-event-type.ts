import { LockMode } from '@mikro-orm/postgresql';
import { BUILT_IN_EVENT_TYPES, isEventTypeName, isOwnEventTypeName } from '../../domain/events/event-type.js';
import { samplePayload } from '../../domain/schema-rules/sample-payload.js';
import { textFieldsOf } from '../../domain/schema-rules/text-fields.js';
import { EventType } from '../../entities/event-type.js';
import { ApiError, notFound, refusedInput } from '../../errors.js';
import type { HasOrm } from '../../platform/database/database.js';
import { compileEventSchema } from '../../platform/payload-checks/payload-check.js';
import { lockFor } from '../rows/advisory-lock.js';
import { type Actor, about, audit, differences } from '../rows/audit.js';
import { managementTransaction, type UnitOfWork } from '../rows/unit-of-work.js';

/** Every process keeps all of them in memory. */
export const REGISTERED_TYPES_MAX = 500;

type Schema = Record<string, unknown>;

interface NewEventType {
  name: string;
  description: string;
  /** One that `schemaIssues` finds no fault with. */
  schema: Schema;
}

/** @throws ApiError name_taken; event_type_limit_reached; invalid_input for a name of the service's own */
export async function registerEventType(
  db: HasOrm,
  { name, description, schema }: NewEventType,
  by: Actor,
): Promise<void> {
  await managementTransaction(db, null, async ({ em, sql }) => {
    // Two at once could each count one below the limit, or both find that the name is free.
    await lockFor(sql, 'event-types');
    if ((await em.count(EventType)) >= REGISTERED_TYPES_MAX) {
      const detail = `There are ${REGISTERED_TYPES_MAX} event types, and there cannot be more.`;
      throw new ApiError('event_type_limit_reached', detail);
    }
    if ((await em.findOne(EventType, { name }, { fields: ['name'] })) !== null) {
      throw new ApiError('name_taken', `There is an event type ${name} already.`);
    }
    // Only now: that the name is taken, as the service's own are, is the better answer.
    if (isOwnEventTypeName(name)) {
      const detail = `must not begin with webhook. or delivery.: events of these families are the service's own`;
      throw refusedInput(['name'], 'event_type_reserved', detail);
    }
    em.create(EventType, { name, description, ...columnsOf(schema) });
    const after = { description, schema, version: 1 };
    audit(em, by, { ...about('EVENT_TYPE', null, name), action: 'EVENT_TYPE_REGISTERED', after });
  });
}

/**
 * Changes the description, the schema or both. Another schema is another version; the same one changes nothing.
 *
 * @param options.dryRun changes nothing, and throws what the change would throw
 * @throws ApiError not_found; invalid_input for the schema of a built-in type
 */
export async function updateEventType(
  db: HasOrm,
  { name, description, schema }: { name: string; description?: string | undefined; schema?: Schema | undefined },
  by: Actor,
  { dryRun = false } = {},
): Promise<void> {
  await changeEventType(db, name, ({ em }, type) => {
    const shown = () => ({ description: type.description, schema: JSON.parse(type.schema) as Schema });
    const before = shown();
    const columns = schema === undefined ? null : columnsOf(schema);
    const newSchema = columns !== null && columns.schema !== type.schema;
    if (newSchema && BUILT_IN_EVENT_TYPES.includes(name)) {
      const detail = 'cannot be changed: the interface that integrators rely on defines it';
      throw refusedInput(['schema'], 'event_type_built_in', detail);
    }
    if (dryRun) {
      return;
    }
    const { version } = type;
    em.assign(type, { ...(newSchema ? columns : {}), ...(description === undefined ? {} : { description }) });
    const changed = differences({ version, ...before }, { version: version + (newSchema ? 1 : 0), ...shown() });
    if (changed !== null) {
      audit(em, by, { ...about('EVENT_TYPE', null, name), action: 'EVENT_TYPE_UPDATED', ...changed });
    }
  });
}

/**
 * Makes every emit of the type refused, or accepted again. Webhooks may still name it, and its deliveries go on.
 *
 * @throws ApiError not_found
 */
export async function deprecateEventType(
  db: HasOrm,
  { name, deprecated }: { name: string; deprecated: boolean },
  by: Actor,
): Promise<void> {
  await changeEventType(db, name, ({ em, now }, type) => {
    const before = { deprecated: type.deprecatedAt !== null };
    if (before.deprecated === deprecated) {
      return;
    }
    type.deprecatedAt = deprecated ? now : null;
    const change = { before, after: { deprecated } };
    audit(em, by, { ...about('EVENT_TYPE', null, name), action: 'EVENT_TYPE_DEPRECATED', ...change });
  });
}

/**
 * Leaves the type out of lists of event types for tenants whose webhooks do not name it, or lists it again. Nothing
 * else changes: it can be emitted and subscribed to.
 *
 * @throws ApiError not_found
 */
export async function hideEventType(
  db: HasOrm,
  { name, hidden }: { name: string; hidden: boolean },
  by: Actor,
): Promise<void> {
  await changeEventType(db, name, ({ em, now }, type) => {
    const before = { hidden: type.hiddenAt !== null };
    if (before.hidden === hidden) {
      return;
    }
    type.hiddenAt = hidden ? now : null;
    audit(em, by, { ...about('EVENT_TYPE', null, name), action: 'EVENT_TYPE_HIDDEN', before, after: { hidden } });
  });
}

/** @param change of the type, whose row is locked */
async function changeEventType(
  db: HasOrm,
  name: string,
  change: (unit: UnitOfWork, type: EventType) => void,
): Promise<void> {
  if (!isEventTypeName(name)) {
    throw unknownEventType(); // nor would Postgres take every text for a value
  }
  await managementTransaction(db, null, async (unit) => {
    const type = await unit.em.findOne(EventType, { name }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (type === null) {
      throw unknownEventType();
    }
    if (type.reserved) {
      const detail = 'belongs to the service itself and cannot be changed';
      throw refusedInput(['name'], 'event_type_reserved', detail);
    }
    change(unit, type);
  });
}

/** The name is not repeated: it may have any length. */
export const unknownEventType = () => notFound('event type', 'of this name');

function columnsOf(schema: Schema): Pick<EventType, 'schema' | 'textFields' | 'samplePayload'> {
  const text = JSON.stringify(schema);
  const sample = samplePayload(schema, compileEventSchema(text));
  return {
    schema: text,
    textFields: textFieldsOf(schema),
    samplePayload: sample === null ? null : JSON.stringify(sample),
  };
}

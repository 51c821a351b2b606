import { LockMode } from '@mikro-orm/postgresql';
import type { Converter } from '../../domain/content/converter.js';
import { BUILT_IN_EVENT_TYPES, isEventTypeName, isOwnEventTypeName } from '../../domain/events/event-type.js';
import { samplePayload } from '../../domain/schema-rules/sample-payload.js';
import { textFieldsOf } from '../../domain/schema-rules/text-fields.js';
import { EventType } from '../../entities/event-type.js';
import { ApiError, notFound, type Path, refusedInput } from '../../errors.js';
import { type HasOrm, query, type SqlTarget, type Statement } from '../../platform/database/database.js';
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

interface ChangedEventType {
  name: string;
  description?: string | undefined;
  schema?: Schema | undefined;
  /** The converter of a new schema, with the version that it was proved for: the one before. */
  proved?: { converter: Converter; version: number } | undefined;
}

/**
 * Changes the description, the schema or both. Another schema is another version; the same one changes nothing.
 *
 * @param options.dryRun changes nothing, and throws what the change would throw
 * @throws ApiError not_found; invalid_input for the schema of a built-in type, or a converter without another schema;
 *   precondition_failed when the schema is another one than the converter was proved for
 */
export async function updateEventType(
  db: HasOrm,
  { name, description, schema, proved }: ChangedEventType,
  by: Actor,
  { dryRun = false } = {},
): Promise<void> {
  await changeEventType(db, name, async ({ em, sql }, type) => {
    const shown = () => ({ description: type.description, schema: JSON.parse(type.schema) as Schema });
    const before = shown();
    const columns = schema === undefined ? null : columnsOf(schema);
    const newSchema = columns !== null && columns.schema !== type.schema;
    if (newSchema) {
      requireOwnSchema(type, ['schema']);
    }
    if (proved !== undefined) {
      requireProvedFor(type, proved.version, newSchema);
    }
    if (dryRun) {
      return;
    }
    const { version } = type;
    em.assign(type, { ...(newSchema ? columns : {}), ...(description === undefined ? {} : { description }) });
    const changed = differences({ version, ...before }, { version: version + (newSchema ? 1 : 0), ...shown() });
    if (changed !== null) {
      const converter = proved === undefined ? {} : { converter: proved.converter };
      const change = { ...changed, after: { ...changed.after, ...converter } };
      audit(em, by, { ...about('EVENT_TYPE', null, name), action: 'EVENT_TYPE_UPDATED', ...change });
    }
    if (proved !== undefined) {
      await em.flush(); // the version comes first
      await setConverter(sql, { name, version: version + 1, converter: proved.converter, later: false });
    }
  });
}

/** @throws ApiError invalid_input, precondition_failed */
function requireProvedFor({ name, version }: EventType, proved: number, isNewSchema: boolean): void {
  if (!isNewSchema) {
    const detail = 'belongs to a new schema, and this is the present one: addConverter adds it to a version';
    throw refusedInput(['converter'], 'schema_unchanged', detail);
  }
  if (version !== proved) {
    const detail = `The schema of ${name} was changed meanwhile: it has version ${version} now.`;
    throw new ApiError('precondition_failed', detail);
  }
}

/**
 * Gives a version its converter, for events of the time that begins in a minute.
 *
 * @param wanted.converter one that was proved
 * @throws ApiError not_found; invalid_input for a version that there is not, or that has a converter already
 */
export async function addConverter(
  db: HasOrm,
  wanted: { name: string; version: number; converter: Converter },
  by: Actor,
): Promise<void> {
  const { name, version, converter } = wanted;
  await changeEventType(db, name, async ({ em, sql }) => {
    if (!(await setConverter(sql, { ...wanted, later: true }))) {
      throw refusedInput(['version'], 'converter_exists', CONVERTER_EXISTS);
    }
    const after = { version, converter };
    audit(em, by, { ...about('EVENT_TYPE', null, name), action: 'EVENT_TYPE_UPDATED', after });
  });
}

export const CONVERTER_EXISTS = 'has a converter already, and it never changes: what was sent is sent again as it was';

const setConverterStatement: Statement = {
  text: 'select hookwright.set_converter($1, $2, $3::text::json, $4) as done',
};

/** @returns false when the version has one already */
async function setConverter(
  sql: SqlTarget,
  { name, version, converter, later }: { name: string; version: number; converter: Converter; later: boolean },
): Promise<boolean> {
  const values = [name, version, JSON.stringify(converter), later];
  const [row] = await query<{ done: boolean }>(sql, setConverterStatement, values);
  return row!.done;
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
  change: (unit: UnitOfWork, type: EventType) => void | Promise<void>,
): Promise<void> {
  if (!isEventTypeName(name)) {
    throw unknownEventType(); // nor would Postgres take every text for a value
  }
  await managementTransaction(db, null, async (unit) => {
    const type = await unit.em.findOne(EventType, { name }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (type === null) {
      throw unknownEventType();
    }
    requireNotReserved(type);
    await change(unit, type);
  });
}

/** @throws ApiError invalid_input for a type of the service itself */
function requireNotReserved({ reserved }: { reserved: boolean }): void {
  if (reserved) {
    const detail = 'belongs to the service itself and cannot be changed';
    throw refusedInput(['name'], 'event_type_reserved', detail);
  }
}

/**
 * Requires that the schema of a type may change.
 *
 * @param path of what would change it
 * @throws ApiError invalid_input for a type of the service itself, or one that the interface defines
 */
export function requireOwnSchema(type: { name: string; reserved: boolean }, path: Path): void {
  requireNotReserved(type);
  if (BUILT_IN_EVENT_TYPES.includes(type.name)) {
    const detail = 'cannot be changed: the interface that integrators rely on defines it';
    throw refusedInput(path, 'event_type_built_in', detail);
  }
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

import type { Database, Statement } from '../../database/database.js';
import { tenantQuery } from '../../database/tenant-database.js';
import { idRange } from '../../domain/ids/delivery-id.js';

/** Texts of a tenant that may be long, by their keys. What there is none of is not in the answers. */
export interface LongTexts<Key, Text> {
  /** How many bytes they have. None of them is read for it. */
  measure(db: Pick<Database, 'pool'>, tenantId: number, keys: readonly Key[]): Promise<Map<Key, number>>;
  read(db: Pick<Database, 'pool'>, tenantId: number, keys: readonly Key[]): Promise<Map<Key, Text>>;
}

/** An attempt: the id of its delivery, and its number. */
export type AttemptKey = `${number}/${number}`;

/** The bodies of events, by their ids. */
export const eventBodies = byId(
  'event_bodies',
  (value) => `
    select e.id as key, ${value('e.body')} as value from hookwright.events e
    where e.tenant_id = $1 and e.id = any($2::bigint[]) and e.id between $3 and $4`,
);

/**
 * What deliveries send, by their ids: the very text of their events. A scalar subquery, so that Postgres
 * looks each event up by its key: in a join it would read all events of the tenant.
 */
export const deliveryBodies = byId(
  'delivery_bodies',
  (value) => `
    select d.id as key,
           (select ${value('e.body')} from hookwright.events e
            where e.tenant_id = d.tenant_id and e.id = d.event_id) as value
    from hookwright.deliveries d
    where d.id = any($2::bigint[]) and d.id between $3 and $4 and (d.tenant_id = $1) is true`,
);

/** What is kept of the bodies that attempts were answered with. */
export const answerBodies = byAttempt<Buffer>('answer_bodies', 'response_body');

/** What is kept of the headers that attempts were answered with: an object of JSON. */
export const answerHeaders = byAttempt<string>('answer_headers', 'response_headers');

/** @param textOf the statement, with what it shall say of the column with the texts */
function longTexts<Key, Text>(
  name: string,
  textOf: (value: (column: string) => string) => string,
  valuesOf: (keys: readonly Key[]) => unknown[],
): LongTexts<Key, Text> {
  const statements = {
    measure: { name: `measure_${name}`, text: textOf((column) => `octet_length(${column})`) },
    read: { name: `read_${name}`, text: textOf((column) => column) },
  };
  const run = async <Value>(
    statement: Statement,
    db: Pick<Database, 'pool'>,
    tenantId: number,
    keys: readonly Key[],
  ) => {
    const values = [tenantId, ...valuesOf(keys)];
    const rows = await tenantQuery<{ key: Key; value: Value | null }>(db.pool, tenantId, statement, values);
    return new Map(rows.flatMap(({ key, value }) => (value === null ? [] : [[key, value]])));
  };
  return {
    measure: (db, tenantId, keys) => run<number>(statements.measure, db, tenantId, keys),
    read: (db, tenantId, keys) => run<Text>(statements.read, db, tenantId, keys),
  };
}

function byId(name: string, textOf: (value: (column: string) => string) => string): LongTexts<number, string> {
  return longTexts(name, textOf, (ids) => [[...ids], ...idRange(ids)]);
}

function byAttempt<Text>(name: string, column: string): LongTexts<AttemptKey, Text> {
  const textOf = (value: (column: string) => string) => `
    select a.delivery_id || '/' || a.number as key, ${value(`a.${column}`)} as value from hookwright.attempts a
    where a.delivery_id = any($2::bigint[]) and a.delivery_id between $4 and $5 and (a.tenant_id = $1) is true
      and (a.delivery_id, a.number) in (select * from unnest($2::bigint[], $3::integer[]))`;
  return longTexts(name, textOf, (keys) => {
    const parts = keys.map((key) => key.split('/').map(Number) as [number, number]);
    const ids = parts.map(([deliveryId]) => deliveryId);
    return [ids, parts.map(([, number]) => number), ...idRange(ids)];
  });
}

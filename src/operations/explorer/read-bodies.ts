import {
  EXCERPT_CHARS,
  type PayloadPreview,
  PREVIEWED_CHARS,
  previewOf,
} from '../../domain/content/payload-preview.js';
import { idRange } from '../../domain/ids/delivery-id.js';
import type { HasPool } from '../../platform/database/database.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';

type Read<Key, Value> = (db: HasPool, tenantId: number, keys: readonly Key[]) => Promise<Map<Key, Value>>;

/** Texts of a tenant that may be long, by their keys. The answers leave out missing ones. */
export interface LongTexts<Key, Text> {
  /** Their lengths in bytes, without reading them. */
  measure: Read<Key, number>;
  read: Read<Key, Text>;
}

/** An attempt: the id of its delivery, and its number. */
export type AttemptKey = `${number}/${number}`;

/** The text of a statement that selects this value of a column. */
type SqlOf = (value: (column: string) => string) => string;

function longTexts<Key, Text>(
  name: string,
  sqlOf: SqlOf,
  valuesOf: (keys: readonly Key[]) => unknown[],
): LongTexts<Key, Text> {
  const reader = <Value>(verb: string, value: (column: string) => string): Read<Key, Value> => {
    const statement = { name: `${verb}_${name}`, text: sqlOf(value) };
    return async (db, tenantId, keys) => {
      const values = [tenantId, ...valuesOf(keys)];
      const rows = await tenantQuery<{ key: Key; value: Value | null }>(db.pool, tenantId, statement, values);
      return new Map(rows.flatMap((row) => (row.value === null ? [] : [[row.key, row.value]])));
    };
  };
  return {
    measure: reader('measure', (column) => `octet_length(${column})`),
    read: reader('read', (column) => column),
  };
}

const byId = (name: string, sqlOf: SqlOf) =>
  longTexts<number, string>(name, sqlOf, (ids) => [[...ids], ...idRange(ids)]);

const byAttempt = <Text>(name: string, column: string) =>
  longTexts<AttemptKey, Text>(
    name,
    (value) => `
      select a.delivery_id || '/' || a.number as key, ${value(`a.${column}`)} as value from hookwright.attempts a
      where a.delivery_id = any($2::bigint[]) and a.delivery_id between $4 and $5 and (a.tenant_id = $1) is true
        and (a.delivery_id, a.number) in (select * from unnest($2::bigint[], $3::integer[]))`,
    (keys) => {
      const parts = keys.map((key) => key.split('/').map(Number) as [number, number]);
      const ids = parts.map(([deliveryId]) => deliveryId);
      return [ids, parts.map(([, number]) => number), ...idRange(ids)];
    },
  );

/** The bodies of events, by their ids, but for erased ones. */
export const eventBodies = byId(
  'event_bodies',
  (value) => `
    select e.id as key, ${value('e.body')} as value from hookwright.events e
    where e.tenant_id = $1 and e.id = any($2::bigint[]) and e.id between $3 and $4 and e.erased_at is null`,
);

/** The states before the changes that events report, by the ids of events, where they have one. */
export const formerStates = byId(
  'former_states',
  (value) => `
    select e.id as key, ${value('e.previous')} as value from hookwright.events e
    where e.tenant_id = $1 and e.id = any($2::bigint[]) and e.id between $3 and $4`,
);

/** Postgres reads no more than the beginning of a body, unless a text is searched for. */
const previewsStatement = {
  name: 'read_event_previews',
  text: `
    select e.id, left(e.body, ${PREVIEWED_CHARS}) as beginning,
           case when strpos(e.body, $5) > 0
             then substr(e.body, greatest(1, strpos(e.body, $5) - ${EXCERPT_CHARS.before}), ${EXCERPT_CHARS.all}) end as around
    from hookwright.events e where e.tenant_id = $1 and e.id = any($2::bigint[]) and e.id between $3 and $4`,
};

/**
 * The previews of events, by their ids.
 *
 * @param text is looked for; null: none is
 */
export async function readPreviews(
  { pool }: HasPool,
  tenantId: number,
  ids: readonly number[],
  text: string | null,
): Promise<Map<number, PayloadPreview>> {
  const values = [tenantId, [...ids], ...idRange(ids), text];
  const rows = await tenantQuery<{ id: number; beginning: string | null; around: string | null }>(
    pool,
    tenantId,
    previewsStatement,
    values,
  );
  return new Map(
    rows.flatMap(({ id, beginning, around }) =>
      beginning === null ? [] : [[id, previewOf(beginning, text === null ? null : { text, around })]],
    ),
  );
}

/** The bodies of scheduled events, by their ids. */
export const scheduledBodies = byId(
  'scheduled_bodies',
  (value) => `
    select s.id as key, ${value('s.body')} as value from hookwright.scheduled_events s
    where s.tenant_id = $1 and s.id = any($2::bigint[]) and s.id between $3 and $4`,
);

/** The stored part of the bodies that attempts were answered with. */
export const answerBodies = byAttempt<Buffer>('answer_bodies', 'response_body');

/** The stored headers that attempts were answered with: a JSON object. */
export const answerHeaders = byAttempt<string>('answer_headers', 'response_headers');

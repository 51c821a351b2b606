import { comparisonsIn, compileFilter } from '../../domain/content/compile-filter.js';
import { asksChanges, type EventFilter } from '../../domain/content/filter.js';
import { type FailedCondition, FilteredEvent } from '../../domain/content/judge-filter.js';
import { unfilteredTypes } from '../../domain/events/operational-events.js';
import { piece } from '../../platform/concurrency/in-pieces.js';
import { passesSql } from './passes-filter.js';
import { eventBodies, formerStates } from './read-bodies.js';
import { type SearchDeps, search } from './search.js';

/** Past events, and the filter that they are judged by. */
interface FilterQuestion {
  filter: EventFilter | null;
  /** The newest events of these types, or one event. */
  events: { types: readonly string[]; last: number } | { id: number };
}

export interface JudgedEvent {
  id: number;
  eventType: string;
  body: string;
  previous: string | null;
  onlyWebhookId: number | null;
  /** The version that its payload was checked by; null: one without a converter. */
  typeVersion: number | null;
  matches: boolean;
  failedCondition: FailedCondition | null;
}

type Row = Pick<JudgedEvent, 'id' | 'eventType' | 'onlyWebhookId' | 'typeVersion' | 'matches'>;

/** Samples of the events that match, and of those that do not. */
const SAMPLES_OF_EACH = 5;

const statement = {
  text: `
    select e.id, e.event_type as "eventType", e.only_webhook_id as "onlyWebhookId",
           e.type_version as "typeVersion",
           case when $6::text is null or e.only_webhook_id is not null or e.event_type = any($7::text[]) then true
                else ${passesSql('e', '$6::text::jsonpath', '$8', '$9')} end as matches
    from (select e.id, e.event_type, e.only_webhook_id, e.type_version, e.body,
                 case when $9::boolean then e.previous end as previous
          from hookwright.events e
          where e.tenant_id = $1 and e.id > $2 and e.id < $3 and e.erased_at is null
            and case when $5::text[] is null then $4 = 1
                     else e.only_webhook_id is null and not e.event_type = any($7::text[])
                          and ('*' = any($5) or e.event_type = any($5)) end
          order by e.id desc limit $4) e
    order by e.id desc`,
};

/**
 * Judges past events of a tenant as an emit would: Postgres judges all of them, and our own code says what those lack
 * that do not match. Events for one webhook and those of `unfilteredTypes` are left out.
 *
 * @returns the newest samples of both kinds, the newest first
 * @throws ApiError search_timed_out, rate_limited
 */
export async function previewFilter(
  deps: SearchDeps,
  tenantId: number,
  { filter, events }: FilterQuestion,
): Promise<{ matched: number; total: number; samples: JudgedEvent[] }> {
  const one = 'id' in events;
  const range = one ? [events.id - 1, events.id + 1, 1, null] : [0, MAX_ID, events.last, [...events.types]];
  const compiled = filter === null ? null : compileFilter(filter);
  const comparisons = filter === null ? 0 : comparisonsIn(filter);
  const asks = filter !== null && asksChanges(filter);
  const values = [tenantId, ...range, compiled, unfilteredTypes(tenantId), comparisons, asks];
  const advice = 'Ask for fewer events, with last.';
  const rows = await search<Row>(deps, tenantId, statement, values, { what: 'preview', advice });
  const few = (matches: boolean) => rows.filter((row) => row.matches === matches).slice(0, SAMPLES_OF_EACH);
  const chosen = [...few(true), ...few(false)].sort((a, b) => b.id - a.id);
  const ids = chosen.map(({ id }) => id);
  const none = new Map<number, string>();
  const bodies = ids.length === 0 ? none : await eventBodies.read(deps.db, tenantId, ids);
  const former = ids.length === 0 ? none : await formerStates.read(deps.db, tenantId, ids);
  const samples: JudgedEvent[] = [];
  for (const row of chosen) {
    const body = bodies.get(row.id);
    if (body !== undefined) {
      const previous = former.get(row.id) ?? null;
      const failedCondition = await piece(tenantId, () => failedOf(row, { body, previous }, filter));
      samples.push({ ...row, body, previous, failedCondition });
    }
  }
  return { matched: rows.filter(({ matches }) => matches).length, total: rows.length, samples };
}

/** The greatest bigint that JavaScript keeps exact: no id reaches it. */
const MAX_ID = Number.MAX_SAFE_INTEGER;

const failedOf = (
  { eventType, matches }: Row,
  { body, previous }: Pick<JudgedEvent, 'body' | 'previous'>,
  filter: EventFilter | null,
): FailedCondition | null =>
  matches || filter === null ? null : new FilteredEvent(eventType, body, previous).failedCondition(filter);

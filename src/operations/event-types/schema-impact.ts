import type { JsonObject } from '../../domain/schema-rules/subschemas.js';
import { Slices } from '../../platform/concurrency/slices.js';
import { PLATFORM } from '../../platform/database/tenant-database.js';
import { compileEventSchema } from '../../platform/payload-checks/payload-check.js';
import type { SearchDeps } from '../explorer/search.js';
import { type BrokenOptions, findBrokenOptions } from './broken-options.js';
import { brokenRulesOf, type EventTypeRegistry, type RegisteredEventType } from './event-type-registry.js';
import { findRefusedEvents, type RefusedEvents } from './refused-events.js';
import { type JudgedSchema, type SentChangeDeps, sentChangeOf } from './sent-change.js';

/** The events and options of all tenants that a new schema of an event type would break. */
export interface SchemaImpact extends BrokenOptions, Omit<RefusedEvents, 'eventsJudged'> {
  breaks: boolean;
}

/** The longest time of a search; its answer is what is known then. */
const IMPACT_MS_MAX = 10_000;
/** The same after the proof of a converter that took its whole time: every request ends within 15 s. */
const IMPACT_MS_MIN = 1_000;

/** The time for a search that begins so many ms after the dry run. */
export const impactMsAfter = (ms: number): number => Math.max(IMPACT_MS_MAX - ms, IMPACT_MS_MIN);

/**
 * Finds what breaks when an event type gets another schema: its newest events, and options of webhooks. Nothing is
 * changed.
 *
 * @param type as it is
 * @param judged a usable schema
 * @throws ApiError rate_limited when too many searches of this kind wait already
 */
export function schemaImpact(
  deps: SearchDeps & SentChangeDeps & { eventTypes: Pick<EventTypeRegistry, 'brokenRules'> },
  type: RegisteredEventType,
  judged: JudgedSchema,
  msMax = IMPACT_MS_MAX,
): Promise<SchemaImpact> {
  const { db, searches, eventTypes } = deps;
  const { name: eventType } = type;
  const { schema } = judged;
  const check = compileEventSchema(JSON.stringify(schema));
  const judge = async (payload: unknown) => {
    const issues = brokenRulesOf(check, payload);
    const isOld = issues.length > 0 && (await eventTypes.brokenRules(eventType, payload)).length > 0;
    return isOld ? [] : issues;
  };
  return searches.run(PLATFORM, async () => {
    const slices = new Slices(msMax);
    const change = { eventType, before: JSON.parse(type.schema) as JsonObject, after: schema };
    const sentChange = await sentChangeOf(deps, type, judged);
    const options = await findBrokenOptions(db, change, sentChange, new Slices(msMax / 2));
    const events = await findRefusedEvents(db, eventType, judge, slices);
    return {
      ...options,
      ...events,
      complete: options.complete && events.complete,
      breaks: options.brokenOptionCount > 0 || events.eventsRefused > 0,
    };
  });
}

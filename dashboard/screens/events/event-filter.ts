import { PAYLOAD_PART_CHARS, SEARCHED_DAYS_MAX } from '../../../src/domain/events/payload-search.js';
import { DAY_MS } from '../../../src/domain/text/durations.js';

const TEXT_RANGE_MS_MAX = SEARCHED_DAYS_MAX * DAY_MS;
/** A named range is this much shorter for a search of payloads, which takes its time within the range of the API. */
const MINUTE_MS = 60_000;

/** The filters as the API's `EventFilter`, without those that are not set. */
export interface EventFilterInput {
  eventType?: string;
  idempotencyKey?: string;
  payloadContains?: string;
  since?: string;
  until?: string;
}

/** Why the API would refuse a filter. */
export type FilterProblem = 'TEXT_TOO_SHORT' | 'TEXT_TOO_LONG' | 'RANGE_TOO_LONG';

/**
 * The filter that an address asks for.
 *
 * @param address with `type`, `key` and `text`; any texts.
 * @param now in ms since 1970
 * @returns the filter, and what keeps the API from answering it
 */
export function eventFilter(
  { type, key, text }: Readonly<Record<string, string | undefined>>,
  { since: from, until, name }: { since: string; until: string | undefined; name?: string },
  now: number,
): { filter: EventFilterInput; problem: FilterProblem | undefined } {
  const isWeek = text !== undefined && name === '7d';
  const since = isWeek ? new Date(Date.parse(from) + 2 * MINUTE_MS).toISOString() : from;
  const filter = {
    since,
    ...(until === undefined ? {} : { until }),
    ...(type ? { eventType: type } : {}),
    ...(key ? { idempotencyKey: key } : {}),
    ...(text ? { payloadContains: text } : {}),
  };
  const rangeMs = (until === undefined ? now : Date.parse(until)) - Date.parse(since);
  return { filter, problem: text ? textProblem(text, rangeMs) : undefined };
}

function textProblem(text: string, rangeMs: number): FilterProblem | undefined {
  const { length } = Array.from(text);
  if (length < PAYLOAD_PART_CHARS.min) {
    return 'TEXT_TOO_SHORT';
  }
  if (length > PAYLOAD_PART_CHARS.max) {
    return 'TEXT_TOO_LONG';
  }
  return rangeMs > TEXT_RANGE_MS_MAX ? 'RANGE_TOO_LONG' : undefined;
}

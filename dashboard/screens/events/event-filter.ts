/** The API's limits of payload searches: lengths in characters, and the longest range. */
const TEXT_CHARS = { min: 3, max: 200 };
const TEXT_RANGE_MS_MAX = 7 * 86_400_000;

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
  { since, until }: { since: string; until: string | undefined },
  now: number,
): { filter: EventFilterInput; problem: FilterProblem | undefined } {
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
  if (length < TEXT_CHARS.min) {
    return 'TEXT_TOO_SHORT';
  }
  if (length > TEXT_CHARS.max) {
    return 'TEXT_TOO_LONG';
  }
  return rangeMs > TEXT_RANGE_MS_MAX ? 'RANGE_TOO_LONG' : undefined;
}

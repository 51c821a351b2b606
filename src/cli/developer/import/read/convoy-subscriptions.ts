import { z } from 'zod';
import type { EventFilter } from '../../../../domain/content/filter.js';
import { canonicalJson } from '../../../../domain/text/canonical-json.js';
import { type RetryConfig, retryConfig } from './convoy-retries.js';
import { below, OtherFilterError, type Place, translated } from './operators.js';

/**
 * Subscriptions of Convoy: an endpoint has several, each with event types and filters. Here it is one webhook, whose
 * filter says which events of which types it gets.
 */

const ALL = '*';
const json = z.record(z.string(), z.unknown()).nullish();

export const subscription = z.object({
  uid: z.string(),
  endpoint_metadata: z.object({ uid: z.string() }).nullish(),
  function: z.string().nullish(),
  retry_config: retryConfig,
  filter_config: z
    .object({ event_types: z.array(z.string()).nullish(), filter: z.object({ headers: json, body: json }).nullish() })
    .nullish(),
});

/** Some types of events, and the condition that they must meet. */
export interface Piece {
  /** `*` for all. */
  types: readonly string[];
  filter: EventFilter | null;
  retry: RetryConfig;
  /** Why it cannot be said here. */
  problems: readonly string[];
}

/** A filter of one type, or of all that have none. Newer versions have it beside the subscription. */
export const ownFilter = z.object({
  event_type: z.string(),
  /** Null: it is switched off, and so is its type. */
  enabled_at: z.string().nullish(),
  ...{ headers: json, body: json, query: json, path: json },
});
type OwnFilter = z.infer<typeof ownFilter>;

/** @param own the filters of single types */
export function piecesOf(one: z.infer<typeof subscription>, own: readonly OwnFilter[]): Piece[] {
  const { event_types: types, filter } = one.filter_config ?? {};
  const byType = new Map(own.map((each) => [each.event_type, each]));
  const enabled = (type: string) => own.find((each) => each.event_type === type && each.enabled_at !== null);
  const ofTypes = (types?.length ? types : [ALL]).flatMap((type) => {
    const written = enabled(type) ?? enabled(ALL) ?? (byType.has(type) ? null : (filter ?? {}));
    return written === null ? [] : { type, written };
  });
  const same = Map.groupBy(ofTypes, ({ written }) => conditionsOf(written));
  const problems = one.function ? ['has a transform function, which webhooks here lack'] : [];
  return [...same.values()].map((group) => ({
    types: group.map(({ type }) => type),
    retry: one.retry_config,
    ...judged(group[0]!.written, problems),
  }));
}

const conditionsOf = ({ headers, body, query, path }: Partial<OwnFilter>): string =>
  canonicalJson([headers, body, query, path]);

function judged({ body, ...others }: Partial<OwnFilter>, problems: readonly string[]) {
  const other = (['headers', 'query', 'path'] as const).filter((scope) => isSaid(others[scope]));
  if (other.length > 0) {
    return { filter: null, problems: [...problems, `has a filter of ${other.join(', ')}, which events here lack`] };
  }
  try {
    return { filter: isSaid(body) ? translated(body, [], placeOf) : null, problems };
  } catch (error) {
    if (!(error instanceof OtherFilterError)) {
      throw error;
    }
    return { filter: null, problems: [...problems, `has a filter that ${error.message}`] };
  }
}

const isSaid = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** Names are joined by dots, and `$` stands for each element of a list, which paths here look into anyway. */
const placeOf = (name: string, above: Place): Place =>
  name
    .split('.')
    .filter((part) => part !== '$')
    .reduce<Place>((place, part) => below(part, place), above);

/** All pieces of one endpoint as the events and the filter of one webhook. */
export function filterOfPieces(pieces: readonly Piece[]) {
  const names = [...new Set(pieces.flatMap(({ types }) => types))];
  const events = names.includes(ALL) ? [ALL] : names;
  const problems = [...new Set(pieces.flatMap((piece) => piece.problems))];
  const notes = problems.map((problem) => `paused: a subscription ${problem}`);
  const isWhole = pieces.some(({ types, filter }) => filter === null && types.includes(ALL));
  if (problems.length > 0 || isWhole || pieces.every(({ filter }) => filter === null)) {
    return { events, filter: null, notes };
  }
  const parts = pieces.map(({ types, filter }): EventFilter => {
    const isOfSome = !types.includes(ALL) && (pieces.length > 1 || types.length < events.length);
    const ofTypes: EventFilter = { field: { path: '@type', op: 'IN', value: types } };
    return isOfSome ? (filter === null ? ofTypes : { all: [ofTypes, ...(filter.all ?? [filter])] }) : filter!;
  });
  return { events, filter: parts.length === 1 ? parts[0]! : { any: parts }, notes };
}

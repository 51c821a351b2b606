import { momentIn, RANGES, type RangeName } from '../../../text/moments.js';

/** The filters of a list of deliveries. Each name is a parameter of the address; `class` is one of STATUS_CLASSES. */
export const FILTERS = [
  'endpoint',
  'type',
  'status',
  'class',
  'error',
  'range',
  'since',
  'until',
  'event',
  'key',
  'text',
] as const;

export type FilterName = (typeof FILTERS)[number];
export type Filters = { readonly [name in FilterName]?: string | undefined };

export const STATUSES = ['PENDING', 'SUCCEEDED', 'FAILED', 'WAITING', 'HELD', 'CANCELED'] as const;
/** What the address may name as a state: two of them are filters of their own in the API. */
export const STATES = [
  'PENDING',
  'SUCCEEDED',
  'FAILED',
  'ATTEMPT_FAILED',
  'RETRYING',
  'WAITING',
  'HELD',
  'CANCELED',
] as const;
/** The states that have a view above the list. */
export const VIEWS = ['RETRYING', 'FAILED', 'ATTEMPT_FAILED', 'HELD', 'SUCCEEDED'] as const;
export const STATUS_CLASSES = ['HTTP_2XX', 'HTTP_3XX', 'HTTP_4XX', 'HTTP_5XX', 'NO_ANSWER'] as const;

/** The filters as the API's `DeliveryFilter`, without those that are not set. */
export interface DeliveryFilterInput {
  webhookId?: string;
  eventId?: string;
  eventType?: string;
  status?: (typeof STATUSES)[number];
  retrying?: true;
  lastAttemptFailed?: true;
  statusCodeClass?: (typeof STATUS_CLASSES)[number];
  errorCode?: string;
  since?: string;
  until?: string;
  idempotencyKey?: string;
  payloadContains?: string;
}

/** The parts of a delivery that a filter looks at. */
export interface FilteredRow {
  webhookId: string;
  eventId: string;
  eventType: string;
  status: string;
  attemptCount: number;
  lastStatusCode?: number | null;
  lastErrorCode?: string | null;
  createdAt: string;
}

/** Takes what is a filter, and a possible value of it, from an address that anybody may have written. */
export function filtersIn(address: Readonly<Record<string, string | undefined>>): Filters {
  const filters: { [name in FilterName]?: string } = {};
  for (const name of FILTERS) {
    const value = isTime(name) ? momentIn(address[name]) : address[name];
    if (value !== undefined && value !== '' && isPossible(name, value)) {
      filters[name] = value;
    }
  }
  return filters;
}

const isTime = (name: FilterName) => name === 'since' || name === 'until';

function isPossible(name: FilterName, value: string): boolean {
  switch (name) {
    case 'status':
      return (STATES as readonly string[]).includes(value);
    case 'class':
      return (STATUS_CLASSES as readonly string[]).includes(value);
    case 'range':
      return Object.hasOwn(RANGES, value);
    case 'endpoint':
      return /^(wh_)?\d{1,16}$/.test(value);
    case 'event':
      return /^(ev_)?\d{1,16}$/.test(value);
    default:
      return true;
  }
}

/**
 * What the API is asked for. A range that ends now begins at a whole minute; a search for text without a time gets the
 * longest one that the API takes.
 *
 * @param now in ms since 1970
 */
export function toFilter(filters: Filters, now: number): DeliveryFilterInput {
  const range = filters.range ?? (filters.text !== undefined && filters.since === undefined ? '7d' : undefined);
  const rangeMs = range === undefined ? undefined : RANGES[range as RangeName];
  const since =
    filters.since ?? (rangeMs === undefined ? undefined : beginOf(now - rangeMs, filters.text !== undefined));
  const { endpoint, event, type, status, error, until, key, text } = filters;
  return {
    ...(endpoint !== undefined && { webhookId: withPrefix('wh_', endpoint) }),
    ...(event !== undefined && { eventId: withPrefix('ev_', event) }),
    ...(type !== undefined && { eventType: type }),
    ...stateFilter(status as (typeof STATES)[number] | undefined),
    ...(filters.class !== undefined && { statusCodeClass: filters.class as (typeof STATUS_CLASSES)[number] }),
    ...(error !== undefined && { errorCode: error }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(key !== undefined && { idempotencyKey: key }),
    ...(text !== undefined && { payloadContains: text }),
  };
}

/**
 * The whole minute at which a range begins: the one before, as on the screens with charts, so that their counts and an
 * operation over the list leave nothing out. For a search the one after, and a minute more: it may take its time within
 * the seven days of the API.
 */
const beginOf = (ms: number, isSearch: boolean): string =>
  new Date((isSearch ? Math.ceil(ms / 60_000) + 1 : Math.floor(ms / 60_000)) * 60_000).toISOString();

function stateFilter(state: (typeof STATES)[number] | undefined): DeliveryFilterInput {
  switch (state) {
    case undefined:
      return {};
    case 'RETRYING':
      return { retrying: true };
    case 'ATTEMPT_FAILED':
      return { lastAttemptFailed: true };
    default:
      return { status: state };
  }
}

function withPrefix(prefix: string, id: string): string {
  return id.startsWith(prefix) ? id : `${prefix}${id}`;
}

/** Whether a row says by itself if it matches. The text of a payload and the key of its event are not in it. */
export function canCheck(filter: DeliveryFilterInput): boolean {
  return filter.idempotencyKey === undefined && filter.payloadContains === undefined;
}

/** Whether a delivery that has just changed belongs to the list, by all that a row says. */
export function matches(filter: DeliveryFilterInput, row: FilteredRow): boolean {
  const made = Date.parse(row.createdAt);
  return (
    (filter.webhookId === undefined || filter.webhookId === row.webhookId) &&
    (filter.eventId === undefined || filter.eventId === row.eventId) &&
    (filter.eventType === undefined || filter.eventType === row.eventType) &&
    (filter.status === undefined || filter.status === row.status) &&
    (filter.retrying === undefined || (row.status === 'PENDING' && row.attemptCount > 0)) &&
    (filter.lastAttemptFailed === undefined || row.lastErrorCode != null) &&
    (filter.errorCode === undefined || filter.errorCode === row.lastErrorCode) &&
    (filter.statusCodeClass === undefined || filter.statusCodeClass === classOf(row)) &&
    // Moments of answers are whole seconds.
    (filter.since === undefined || made >= Math.floor(Date.parse(filter.since) / 1_000) * 1_000) &&
    (filter.until === undefined || made < Date.parse(filter.until))
  );
}

function classOf({ lastStatusCode, lastErrorCode }: FilteredRow): string | undefined {
  if (lastStatusCode != null) {
    return `HTTP_${Math.floor(lastStatusCode / 100)}XX`;
  }
  return lastErrorCode == null ? undefined : 'NO_ANSWER';
}

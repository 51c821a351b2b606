/** The fields of a webhook that decide whether somebody should look at it. */
export interface Standing {
  active: boolean;
  disabledReason?: 'FAILURES' | 'GONE' | 'PAUSED' | null;
  closedUntil?: string | null;
  consecutiveFailures: number;
  heldCount: number;
}

/** The reasons why an endpoint needs somebody, the most urgent first. */
export const NEEDS = ['disabled', 'gone', 'failing', 'closed', 'backlog', 'paused', 'nothing'] as const;

export type Need = (typeof NEEDS)[number];

/** @param now ms since 1970: a pause that the endpoint asked for passes by itself. */
export function needOf(webhook: Standing, now: number): Need {
  if (!webhook.active) {
    const { disabledReason } = webhook;
    return disabledReason === 'GONE' ? 'gone' : disabledReason === 'PAUSED' ? 'paused' : 'disabled';
  }
  if (webhook.closedUntil != null && Date.parse(webhook.closedUntil) > now) {
    return 'closed';
  }
  if (webhook.consecutiveFailures > 0) {
    return 'failing';
  }
  return webhook.heldCount > 0 ? 'backlog' : 'nothing';
}

interface Endpoint extends Standing {
  databaseId: number;
  url: string;
  eventTypes: readonly string[];
  lastFailureAt?: string | null;
}

/** The filters that the list's address can have; unknown values mean no filter. */
export interface Wanted {
  /** `attention`: all that needs somebody. */
  state?: string | undefined;
  /** The name of an event type that it gets. */
  type?: string | undefined;
  /** Part of the url. */
  text?: string | undefined;
  sort?: string | undefined;
}

/** The endpoints that match, in the chosen order; by default those that need somebody come first. */
export function arrange<E extends Endpoint>(endpoints: readonly E[], wanted: Wanted, now: number): E[] {
  const needs = new Map(endpoints.map((one) => [one, NEEDS.indexOf(needOf(one, now))]));
  const text = wanted.text?.trim().toLowerCase() ?? '';
  const kept = endpoints.filter(
    (one) =>
      isInState(one, wanted.state, now) &&
      (wanted.type === undefined || one.eventTypes.includes('*') || one.eventTypes.includes(wanted.type)) &&
      one.url.toLowerCase().includes(text),
  );
  const newest = (a: E, b: E) => b.databaseId - a.databaseId;
  const orders: Record<string, (a: E, b: E) => number> = {
    newest,
    url: (a, b) => a.url.localeCompare(b.url),
    held: (a, b) => b.heldCount - a.heldCount,
    failure: (a, b) => timeOf(b.lastFailureAt) - timeOf(a.lastFailureAt),
  };
  const attention = (a: E, b: E) => (needs.get(a) ?? 0) - (needs.get(b) ?? 0) || b.heldCount - a.heldCount;
  const order = orders[wanted.sort ?? ''] ?? attention;
  return kept.toSorted((a, b) => order(a, b) || newest(a, b));
}

function isInState(webhook: Standing, state: string | undefined, now: number): boolean {
  const need = needOf(webhook, now);
  switch (state) {
    case 'attention':
      return need !== 'nothing' && need !== 'paused';
    case 'active':
      return webhook.active;
    case 'paused':
      return need === 'paused';
    case 'disabled':
      return need === 'disabled' || need === 'gone';
    default:
      return true;
  }
}

function timeOf(value: string | null | undefined): number {
  return value == null ? 0 : Date.parse(value);
}

import { type AttentionFields, isPressing, REASONS, reasonFor } from '../../../parts/attention.js';

interface Endpoint extends AttentionFields {
  databaseId: number;
  url: string;
  name?: string | null;
  description?: string | null;
  externalId?: string | null;
  eventTypes: readonly string[];
  lastFailureAt?: string | null;
}

/** The filters that the list's address can have; unknown values mean no filter. */
export interface Wanted {
  /** `attention`: all that needs somebody. */
  state?: string | undefined;
  /** The name of an event type that it gets. */
  type?: string | undefined;
  /** Part of the name, description, url or external id. */
  text?: string | undefined;
  sort?: string | undefined;
}

/** The endpoints that match, in the chosen order; by default those that need somebody come first. */
export function arrange<E extends Endpoint>(endpoints: readonly E[], wanted: Wanted, now: number): E[] {
  const ranks = new Map(endpoints.map((one) => [one, rankOf(one, now)]));
  const text = wanted.text?.trim().toLowerCase() ?? '';
  const kept = endpoints.filter(
    (one) =>
      isInState(one, wanted.state, now) &&
      (wanted.type === undefined || one.eventTypes.includes('*') || one.eventTypes.includes(wanted.type)) &&
      [one.name, one.description, one.url, one.externalId].some((shown) => shown?.toLowerCase().includes(text)),
  );
  const newest = (a: E, b: E) => b.databaseId - a.databaseId;
  const orders: Record<string, (a: E, b: E) => number> = {
    newest,
    url: (a, b) => a.url.localeCompare(b.url),
    held: (a, b) => b.heldCount - a.heldCount,
    failure: (a, b) => timeOf(b.lastFailureAt) - timeOf(a.lastFailureAt),
  };
  const attention = (a: E, b: E) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0) || b.heldCount - a.heldCount;
  const order = orders[wanted.sort ?? ''] ?? attention;
  return kept.toSorted((a, b) => order(a, b) || newest(a, b));
}

/** Endpoints that need somebody are first, the most urgent reason first; resting ones next, then all others. */
function rankOf(webhook: AttentionFields, now: number): number {
  const reason = reasonFor(webhook, now);
  return reason === undefined ? REASONS.length : REASONS.indexOf(reason);
}

function isInState(webhook: AttentionFields, state: string | undefined, now: number): boolean {
  const reason = webhook.active ? null : (webhook.disabledReason ?? 'FAILURES');
  switch (state) {
    case 'attention':
      return isPressing(reasonFor(webhook, now));
    case 'active':
      return webhook.active;
    case 'paused':
      return reason === 'PAUSED';
    case 'unverified':
      return reason === 'UNVERIFIED';
    case 'disabled':
      return reason === 'FAILURES' || reason === 'GONE';
    default:
      return true;
  }
}

function timeOf(value: string | null | undefined): number {
  return value == null ? 0 : Date.parse(value);
}

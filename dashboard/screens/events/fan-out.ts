/** The fan-out of an event, as the API returns it. */
export type FanOutReason =
  | 'ABOUT_THIS_WEBHOOK'
  | 'CREATED_LATER'
  | 'FILTERED'
  | 'FOR_ANOTHER_WEBHOOK'
  | 'INACTIVE'
  | 'NEEDS_A_PATH'
  | 'NOT_SUBSCRIBED'
  | 'NO_LONGER_KEPT'
  | 'UNKNOWN';

/** The action that gets an event to an endpoint that missed it. */
export type Fix = 'SUBSCRIBE' | 'SEND' | 'ENABLE' | 'LOOK_INTO_LOG' | undefined;

/**
 * The fix for a reason. An event is sent to an active endpoint alone, so an inactive one is to be enabled first.
 *
 * @param webhook as it is now; null once it is deleted
 */
export function fixFor(
  reason: FanOutReason,
  webhook: { active: boolean; eventTypes: readonly string[] } | null,
  eventType: string,
): Fix {
  if (webhook === null || reason === 'ABOUT_THIS_WEBHOOK' || reason === 'NO_LONGER_KEPT') {
    return undefined;
  }
  if (reason === 'NOT_SUBSCRIBED' && !subscribes(webhook.eventTypes, eventType)) {
    return 'SUBSCRIBE';
  }
  if (reason === 'UNKNOWN') {
    return 'LOOK_INTO_LOG';
  }
  // A test is for one endpoint: another one gets a test of its own.
  if (reason === 'FOR_ANOTHER_WEBHOOK' || reason === 'NEEDS_A_PATH') {
    return undefined;
  }
  return webhook.active ? 'SEND' : 'ENABLE';
}

/** Whether a subscription takes in a type. */
export function subscribes(eventTypes: readonly string[], eventType: string): boolean {
  return eventTypes.includes('*') || eventTypes.includes(eventType);
}

/**
 * The version of an event type's schema that an event was checked by: the newest that had begun when it came.
 *
 * @returns undefined where the versions that are known do not reach back to it
 */
export function versionAt(
  versions: readonly { version: number; createdAt: string }[],
  createdAt: string,
): number | undefined {
  const begun = versions.filter((one) => Date.parse(one.createdAt) <= Date.parse(createdAt));
  return begun.length === 0 ? undefined : Math.max(...begun.map(({ version }) => version));
}

/** The states of deliveries, those that somebody may have to look at first. */
export const WORST_FIRST = ['FAILED', 'HELD', 'WAITING', 'PENDING', 'CANCELED', 'SUCCEEDED'] as const;

type Status = (typeof WORST_FIRST)[number];

/** The fate of an event as a whole: its colour. */
export function toneOf(statuses: readonly Status[]): 'good' | 'bad' | 'warn' | 'info' {
  if (statuses.includes('FAILED')) {
    return 'bad';
  }
  if (statuses.some((status) => status === 'HELD' || status === 'CANCELED')) {
    return 'warn';
  }
  const isOpen = statuses.some((status) => status === 'PENDING' || status === 'WAITING');
  return statuses.length === 0 || isOpen ? 'info' : 'good';
}

/** Reasons by which nobody is surprised: the endpoint does not want such events. */
const USUAL: ReadonlySet<FanOutReason> = new Set<FanOutReason>([
  'NOT_SUBSCRIBED',
  'FOR_ANOTHER_WEBHOOK',
  'NEEDS_A_PATH',
]);
/** This many or fewer are listed with the others. */
const USUAL_LISTED_MAX = 3;

interface Fate {
  delivery?: { status: Status } | null;
  reason?: FanOutReason | null;
}

/** Surprises come first: what failed, was left out or is held; then the rest of what was sent. */
function rankOf({ delivery, reason }: Fate): number {
  if (delivery == null) {
    return reason != null && USUAL.has(reason) ? 3 : 1;
  }
  const isSurprise = delivery.status === 'FAILED' || delivery.status === 'HELD' || delivery.status === 'CANCELED';
  return delivery.status === 'FAILED' ? 0 : isSurprise ? 1 : 2;
}

/** The endpoints of an event, surprises first, and those that do not want it apart if they are many. */
export function arrangeFates<Row extends Fate>(rows: readonly Row[]): { listed: Row[]; usual: Row[] } {
  const sorted = rows.toSorted((one, other) => rankOf(one) - rankOf(other));
  const usual = sorted.filter((row) => rankOf(row) === 3);
  const isApart = usual.length > USUAL_LISTED_MAX && usual.length < sorted.length;
  return isApart ? { listed: sorted.slice(0, -usual.length), usual } : { listed: sorted, usual: [] };
}

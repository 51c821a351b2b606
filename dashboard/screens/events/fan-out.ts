/** The fan-out of an event, as the API returns it. */
export type FanOutReason =
  | 'ABOUT_THIS_WEBHOOK'
  | 'CREATED_LATER'
  | 'FILTERED'
  | 'FOR_ANOTHER_WEBHOOK'
  | 'INACTIVE'
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
  if (reason === 'FOR_ANOTHER_WEBHOOK') {
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

import { nearestWord } from '../text/nearest-word.js';

/** The name of an event type has at least two parts, lower case, separated by dots (`booking.created`). */
export const EVENT_TYPE_NAME = /^[a-z0-9_]+(\.[a-z0-9_]+)+$/;

/** In characters, which are bytes too: the pattern allows ASCII only. */
export const EVENT_TYPE_NAME_LENGTH_MAX = 128;

/** Subscribes a webhook to every event type, also those registered later (docs/interface.md, "A webhook"). */
export const WILDCARD = '*';

/** Sent by testing a webhook only (REST or GraphQL); a producer may not emit it. */
export const TEST_EVENT_TYPE = 'webhook.test';

export function isEventTypeName(text: string): boolean {
  return text.length <= EVENT_TYPE_NAME_LENGTH_MAX && EVENT_TYPE_NAME.test(text);
}

/** Whether a webhook with these `events` receives an event of this type (docs/interface.md, "A webhook"). */
export function matches(subscribed: readonly string[], eventType: string): boolean {
  return subscribed.includes(eventType) || subscribed.includes(WILDCARD);
}

/** Reserved for the service's own events, now and in later versions (docs/interface.md, "Events"). */
const OWN_FAMILIES = ['webhook.', 'delivery.'] as const;

export const isOwnEventTypeName = (name: string): boolean => OWN_FAMILIES.some((family) => name.startsWith(family));

/** Every installation has these, with fixed schemas (docs/interface.md, "Events"). */
export const BUILT_IN_EVENT_TYPES: readonly string[] = [
  'booking.created',
  'booking.canceled',
  'voucher.emitted',
  'coupon.applied',
  TEST_EVENT_TYPE,
];

const NAMES_LISTED_MAX = 50;

export function listNames(names: readonly string[]): string {
  const unnamed = names.length - NAMES_LISTED_MAX;
  const more = unnamed > 0 ? ` and ${unnamed} more` : '';
  return `${names.slice(0, NAMES_LISTED_MAX).join(', ')}${more}`;
}

/**
 * The fault of a name that no event type has, as the end of a sentence.
 *
 * @param shown the names that messages may list
 * @param orElse what else may stand there, as the end of the list
 */
export function notAType(shown: readonly string[], given: string, orElse = ''): string {
  const nearest = nearestWord(shown, given);
  return nearest === undefined
    ? `is not an event type; known types: ${listNames(shown)}${orElse}`
    : `is not an event type; did you mean ${nearest}?`;
}

import { WILDCARD } from './event-type.js';

/**
 * Whether a webhook with these `events` receives an event of this type: exact names or the wildcard (docs/interface.md,
 * "A webhook").
 */
export function matches(subscribed: readonly string[], eventType: string): boolean {
  return subscribed.includes(eventType) || subscribed.includes(WILDCARD);
}

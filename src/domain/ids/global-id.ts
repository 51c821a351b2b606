import { isEventTypeName } from '../events/event-type.js';
import { parseId } from './id.js';
import { isReleaseName } from './release-name.js';

/**
 * Ids of the GraphQL interface, which are unique among the objects of all types: `wh_12` is a webhook, `dl_12` a
 * delivery. What follows the prefix is the key of the object: for most types the number that REST, the headers and the
 * database have, for an event type or a release its name, for an attempt the number of its delivery and its own
 * (`at_140123_1`).
 * A prefix is never changed and never used for another type: clients store ids.
 */
const types = {
  ApiKey: { prefix: 'key', noun: 'API key' },
  Attempt: { prefix: 'at', noun: 'attempt' },
  AuditEntry: { prefix: 'au', noun: 'audit entry' },
  BulkOperation: { prefix: 'op', noun: 'bulk operation' },
  Delivery: { prefix: 'dl', noun: 'delivery' },
  Event: { prefix: 'ev', noun: 'event' },
  EventType: { prefix: 'et', noun: 'event type' },
  NoticeRecipient: { prefix: 'nr', noun: 'notice recipient' },
  PortalSession: { prefix: 'ps', noun: 'portal session' },
  Release: { prefix: 'rl', noun: 'release' },
  ScheduledEvent: { prefix: 'se', noun: 'scheduled event' },
  Tenant: { prefix: 'tn', noun: 'tenant' },
  Webhook: { prefix: 'wh', noun: 'webhook' },
} as const;

export type NodeType = keyof typeof types;
/** Types whose key is a number. */
export type NumberedType = Exclude<NodeType, 'Attempt' | 'EventType' | 'Release'>;

const NOT_NUMBERED: readonly NodeType[] = ['Attempt', 'EventType', 'Release'];

const names = Object.keys(types) as NodeType[];

/** The types with their prefixes, in the order of their names. */
export const idPrefixes = names.map((type) => ({ type, prefix: types[type].prefix }));

/** The noun in "There is no webhook wh_12." */
export const nounOf = (type: NodeType): string => types[type].noun;

export const aNounOf = (type: NodeType): string => `${/^[aeiou]/i.test(nounOf(type)) ? 'an' : 'a'} ${nounOf(type)}`;

/** @param key the number, or for the types without one the text that stands for it */
export const globalId = (type: NodeType, key: number | string): string => `${types[type].prefix}_${key}`;

export const attemptKey = (deliveryId: number, number: number): string => `${deliveryId}_${number}`;

/** The delivery and the number in the key of an attempt; null for another text. */
export function parseAttemptKey(key: string): { deliveryId: number; number: number } | null {
  const [deliveryId = null, number = null, ...more] = key.split('_').map(parseId);
  return deliveryId === null || number === null || number > ATTEMPT_NUMBER_MAX || more.length > 0
    ? null
    : { deliveryId, number };
}

/** The column's limit. */
const ATTEMPT_NUMBER_MAX = 2 ** 31 - 1;

/** The type and the key in a global id; null for every other text. There may be no such object. */
export function parseGlobalId(text: string): { type: NodeType; key: string } | null {
  const end = text.indexOf('_');
  const prefix = text.slice(0, Math.max(end, 0));
  const key = text.slice(end + 1);
  const type = names.find((name) => types[name].prefix === prefix);
  return type !== undefined && isKey(type, key) ? { type, key } : null;
}

function isKey(type: NodeType, key: string): boolean {
  switch (type) {
    case 'Attempt':
      return parseAttemptKey(key) !== null;
    case 'EventType':
      return isEventTypeName(key);
    case 'Release':
      return isReleaseName(key);
    default:
      return parseId(key) !== null;
  }
}

/** @returns the number in a global id, or alone; the type of an id of another type; null for other texts */
export function readId(type: NumberedType, text: string): number | NodeType | null {
  const number = parseId(text);
  if (number !== null) {
    return number;
  }
  const id = parseGlobalId(text);
  return id?.type === type ? Number(id.key) : (id?.type ?? null);
}

const numbered = names.filter((type): type is NumberedType => !NOT_NUMBERED.includes(type));
const NAMED = new RegExp(`\\b(${numbered.map(nounOf).join('|')}) ([1-9][0-9]{0,15})\\b`, 'gi');

/** A sentence that names objects by noun and number ("Delivery 12 is FAILED already."), with their global ids. */
export const withGlobalIds = (sentence: string): string =>
  sentence.replaceAll(NAMED, (_, noun: string, number: string) => {
    const type = numbered.find((name) => nounOf(name).toLowerCase() === noun.toLowerCase());
    return `${noun} ${globalId(type!, number)}`;
  });

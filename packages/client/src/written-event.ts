import { HookwrightError } from './error.js';
import type { EmitOptions, EmitTarget } from './events.js';

/** An event as it is sent: each try of a request sends the same text. */
export interface WrittenEvent {
  event: string;
  idempotencyKey: string;
  /** JSON. */
  text: string;
}

interface GivenEvent extends EmitOptions {
  event: string;
  payload: unknown;
}

/**
 * Writes an event. The service refuses a whole request for an event of the wrong form, so that is looked at here.
 *
 * @returns the error of an event that cannot be sent
 */
export function writeEvent(given: GivenEvent, defaults: EmitOptions): WrittenEvent | HookwrightError {
  const { event, tenant = defaults.tenant, idempotencyKey = crypto.randomUUID(), orderingKey, keepHours, to } = given;
  const refused = (field: string, code: string, message: string, cause?: unknown) => {
    const issues = [{ path: [field], code, message }];
    return new HookwrightError(`${event} was not sent: ${field} ${message}`, { code, issues, idempotencyKey, cause });
  };
  if (typeof event !== 'string') {
    return refused('event', 'no_text', 'must be the name of an event type, such as "booking.created"');
  }
  if (typeof idempotencyKey !== 'string') {
    return refused('idempotencyKey', 'no_text', 'must be a text');
  }
  if (keepHours !== undefined && !isInt(keepHours)) {
    return refused('keepHours', 'no_whole_number', 'must be a whole number of hours');
  }
  if (to !== undefined && !(Array.isArray(to) && to.every(isTarget))) {
    return refused('to', 'no_targets', 'must be a list such as [{ webhookId: "wh_42", path: "/actions/7" }]');
  }
  const states: string[] = [];
  for (const field of ['payload', 'previous'] as const) {
    const value = given[field];
    try {
      const json = JSON.stringify(value);
      if (json?.startsWith('{')) {
        states.push(`"${field}":${json}`);
      } else if (field === 'payload' || value !== undefined) {
        return refused(field, 'no_object', 'must be an object');
      }
    } catch (error) {
      return refused(field, 'not_json', `cannot be written as JSON: ${(error as Error).message}`, error);
    }
  }
  const tenantId = tenant === undefined ? undefined : String(tenant);
  const targets = to?.map(({ webhookId, ...more }) => ({ webhookId: webhookId && String(webhookId), ...more }));
  const rest = JSON.stringify({ event, idempotencyKey, orderingKey, tenantId, keepHours, to: targets });
  return { event, idempotencyKey, text: `${rest.slice(0, -1)},${states.join()}}` };
}

const INT_MAX = 2 ** 31 - 1;
/** An Int of GraphQL. */
const isInt = (value: unknown): boolean => Number.isInteger(value) && Math.abs(value as number) <= INT_MAX;

const TARGET_NAMES: Readonly<Record<string, readonly string[]>> = {
  webhookId: ['string', 'number'],
  externalId: ['string'],
  path: ['string'],
} satisfies Record<keyof EmitTarget, string[]>;

const isTarget = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).every(
    ([name, part]) =>
      Object.hasOwn(TARGET_NAMES, name) && (part === undefined || TARGET_NAMES[name]!.includes(typeof part)),
  );

/** The service's own limit, unless it is set to less. */
const PART_EVENTS_MAX = 100;
/** Half of what a request may have. A longer event is a part of its own. */
const PART_BYTES_MAX = 2 * 1024 * 1024;

/** Divides events into requests, in their order. */
export function inParts(events: readonly WrittenEvent[]): WrittenEvent[][] {
  const parts: WrittenEvent[][] = [];
  let bytes = 0;
  for (const event of events) {
    const own = new TextEncoder().encode(event.text).length;
    const part = parts.at(-1);
    if (part === undefined || part.length === PART_EVENTS_MAX || bytes + own > PART_BYTES_MAX) {
      parts.push([event]);
      bytes = own;
    } else {
      part.push(event);
      bytes += own;
    }
  }
  return parts;
}

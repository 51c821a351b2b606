import { HookwrightError } from './error.js';
import type { EmitOptions } from './events.js';

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
  const { event, payload, tenant = defaults.tenant, idempotencyKey = crypto.randomUUID(), orderingKey } = given;
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
  let body: string | undefined;
  try {
    body = JSON.stringify(payload);
  } catch (error) {
    return refused('payload', 'not_json', `cannot be written as JSON: ${(error as Error).message}`, error);
  }
  if (!body?.startsWith('{')) {
    return refused('payload', 'no_object', 'must be an object');
  }
  const tenantId = tenant === undefined ? undefined : String(tenant);
  const rest = JSON.stringify({ event, idempotencyKey, orderingKey, tenantId });
  return { event, idempotencyKey, text: `${rest.slice(0, -1)},"payload":${body}}` };
}

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

import { hasNameTwice, isDeeperThan, numberTooLarge, unescapedJson } from '../../../domain/events/payload.js';
import { ApiError, invalidInput, type Path } from '../../../errors.js';
import type { Context } from '../../context/context.js';
import { refusedAt } from './emit-refusals.js';

/**
 * The text of a payload: the bytes that are stored, signed and sent. The schema is checked elsewhere.
 *
 * @param path of the payload in the arguments
 * @param bodyBytesMax the tenant's own limit
 * @throws ApiError invalid_input for deep nesting or a number that JSON.parse made infinite; payload_too_large
 */
export function payloadText(
  { config: { payloadBytesMax, limits } }: Context,
  payload: Record<string, unknown>,
  path: Path,
  bodyBytesMax: number | null = null,
): string {
  requireDepth(payload, limits.payloadDepthMax, path);
  const body = JSON.stringify(payload);
  requireLength(body, payloadBytesMax, path, bodyBytesMax);
  // JSON.stringify writes an infinite number as null, so most bodies need no search.
  const lost = body.includes('null') ? numberTooLarge(payload) : null;
  if (lost !== null) {
    const detail = 'is too large for a number; send it as a text';
    throw invalidInput([{ path: [...path, ...lost], code: 'number_too_large', detail }]);
  }
  return body;
}

/** An escape is at most six times as long as its character. */
const ESCAPE_FACTOR = 6;

/**
 * A payload that the producer wrote as JSON: its text as it is stored, signed and sent, and its value for the schema.
 *
 * @throws ApiError invalid_input for a text that is not a JSON object, has a name twice or is nested too deep;
 *   payload_too_large
 */
export function writtenPayload(
  { config: { payloadBytesMax, limits } }: Context,
  written: string,
  path: Path,
  bodyBytesMax: number | null,
): { body: string; payload: object } {
  requireLength(written, ESCAPE_FACTOR * payloadBytesMax, path);
  const payload = objectIn(written, path);
  const body = unescapedJson(written);
  requireLength(body, payloadBytesMax, path, bodyBytesMax);
  requireDepth(payload, limits.payloadDepthMax, path);
  if (hasNameTwice(body, payload)) {
    throw invalidInput([{ path, code: 'name_twice', detail: 'has a field twice in one object' }]);
  }
  return { body, payload };
}

function objectIn(json: string, path: Path): object {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw invalidInput([{ path, code: 'not_json', detail: 'must be the text of a JSON object' }]);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidInput([{ path, code: 'no_object', detail: 'must be an object as JSON, such as {"code":"SUMMER"}' }]);
  }
  return value;
}

function requireDepth(payload: object, levelsMax: number, path: Path): void {
  if (isDeeperThan(payload, levelsMax)) {
    const detail = `must not be nested deeper than ${levelsMax} levels`;
    throw invalidInput([{ path, code: 'too_deep', detail }]);
  }
}

/** The state before a change is checked as a payload is. */
const FORMER_STATES = ['previous', 'previousBody'];

function requireLength(body: string, bytesMax: number, path: Path, ofTenant: number | null = null): void {
  const bytes = Buffer.byteLength(body, 'utf8');
  const isTenants = ofTenant !== null && ofTenant < bytesMax;
  const max = isTenants ? ofTenant : bytesMax;
  if (bytes > max) {
    const by = isTenants ? ' by the limit of the tenant (limits.bodyBytesMax)' : '';
    const named = path.at(-1);
    const what = FORMER_STATES.some((name) => name === named) ? `\`${named}\`` : 'The payload';
    const detail = `${what} has ${bytes} bytes as JSON; at most ${max} are allowed${by}.`;
    throw refusedAt(path, new ApiError('payload_too_large', detail));
  }
}

import { isDeeperThan, numberTooLarge } from '../../../domain/events/payload.js';
import { ApiError, invalidInput, type Path } from '../../../errors.js';
import type { Context } from '../../context/context.js';
import { refusedAt } from './emit-refusals.js';

/**
 * The text of a payload: the bytes that are stored, signed and sent. The schema is checked elsewhere.
 *
 * @param path of the payload in the arguments
 * @throws ApiError invalid_input for deep nesting or a number that JSON.parse made infinite; payload_too_large
 */
export function payloadText(
  { config: { payloadBytesMax, limits } }: Context,
  payload: Record<string, unknown>,
  path: Path,
): string {
  if (isDeeperThan(payload, limits.payloadDepthMax)) {
    const detail = `must not be nested deeper than ${limits.payloadDepthMax} levels`;
    throw invalidInput([{ path, code: 'too_deep', detail }]);
  }
  const body = JSON.stringify(payload);
  const bytes = Buffer.byteLength(body, 'utf8');
  if (bytes > payloadBytesMax) {
    const detail = `The payload has ${bytes} bytes as JSON; at most ${payloadBytesMax} are allowed.`;
    throw refusedAt(path, new ApiError('payload_too_large', detail));
  }
  // JSON.stringify writes an infinite number as null, so most bodies need no search.
  const lost = body.includes('null') ? numberTooLarge(payload) : null;
  if (lost !== null) {
    const detail = 'is too large for a number; send it as a text';
    throw invalidInput([{ path: [...path, ...lost], code: 'number_too_large', detail }]);
  }
  return body;
}

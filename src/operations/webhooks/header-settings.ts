import { HIDDEN } from '../../domain/deliveries/redact.js';
import {
  HEADERS_CHARS_MAX,
  HEADERS_MAX,
  headerKey,
  isSecret,
  type StoredHeader,
  type StoredHeaderChange,
  type StoredHeaders,
} from '../../domain/fields/headers.js';
import { refusedInput } from '../../errors.js';
import { tooManyHeaders } from '../fields/header-rules.js';

/**
 * @returns null: there are none
 * @throws ApiError invalid_input for too many, or too long ones
 */
export function mergeHeaders(before: StoredHeaders | null, { set, remove }: StoredHeaderChange): StoredHeaders | null {
  const gone = new Set([...Object.keys(set), ...remove].map(headerKey));
  const kept = Object.entries(before ?? {}).filter(([name]) => !gone.has(headerKey(name)));
  const headers = [...kept, ...Object.entries(set)];
  const chars = headers.reduce((sum, [name, header]) => sum + name.length + lengthOf(header), 0);
  const refused = (code: string, detail: string) => refusedInput(['delivery', 'setHeaders'], code, detail);
  if (headers.length > HEADERS_MAX) {
    throw refused(tooManyHeaders.params.code, tooManyHeaders.message);
  }
  if (chars > HEADERS_CHARS_MAX) {
    const detail = `must have at most ${HEADERS_CHARS_MAX} characters, with the names and with headers that are set already`;
    throw refused('headers_too_long', detail);
  }
  return headers.length === 0 ? null : Object.fromEntries(headers);
}

const lengthOf = (header: StoredHeader): number => (isSecret(header) ? header.length : header.value.length);

/** The names of headers that differ, without their values. */
export const auditedHeaders = (headers: StoredHeaders, other: StoredHeaders | null | undefined) =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name, header]) => JSON.stringify(header) !== JSON.stringify(other?.[name]))
      .map(([name, header]) => [name, isSecret(header) ? HIDDEN : '[value]']),
  );

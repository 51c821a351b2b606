import {
  HEADERS_CHARS_MAX,
  HEADERS_MAX,
  type HeaderChange,
  headerKey,
  isSealed,
  markOf,
  type StoredHeaders,
} from '../../domain/fields/headers.js';
import { HIDDEN } from '../../domain/redact.js';
import { invalidInput } from '../../errors.js';
import { tooManyHeaders } from '../fields/header-rules.js';

type StoredHeader = StoredHeaders[string];

/** A change of headers with sealed secrets. */
export interface SealedHeaderChange {
  set: readonly [name: string, header: StoredHeader][];
  remove: readonly string[];
}

/** The field that the envelope of a header's value is bound to: it opens under no other name. */
export const sealedAs = (name: string): string => `headers/${name.toLowerCase()}`;

export async function sealHeaders(
  { set, remove }: HeaderChange,
  seal: (value: string, field: string) => Promise<Buffer>,
): Promise<SealedHeaderChange> {
  const stored = set.map(async ({ name, value, secret }): Promise<[string, StoredHeader]> => {
    const sealed = secret ? (await seal(value, sealedAs(name))).toString('base64') : null;
    return [name, sealed === null ? { value } : { sealed, length: value.length, ...markOf(value) }];
  });
  return { set: await Promise.all(stored), remove };
}

/**
 * @returns null: there are none
 * @throws ApiError invalid_input for too many, or too long ones
 */
export function mergeHeaders(before: StoredHeaders | null, { set, remove }: SealedHeaderChange): StoredHeaders | null {
  const gone = new Set([...set.map(([name]) => name), ...remove].map(headerKey));
  const kept = Object.entries(before ?? {}).filter(([name]) => !gone.has(headerKey(name)));
  const headers = [...kept, ...set];
  const chars = headers.reduce((sum, [name, header]) => sum + name.length + lengthOf(header), 0);
  const refused = (code: string, detail: string) =>
    invalidInput([{ path: ['input', 'delivery', 'setHeaders'], code, detail }]);
  if (headers.length > HEADERS_MAX) {
    throw refused(tooManyHeaders.params.code, tooManyHeaders.message);
  }
  if (chars > HEADERS_CHARS_MAX) {
    const detail = `must have at most ${HEADERS_CHARS_MAX} characters, with the names and with headers that are set already`;
    throw refused('headers_too_long', detail);
  }
  return headers.length === 0 ? null : Object.fromEntries(headers);
}

const lengthOf = (header: StoredHeader): number => (isSealed(header) ? header.length : header.value.length);

/** The change that removes secret headers alone. */
export const withoutSecrets = (headers: StoredHeaders | null): SealedHeaderChange => ({
  set: [],
  remove: Object.entries(headers ?? {}).flatMap(([name, header]) => (isSealed(header) ? [name] : [])),
});

/** The names of headers that differ, without their values. */
export const auditedHeaders = (headers: StoredHeaders, other: StoredHeaders | null | undefined) =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name, header]) => JSON.stringify(header) !== JSON.stringify(other?.[name]))
      .map(([name, header]) => [name, isSealed(header) ? HIDDEN : '[value]']),
  );

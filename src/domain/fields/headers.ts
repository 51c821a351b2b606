import { type Held, heldOf, heldValue, type Replace } from './held.js';

/** Headers that a webhook's owner adds to its requests. */

export const HEADERS_MAX = 20;
const HEADER_NAME_CHARS_MAX = 64;
/** The limit of one value that people write, whichever header has it: long tokens have 3,000 characters. */
export const HEADER_VALUE_CHARS_MAX = 4_096;
/** The limit of all names and values together. */
export const HEADERS_CHARS_MAX = 8_192;

/** A header as its webhook's row has it. */
export type StoredHeader = { value: string } | SecretHeader;
type SecretHeader = Held & Marked & { length: number };
/** Facts about a secret value. */
export interface Marked {
  /** It has a placeholder, as people write them in contents; here it is sent as it stands. */
  placeholder?: true;
}
export type StoredHeaders = Readonly<Record<string, StoredHeader>>;

export interface HeaderInput {
  name: string;
  value: string;
  secret: boolean;
}

/** A change on its way to the row. */
export interface StoredHeaderChange {
  set: StoredHeaders;
  remove: readonly string[];
}

/** The others stay as they are. */
export interface HeaderChange {
  set: readonly HeaderInput[];
  remove: readonly string[];
}

/** A header as readers get it. */
export interface ShownHeader {
  name: string;
  value: string | null;
  secret: boolean;
}

export const isSecret = (header: StoredHeader): header is SecretHeader => !('value' in header);

export const storedHeaders = ({ set, remove }: HeaderChange): StoredHeaderChange => ({
  set: Object.fromEntries(
    set.map(({ name, value, secret }) => [
      name,
      secret ? { ...heldOf(value), length: value.length, ...markOf(value) } : { value },
    ]),
  ),
  remove,
});

/** Null: no header is left. */
export function withHeaderSecrets(value: StoredHeaders | StoredHeaderChange, field: string, replace: Replace) {
  const replaced = (headers: StoredHeaders): StoredHeaders =>
    Object.fromEntries(
      Object.entries(headers).flatMap(([name, header]): [string, StoredHeader][] => {
        if (!isSecret(header)) {
          return [[name, header]];
        }
        const { length, placeholder } = header;
        const other = replace({ name, sealedAs: `${field}/${name.toLowerCase()}`, value: heldValue(header) });
        return other === null ? [] : [[name, { ...heldOf(other), length, ...(placeholder && { placeholder }) }]];
      }),
    );
  if (Array.isArray(value['remove'])) {
    return { ...value, set: replaced((value as StoredHeaderChange).set) };
  }
  const headers = replaced(value as StoredHeaders);
  return Object.keys(headers).length === 0 ? null : headers;
}

export const markOf = (value: string): Marked => (/\{\{[^{}]+\}\}/.test(value) ? { placeholder: true } : {});

/** The names of those with a placeholder. */
export const withPlaceholders = (stored: StoredHeaders | null | undefined): string[] =>
  Object.entries(stored ?? {}).flatMap(([name, header]) =>
    (isSecret(header) ? header : markOf(header.value)).placeholder ? [name] : [],
  );

export const shownHeaders = (stored: StoredHeaders | null | undefined): ShownHeader[] =>
  Object.entries(stored ?? {}).map(([name, header]) =>
    isSecret(header) ? { name, value: null, secret: true } : { name, value: header.value, secret: false },
  );

/** A token (RFC 9110 §5.6.2). */
const NAME = /^(?!__proto__$)[!#$%&'*+.^_`|~0-9a-z-]+$/i;
/** Visible ASCII characters, with blanks only between them: nothing that ends a line or begins another header. */
const VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

const RESERVED = new Set([
  ...['authorization', 'host', 'connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'],
  ...['accept-encoding', 'date', 'forwarded', 'x-real-ip', 'traceparent', 'tracestate'],
]);
const RESERVED_BEGINNINGS = ['content-', 'proxy-', 'x-forwarded-', 'sec-', 'ce-', 'webhook-', 'svix-'];

/**
 * The same text for all names that a receiver may take for one header: CGI, WSGI and PHP make one variable of
 * `X-Service-Signature` and `x_service_signature`, and some servers of `X.Service.Signature` too.
 */
export const headerKey = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '-');

export const isSameHeader = (one: string, other: string): boolean => headerKey(one) === headerKey(other);

/** Headers of the service that its users may replace. */
const REPLACEABLE = ['user-agent', 'accept'];

/** The name that a header is sent with: one of the service's is replaced, not repeated. */
export const sentAs = (name: string): string => REPLACEABLE.find((one) => isSameHeader(one, name)) ?? name;

/** Whether the service, the connection or a proxy sets the header. @param prefix of the service's own headers */
export function isReserved(name: string, prefix: string): boolean {
  const key = headerKey(name);
  return (
    RESERVED.has(key) ||
    [...RESERVED_BEGINNINGS, headerKey(`${prefix}-`)].some((beginning) => key.startsWith(beginning))
  );
}

/** The code of a refusal of a name, and the end of its sentence; null: the name is allowed. */
export function nameProblem(name: string, prefix: string): { code: string; detail: string } | null {
  if (name.length > HEADER_NAME_CHARS_MAX || !NAME.test(name)) {
    const allowed = `1 to ${HEADER_NAME_CHARS_MAX} letters, digits and !#$%&'*+-.^_\`|~`;
    return {
      code: 'header_name_malformed',
      detail: `is not the name of a header, which has ${allowed}, and is not __proto__`,
    };
  }
  if (isSameHeader(name, 'authorization')) {
    return { code: 'header_not_allowed', detail: 'cannot be Authorization: use `auth` for it' };
  }
  return isReserved(name, prefix)
    ? { code: 'header_not_allowed', detail: 'is a header that the service or the connection sets; choose another name' }
    : null;
}

/** The sentence never has the value. */
export const valueProblem = (value: string): { code: string; detail: string } | null =>
  value.length <= HEADER_VALUE_CHARS_MAX && VALUE.test(value)
    ? null
    : {
        code: 'header_value_malformed',
        detail: `must be 1 to ${HEADER_VALUE_CHARS_MAX} visible ASCII characters, with blanks only between them`,
      };

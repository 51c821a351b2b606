/** The request's headers: a `Headers`, the object of a Node request, or entries. */
export type HeadersInput =
  | Iterable<readonly [name: string, value: string]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export type ReadHeader = (name: string) => string | undefined;

/**
 * Reads headers by name in any case. A header that was sent twice has its values joined by a comma, as in HTTP.
 *
 * @returns null for something that holds no headers
 */
export function headerReader(headers: HeadersInput): ReadHeader | null {
  if (typeof headers !== 'object' || headers === null) {
    return null;
  }
  const values = new Map<string, string>();
  for (const [name, value] of entriesOf(headers)) {
    if (value !== undefined && value !== null) {
      const before = values.get(name.toLowerCase());
      const text = String(value);
      values.set(name.toLowerCase(), before === undefined ? text : `${before}, ${text}`);
    }
  }
  return (name) => values.get(name.toLowerCase());
}

const entriesOf = (headers: HeadersInput): Iterable<readonly [string, string | readonly string[] | undefined]> =>
  Symbol.iterator in headers ? headers : Object.entries(headers);

/** For an installation whose headers do not begin with `X-Service`. */
export interface HeaderOptions {
  /** The installation's `HEADER_PREFIX`. Default: `X-Service`. */
  headerPrefix?: string | undefined;
  /** Whole names, each in place of prefix and suffix. */
  headerNames?: Partial<HeaderNames> | undefined;
}

export interface HeaderNames {
  event: string;
  delivery: string;
  signature: string;
  timestamp: string;
}

export function namesOf({ headerPrefix = 'X-Service', headerNames }: HeaderOptions): HeaderNames {
  return {
    event: headerNames?.event ?? `${headerPrefix}-Event`,
    delivery: headerNames?.delivery ?? `${headerPrefix}-Delivery`,
    signature: headerNames?.signature ?? `${headerPrefix}-Signature`,
    timestamp: headerNames?.timestamp ?? `${headerPrefix}-Timestamp`,
  };
}

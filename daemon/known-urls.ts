/** What a request needs to know of its url. */
export interface KnownUrl {
  /** Scheme, host and port. */
  origin: string;
  /** With the query. */
  path: string;
}

const KNOWN_MAX = 10_000;

/** Webhooks' urls, parsed once: the gate asks for each delivery's, and so does the sender. */
export class KnownUrls {
  readonly #known = new Map<string, KnownUrl | null>();

  /** @returns null for what is no url of http or https */
  find(text: string): KnownUrl | null {
    const known = this.#known.get(text);
    if (known !== undefined) {
      return known;
    }
    if (this.#known.size >= KNOWN_MAX) {
      this.#known.clear();
    }
    const url = URL.parse(text);
    const isHttp = url !== null && /^https?:$/.test(url.protocol);
    const found = isHttp ? { origin: url.origin, path: url.pathname + url.search } : null;
    this.#known.set(text, found);
    return found;
  }
}

/** Handles cookies and redirects like a browser, one request at a time. */
export class CookieClient {
  readonly #cookies = new Map<string, Map<string, string>>();
  /** All values of Set-Cookie so far. */
  readonly set: string[] = [];

  /** @param at what stands for a public origin: where its requests really go */
  constructor(private readonly at: Record<string, string> = {}) {}

  cookie(origin: string, name: string): string | undefined {
    return this.#cookiesOf(origin).get(name);
  }

  keep(origin: string, name: string, value: string): void {
    this.#cookiesOf(origin).set(name, value);
  }

  async ask(url: string, init: RequestInit = {}): Promise<Response> {
    const { origin, pathname, search } = new URL(url);
    const cookies = this.#cookiesOf(origin);
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const headers = { ...(init.headers as Record<string, string>), ...(cookie === '' ? {} : { cookie }) };
    const target = (this.at[origin] ?? origin) + pathname + search;
    const response = await fetch(target, { ...init, headers, redirect: 'manual' });
    for (const text of response.headers.getSetCookie()) {
      this.set.push(text);
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      if (value === '' || /max-age=0|expires=Thu, 01 Jan 1970/i.test(text)) {
        cookies.delete(name);
      } else {
        cookies.set(name, value);
      }
    }
    return response;
  }

  /** Follows redirects until a page comes, or one that begins with `until`. @returns where that is, and the answer */
  async follow(url: string, until = '', init: RequestInit = {}): Promise<{ url: string; response: Response }> {
    let response = await this.ask(url, init);
    let here = url;
    for (let hops = 0; hops < 10; hops++) {
      const next = response.headers.get('location');
      if (next === null) {
        return { url: here, response };
      }
      here = new URL(next, here).href;
      if (until !== '' && here.startsWith(until)) {
        return { url: here, response };
      }
      response = await this.ask(here);
    }
    throw new Error(`The redirects do not end: ${here}`);
  }

  #cookiesOf(origin: string): Map<string, string> {
    const found = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, found);
    return found;
  }
}

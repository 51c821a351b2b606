import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';

const TIMEOUT_MS = 30_000;
const TRIES_MAX = 8;
const PAUSE_SECONDS_MAX = 120;
/** Answers that a later try may improve. */
const PASSING = [429, 502, 503, 504];
const SECOND_MS = 1_000;

/** The former system refuses a request, or answers in another form. The message has no key and no query. */
export class SourceError extends Error {
  override readonly name = 'SourceError';

  constructor(
    message: string,
    /** The status of HTTP; 0 without an answer. */
    readonly status: number,
  ) {
    super(message);
  }
}

/** The API of a former system, which is only read. */
export class Source {
  readonly #base: string;

  /**
   * @param from the address that the user gave; without a path it gets `/api/v1`
   * @param keyName the environment variable of the key
   * @throws Error with a sentence for a text that is no address, or without a key
   */
  constructor(
    from: string,
    private readonly keyName: string,
    private readonly key = process.env[keyName] ?? '',
  ) {
    if (!URL.canParse(from) || !/^https?:$/.test(new URL(from).protocol)) {
      throw new Error(`--from ${from} is not an address; it begins with https:// or http://.`);
    }
    if (key === '') {
      throw new Error(`An API key of ${from} is missing. Give it in the environment variable ${keyName}.`);
    }
    const { origin, pathname } = new URL(from);
    this.#base = pathname === '/' ? `${origin}/api/v1` : `${origin}${pathname.replace(/\/+$/, '')}`;
  }

  /**
   * Reads one answer, again after the pause that a rate limit asks for.
   *
   * @param path with encoded parts
   * @param shape the part of the answer that the reader uses
   * @throws SourceError
   */
  async get<Answer>(
    path: string,
    shape: z.ZodType<Answer>,
    query: Readonly<Record<string, string | null | undefined>> = {},
  ): Promise<Answer> {
    const url = new URL(`${this.#base}${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value != null) {
        url.searchParams.set(name, value);
      }
    }
    const shown = `${url.origin}${url.pathname}`;
    const response = await this.#patient(url, shown);
    const read = shape.safeParse(await response.json().catch(() => undefined));
    if (!read.success) {
      const { path: place } = read.error.issues[0]!;
      const where = place.length === 0 ? '' : ` (${place.join('.')})`;
      throw new SourceError(`${shown} answers in another form than was expected${where}.`, response.status);
    }
    return read.data;
  }

  async #patient(url: URL, shown: string): Promise<Response> {
    for (let tries = 1; ; tries += 1) {
      const response = await this.#once(url, shown);
      if (response.ok) {
        return response;
      }
      await response.body?.cancel();
      if (!PASSING.includes(response.status) || tries === TRIES_MAX) {
        throw new SourceError(`${shown} answers ${response.status}.${this.#advice(response.status)}`, response.status);
      }
      await delay(pauseSeconds(response.headers.get('retry-after'), tries) * SECOND_MS);
    }
  }

  async #once(url: URL, shown: string): Promise<Response> {
    try {
      return await fetch(url, {
        headers: { authorization: `Bearer ${this.key}`, accept: 'application/json' },
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (error) {
      const { message, cause } = error as Error & { cause?: { code?: string } };
      throw new SourceError(`${shown} cannot be reached: ${cause?.code ?? message}.`, 0);
    }
  }

  #advice(status: number): string {
    if (status === 401 || status === 403) {
      return ` Is the key in ${this.keyName} one that may read it?`;
    }
    return status === 404 || status < 400 ? ' Is --from right?' : '';
  }
}

/** @param header seconds, or a date @returns seconds */
function pauseSeconds(header: string | null, tries: number): number {
  const asked = header === null ? Number.NaN : /^\d+$/.test(header) ? Number(header) : secondsUntil(header);
  const wanted = Number.isNaN(asked) ? 2 ** (tries - 1) : asked;
  return Math.min(Math.max(wanted, 0), PAUSE_SECONDS_MAX);
}

const secondsUntil = (date: string) => (Date.parse(date) - Date.now()) / SECOND_MS;

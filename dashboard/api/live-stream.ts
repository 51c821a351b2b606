import { BASE } from './base';
import type { LiveState } from './live-states';
import { pauseMs } from './passing';
import { eventsOf } from './server-events';
import { fetchSignedIn } from './session';

/** A subscription, as it is sent. */
export interface Wanted {
  query: string;
  variables: object;
}

/** What is wanted, by the key of the subscription. */
export type Wants = ReadonlyMap<string, Wanted>;

/** How far a tab has heard the changes. */
export interface Cursor {
  id: string;
  /** When the stream brought it, in ms since 1970 by this machine's clock: cursors themselves have no order. */
  at: number;
}

export interface Result {
  data?: Record<string, unknown> | null;
  errors?: readonly { extensions?: Record<string, unknown> }[];
}

/** What the stream says. Each tab of the session hears it. */
export type Heard =
  /** `keys`: the subscriptions that the stream carries, or is about to. */
  | { state: LiveState; keys: string[]; cursor: Cursor | undefined }
  | { results: [key: string, result: Result][]; cursor: Cursor | undefined }
  /** The subscription is over for good. */
  | { over: string };

/** How long updates are collected: at 100 a second the page renders ten times a second. */
const COLLECT_MS = 100;
/** The service carries no more in one stream. */
const CARRIED_MAX = 32;
/** The service sends something every 15 s. */
const SILENT_MS = 45_000;
/** A stream is answered within 2 s. One that waits longer may have got no connection from the browser. */
const ANSWER_MS = 5_000;
/** The browser gives a request a connection within this time, if it has one. */
const FREE_MS = 2_000;
const CROWDED_AGAIN_MS = 60_000;

/**
 * The stream of this tab: it carries several subscriptions. A stream that breaks is opened again, after 0.5 s to 15 s,
 * from its cursor, so nothing is missed; where that is too old the service says `resync` and the screens read again. So
 * is one whose token has ended: with the next one of the session, or to learn that the session is over.
 */
export class LiveStream {
  readonly #headers: Record<string, string>;
  readonly #tell: (heard: Heard) => void;
  readonly #isShared: boolean;
  #wants: Wants = new Map();
  #cursor: Cursor | undefined;
  #state: LiveState = 'off';
  #open: AbortController | undefined;
  #collected: [string, Result][] = [];
  #flushTimer: ReturnType<typeof setTimeout> | undefined;

  /** @param isShared all tabs have this one stream: it leaves them enough connections, however slow the service is */
  constructor(headers: Record<string, string>, tell: (heard: Heard) => void, isShared: boolean) {
    this.#headers = headers;
    this.#tell = tell;
    this.#isShared = isShared;
  }

  /**
   * Carries these subscriptions from now on, and no others.
   *
   * @param from how far a tab is that has come back: it needs the changes since then
   */
  carry(all: Wants, from: Cursor | undefined): void {
    const wants = new Map([...all].slice(0, CARRIED_MAX));
    const known = [...wants.keys()].filter((key) => this.#wants.has(key));
    const isSame = known.length === wants.size && known.length === this.#wants.size;
    const cursor = known.length === 0 ? from : olderOf(this.#cursor, from);
    if (isSame && cursor === this.#cursor && this.#open !== undefined) {
      this.#say(this.#state); // to tabs that have joined
      return;
    }
    this.close();
    this.#wants = wants;
    this.#cursor = cursor;
    if (wants.size > 0) {
      this.#open = new AbortController();
      void this.#keepOpen(this.#open.signal);
    }
  }

  close(): void {
    this.#flush();
    this.#open?.abort();
    this.#open = undefined;
    this.#state = 'off';
  }

  async #keepOpen(closed: AbortSignal): Promise<void> {
    for (let failures = 0; !closed.aborted; failures += 1) {
      this.#say(failures === 0 ? 'connecting' : this.#state === 'crowded' ? 'crowded' : 'waiting');
      const end = await this.#read(closed);
      if (closed.aborted) {
        return;
      }
      if (end === 'refused') {
        this.#say('off');
        return;
      }
      failures = end === 'cut' ? 0 : failures;
      this.#say(end === 'crowded' ? 'crowded' : 'waiting');
      const waitMs = end === 'crowded' ? CROWDED_AGAIN_MS : pauseMs(failures + 1);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }

  /** @returns how it ended: `cut` after it had begun, `failed` before, `refused` for good */
  async #read(closed: AbortSignal): Promise<'cut' | 'failed' | 'refused' | 'crowded'> {
    const given = new AbortController();
    const check = async () => this.#isShared || (await isAnotherFree()) || given.abort('crowded');
    const checkTimer = setInterval(() => void check(), ANSWER_MS);
    let silenceTimer = setTimeout(() => given.abort('silent'), SILENT_MS);
    let hasBegun = false;
    try {
      const response = await this.#ask(AbortSignal.any([closed, given.signal]));
      clearInterval(checkTimer);
      if (!response.ok || response.body === null) {
        const isOver = response.status < 500 && response.status !== 408 && response.status !== 429;
        return isOver ? 'refused' : 'failed';
      }
      void check();
      for await (const { id, event, data } of eventsOf(response.body)) {
        clearTimeout(silenceTimer);
        silenceTimer = setTimeout(() => given.abort('silent'), SILENT_MS);
        this.#cursor = id === undefined ? this.#cursor : { id, at: Date.now() };
        if (!hasBegun) {
          hasBegun = true;
          this.#say('live');
        }
        if (!this.#take(event, data)) {
          return 'failed';
        }
      }
      return 'cut';
    } catch {
      return given.signal.reason === 'crowded' ? 'crowded' : hasBegun ? 'cut' : 'failed';
    } finally {
      clearInterval(checkTimer);
      clearTimeout(silenceTimer);
      given.abort();
    }
  }

  #ask(signal: AbortSignal): Promise<Response> {
    return fetchSignedIn(`${BASE}/graphql/stream`, {
      method: 'POST',
      headers: {
        ...this.#headers,
        accept: 'text/event-stream',
        'content-type': 'application/json',
        ...(this.#cursor === undefined ? {} : { 'last-event-id': this.#cursor.id }),
      },
      body: JSON.stringify([...this.#wants.values()]),
      signal,
    });
  }

  /** @returns false where the stream must be opened again */
  #take(event: string | undefined, data: string): boolean {
    if (event === undefined) {
      this.#flushTimer ??= setTimeout(() => this.#flush(), COLLECT_MS); // the cursor alone
      return true;
    }
    const { id, payload } = JSON.parse(data) as { id: string; payload?: Result };
    const key = [...this.#wants.keys()][Number(id)];
    if (key === undefined) {
      return true;
    }
    if (payload === undefined) {
      this.#flush();
      this.#tell({ over: key });
    } else if (payload.errors?.some(isOfStream)) {
      return false;
    } else {
      this.#collected.push([key, payload]);
      this.#flushTimer ??= setTimeout(() => this.#flush(), COLLECT_MS);
    }
    return true;
  }

  #flush(): void {
    clearTimeout(this.#flushTimer);
    if (this.#flushTimer !== undefined) {
      this.#flushTimer = undefined;
      this.#tell({ results: this.#collected, cursor: this.#cursor });
      this.#collected = [];
    }
  }

  #say(state: LiveState): void {
    this.#state = state;
    this.#tell({ state, keys: [...this.#wants.keys()], cursor: state === 'live' ? this.#cursor : undefined });
  }
}

/** The cursor that comes before the other one. */
export function olderOf(one: Cursor | undefined, other: Cursor | undefined): Cursor | undefined {
  if (one === undefined || other === undefined) {
    return one ?? other;
  }
  return other.at < one.at ? other : one;
}

/** The token of an open stream has ended, or the service has failed: another request says more, or works. */
const isOfStream = ({ extensions }: { extensions?: Record<string, unknown> }): boolean =>
  ['unauthenticated', 'tenant_elsewhere', 'internal'].includes(extensions?.['reason'] as string);

/**
 * Whether the browser has another connection beside the stream's. Over HTTP/1.1 it has six for all tabs, and a stream in
 * the last one would leave none for any request of any tab.
 */
async function isAnotherFree(): Promise<boolean> {
  try {
    await fetch(`${BASE}/health/live`, { cache: 'no-store', signal: AbortSignal.timeout(FREE_MS) });
    return true;
  } catch (error) {
    return !(error instanceof DOMException && error.name === 'TimeoutError');
  }
}

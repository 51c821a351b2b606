import { type Cursor, type Heard, LiveStream, olderOf, type Wanted } from './live-stream';
import { sessions } from './session';
import { isFramed } from './tab-storage';

/** A tab that is visible says what it follows. Nothing: it has gone. */
interface Joined {
  tab: string;
  wants: [key: string, wanted: Wanted][];
  /** How far it has heard. */
  cursor: Cursor | undefined;
}

/** The tab that leads now asks all others for their `Joined`. */
type Message = Heard | Joined | { asks: true };

/** How long the wishes of tabs are gathered before a stream is opened for them. */
const GATHER_MS = 50;

/**
 * One stream for the visible tabs of a session, because over HTTP/1.1 a browser has six connections to a host for all
 * of its tabs. The tab that holds a lock leads: it has the stream, and hands on what it hears by a channel. When it is
 * hidden, closed or gone, the browser gives the lock to the next one.
 *
 * Browsers have locks on https and localhost alone. Elsewhere, and in frames, which have a session each, every tab
 * leads itself.
 */
export class SharedStream {
  readonly #headers: Record<string, string>;
  readonly #name: Promise<string | null>;
  readonly #hear: (message: Heard | { asks: true }) => void;
  readonly #mine: () => Omit<Joined, 'tab'>;
  readonly #tab = Math.random().toString(36).slice(2);
  #joined: AbortController | undefined;
  #channel: BroadcastChannel | undefined;
  #leading: Leading | undefined;

  /**
   * @param mine what this tab follows now
   * @param hear gets what the stream says; and `asks` when another tab has begun to lead
   */
  constructor(
    headers: Record<string, string>,
    mine: () => Omit<Joined, 'tab'>,
    hear: (message: Heard | { asks: true }) => void,
  ) {
    this.#headers = headers;
    this.#mine = mine;
    this.#hear = hear;
    this.#name = channelName(headers);
  }

  /** Takes part, or follows something else from now on. */
  join(): void {
    if (this.#joined === undefined) {
      this.#joined = new AbortController();
      void this.#enter(this.#joined.signal);
    } else {
      this.#say({ tab: this.#tab, ...this.#mine() });
    }
  }

  leave(): void {
    if (this.#joined !== undefined) {
      this.#say({ tab: this.#tab, wants: [], cursor: undefined });
      this.#joined.abort();
      this.#joined = undefined;
    }
  }

  async #enter(left: AbortSignal): Promise<void> {
    const name = await this.#name;
    if (left.aborted) {
      return;
    }
    try {
      if (name !== null) {
        this.#open(name, left);
        await navigator.locks.request(name, { signal: left }, () => this.#lead(left, true));
        return;
      }
    } catch {
      // It has left while it waited; or the person has switched off what locks need.
    }
    if (!left.aborted) {
      await this.#lead(left, false);
    }
  }

  #open(name: string, left: AbortSignal): void {
    const channel = new BroadcastChannel(name);
    this.#channel = channel;
    channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if ('tab' in data) {
        this.#leading?.take(data);
        return;
      }
      this.#hear(data);
      if ('asks' in data) {
        this.#say({ tab: this.#tab, ...this.#mine() });
      }
    });
    left.addEventListener('abort', () => {
      channel.close();
      this.#channel = undefined;
    });
    this.#say({ tab: this.#tab, ...this.#mine() });
  }

  /** @returns when this tab has left */
  #lead(left: AbortSignal, isShared: boolean): Promise<void> {
    const tell = (heard: Heard) => {
      this.#channel?.postMessage(heard);
      this.#hear(heard);
    };
    const leading = new Leading(new LiveStream(this.#headers, tell, isShared));
    this.#leading = leading;
    this.#say({ asks: true });
    this.#say({ tab: this.#tab, ...this.#mine() });
    const { promise, resolve } = Promise.withResolvers<void>();
    left.addEventListener('abort', () => {
      leading.end();
      this.#leading = undefined;
      resolve();
    });
    return promise;
  }

  #say(message: Joined | { asks: true }): void {
    this.#channel?.postMessage(message);
    if ('tab' in message) {
      this.#leading?.take(message);
    }
  }
}

/** The part of the tab that leads. */
class Leading {
  readonly #stream: LiveStream;
  readonly #tabs = new Map<string, Joined['wants']>();
  #from: Cursor | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(stream: LiveStream) {
    this.#stream = stream;
  }

  take({ tab, wants, cursor }: Joined): void {
    if (!this.#tabs.has(tab)) {
      this.#from = olderOf(this.#from, cursor); // others have heard what the stream has said
    }
    if (wants.length === 0) {
      this.#tabs.delete(tab);
    } else {
      this.#tabs.set(tab, wants);
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#stream.carry(new Map([...this.#tabs.values()].flat()), this.#from);
      this.#from = undefined;
    }, GATHER_MS);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#stream.close();
  }
}

/** One for each session and tenant; null where tabs share nothing. It says nothing about the token. */
async function channelName(headers: Record<string, string>): Promise<string | null> {
  if (isFramed || navigator.locks === undefined) {
    return null;
  }
  const whose = new TextEncoder().encode(JSON.stringify([sessions.token, headers]));
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', whose));
  return `hookwright live ${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

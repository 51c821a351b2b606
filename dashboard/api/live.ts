import type { SubscriptionForwarder } from 'urql';
import { type LiveState, liveStates } from './live-states';
import type { Cursor, Heard, Result, Wanted } from './live-stream';
import { SharedStream } from './shared-stream';

/** Options of a subscription, given as its context. */
export interface StreamContext {
  /** The stream begins now: what was read before may be older than its first update, and what is read now is not. */
  onBegin?: () => void;
}

interface Follow extends StreamContext {
  wanted: Wanted;
  hasBegun: boolean;
  next(result: Result): void;
  complete(): void;
}

/** A screen ends its subscriptions just before the next one begins its own. */
const SETTLE_MS = 20;

/**
 * The subscriptions of a client. They have a stream while somebody can see this tab; when it is shown again they go on
 * from where they were.
 */
export class LiveConnection {
  readonly #shared: SharedStream;
  readonly #follows = new Map<string, Follow>();
  #cursor: Cursor | undefined;
  #state: LiveState = 'connecting';
  /** What the stream carries, since this tab takes part in it. */
  #carried = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(headers: Record<string, string>) {
    const mine = () => ({
      wants: [...this.#follows].map(([key, { wanted }]): [string, Wanted] => [key, wanted]),
      cursor: this.#cursor,
    });
    this.#shared = new SharedStream(headers, mine, this.#hear);
  }

  subscribe: SubscriptionForwarder = ({ query = '', variables = {} }, { key, context }) => ({
    subscribe: (observer) => {
      const { onBegin } = context as StreamContext;
      const follow: Follow = {
        wanted: { query, variables },
        hasBegun: false,
        ...(onBegin === undefined ? {} : { onBegin }),
        next: (result) => observer.next(result),
        complete: () => observer.complete(),
      };
      this.#follows.set(String(key), follow);
      this.#settle();
      return {
        unsubscribe: () => {
          this.#follows.delete(String(key));
          this.#settle();
        },
      };
    },
  });

  #settle(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#follows.size > 0) {
        document.addEventListener('visibilitychange', this.#takePart);
      } else {
        document.removeEventListener('visibilitychange', this.#takePart);
        this.#cursor = undefined;
      }
      this.#takePart();
    }, SETTLE_MS);
  }

  #takePart = (): void => {
    if (this.#follows.size > 0 && !document.hidden) {
      this.#shared.join();
    } else {
      this.#shared.leave();
      this.#carried.clear();
      this.#state = 'connecting';
    }
    this.#show();
  };

  #hear = (heard: Heard | { asks: true }): void => {
    if ('asks' in heard) {
      this.#carried.clear();
      this.#state = 'connecting';
    } else if ('over' in heard) {
      this.#follows.get(heard.over)?.complete();
      this.#follows.delete(heard.over);
      this.#settle();
    } else if ('state' in heard) {
      this.#state = heard.state;
      if (heard.state === 'live') {
        this.#carried = new Set(heard.keys);
        this.#keep(heard.cursor);
        this.#begin();
      }
    } else {
      for (const [key, result] of heard.results) {
        this.#follows.get(key)?.next(result);
      }
      this.#keep(heard.cursor);
    }
    this.#show();
  };

  #begin(): void {
    for (const [key, follow] of this.#follows) {
      if (!follow.hasBegun && this.#carried.has(key)) {
        follow.hasBegun = true;
        follow.onBegin?.();
      }
    }
  }

  /** A stream that does not carry all that had begun here is not where this tab is. */
  #keep(cursor: Cursor | undefined): void {
    if ([...this.#follows].every(([key, { hasBegun }]) => !hasBegun || this.#carried.has(key))) {
      this.#cursor = cursor ?? this.#cursor;
    }
  }

  #show(): void {
    const isMissing = this.#state === 'live' && [...this.#follows.keys()].some((key) => !this.#carried.has(key));
    liveStates.set(this, this.#follows.size === 0 ? 'off' : isMissing ? 'connecting' : this.#state);
  }
}

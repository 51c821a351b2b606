import { createClient } from 'graphql-sse';
import type { SubscriptionForwarder } from 'urql';
import { fetchSignedIn } from './session';

/** How long updates are collected: at 100 a second the page renders ten times a second. */
const COLLECT_MS = 100;

/** The state of the live updates, as the page shows it. */
export type LiveState = 'off' | 'connecting' | 'live' | 'waiting';

type Update = Record<string, { cursor?: string } | undefined>;

interface Result {
  data?: Update | null;
  errors?: readonly { extensions?: Record<string, unknown> }[];
}

/** Reports the state of the streams to the frame: the worst of all of them. */
class LiveStates {
  #states = new Map<object, LiveState>();
  #listeners = new Set<() => void>();

  read = (): LiveState => {
    const all = [...this.#states.values()];
    return (['waiting', 'connecting', 'live'] as const).find((state) => all.includes(state)) ?? 'off';
  };

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  set(stream: object, state: LiveState): void {
    if (state === 'off') {
      this.#states.delete(stream);
    } else {
      this.#states.set(stream, state);
    }
    for (const listener of this.#listeners) {
      listener();
    }
  }
}

export const liveStates = new LiveStates();

/** Options of a subscription, given as its context. */
export interface StreamContext {
  /** The stream begins now: what was read before may be older than its first update, and what is read now is not. */
  onBegin?: () => void;
}

/**
 * Subscriptions over server-sent events. A stream that breaks is opened again, after 0.5 s to 15 s, from the cursor of
 * its last update, or of its beginning, so nothing is missed; where that is too old the service says `resync` and the screens read again. So
 * is one whose token has ended: with the next one of the session, or to learn that the session is over.
 */
export class LiveConnection {
  readonly #headers: Record<string, string>;

  constructor(headers: Record<string, string>) {
    this.#headers = headers;
  }

  subscribe: SubscriptionForwarder = (request, operation) => ({
    subscribe: (observer) => {
      const stream = {};
      let cursor: string | undefined;
      let flushTimer: ReturnType<typeof setTimeout> | undefined;
      let collected: Result[] = [];
      const flush = () => {
        flushTimer = undefined;
        const batch = collected;
        collected = [];
        for (const result of batch) {
          observer.next(result);
        }
      };
      const client = createClient({
        url: '/graphql/stream',
        headers: () => ({ ...this.#headers, ...(cursor === undefined ? {} : { 'last-event-id': cursor }) }),
        retryAttempts: Number.POSITIVE_INFINITY,
        retry: (retries) => {
          liveStates.set(stream, 'waiting');
          const longest = Math.min(15_000, 500 * 2 ** retries);
          return new Promise((resolve) => setTimeout(resolve, longest * (0.5 + Math.random() / 2)));
        },
        onMessage: () => liveStates.set(stream, 'live'),
        fetchFn: async (input: RequestInfo, init?: RequestInit) => {
          const response = await fetchSignedIn(input, init);
          if (!response.ok) {
            return response;
          }
          liveStates.set(stream, 'live');
          if (cursor !== undefined) {
            return response;
          }
          (operation.context as StreamContext).onBegin?.();
          return withFirstId(response, (id) => {
            cursor ??= id;
          });
        },
      });
      liveStates.set(stream, 'connecting');
      let stop = () => {};
      const open = () => {
        let isOpen = true;
        const whileOpen = (act: () => void) => isOpen && act();
        const close = client.subscribe<Update>(
          { query: request.query ?? '', variables: request.variables ?? {} },
          {
            next: (result) =>
              whileOpen(() => {
                if (isRefusal(result as Result)) {
                  stop();
                  open();
                  return;
                }
                cursor = Object.values(result.data ?? {})[0]?.cursor ?? cursor;
                collected.push(result as Result);
                flushTimer ??= setTimeout(flush, COLLECT_MS);
              }),
            error: (error) =>
              whileOpen(() => {
                liveStates.set(stream, 'off');
                observer.error(error);
              }),
            complete: () =>
              whileOpen(() => {
                liveStates.set(stream, 'off');
                observer.complete();
              }),
          },
        );
        stop = () => {
          isOpen = false;
          close();
        };
      };
      open();
      return {
        unsubscribe: () => {
          clearTimeout(flushTimer);
          stop();
          client.dispose();
          liveStates.set(stream, 'off');
        },
      };
    },
  });
}

/** The token of an open stream has ended. */
const isRefusal = ({ errors }: Result): boolean =>
  errors?.some(({ extensions }) => extensions?.['reason'] === 'unauthenticated') ?? false;

/** graphql-sse reads no ids, so of a stream that has brought no update yet it does not know where it began. */
function withFirstId(response: Response, found: (id: string) => void): Response {
  let text = '';
  const decoder = new TextDecoder();
  const read = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      controller.enqueue(chunk);
      if (!text.includes('\n\n')) {
        text += decoder.decode(chunk, { stream: true });
        const [, id] = /^id: (.+)\n\n/.exec(text) ?? [];
        if (id !== undefined) {
          found(id);
        }
      }
    },
  });
  return new Response(response.body?.pipeThrough(read) ?? null, response);
}

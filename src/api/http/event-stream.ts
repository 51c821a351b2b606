import type { ServerResponse } from 'node:http';
import { writeJson } from '../graphql/fields/json-text.js';

interface EventStreamOptions {
  heartbeatMs: number;
  /** The longest time without reading anything. */
  slowMs: number;
  lifeMs: number;
  /** The current id, sent at the beginning and with each heartbeat. */
  reached: () => string | undefined;
  /** Called once, however the stream ends. */
  onEnd: (reason: EndReason) => void;
}

/** An ending process waits this long for clients that have stopped reading. */
const END_WAIT_MAX_MS = 1_000;

/** Logs, metrics and the comment at the end of the stream name it. */
export type EndReason = 'client_left' | 'too_slow' | 'complete' | 'age' | 'service_ends';

/** The text of an event. A line break between the values of a payload would end its data. */
export const nextEvent = (id: string | null, result: object): string =>
  `event: next\n${id === null ? '' : `id: ${id}\n`}data: ${writeJson(result).replaceAll(/[\r\n]/g, ' ')}\n\n`;

/** @param place of the subscription that is over, in the list of the request; null: a single one */
export const completeEvent = (place: number | null): string =>
  `event: complete\ndata:${place === null ? '' : ` {"id":"${place}"}`}\n\n`;

/**
 * Server-sent events in graphql-sse's protocol. An event is written when the previous one has left the process, so at
 * most one waits in memory. The server of graphql-sse would keep any number.
 */
export class EventStream {
  readonly #heartbeat: NodeJS.Timeout;
  readonly #life: NodeJS.Timeout;
  #hasEnded = false;

  constructor(
    private readonly response: ServerResponse,
    private readonly options: EventStreamOptions,
    headers: Record<string, string | number | string[] | undefined>,
  ) {
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      connection: 'close',
    });
    response.socket?.setTimeout(0); // a silent stream is not idle
    response.socket?.setNoDelay(true);
    this.#beat();
    response.once('close', () => this.#ended('client_left'));
    // The server would go on answering. But it looks the same when a client leaves, and its place is wanted.
    response.socket?.once('end', () => this.destroy('client_left'));
    response.on('error', () => {});
    this.#heartbeat = setInterval(() => this.#beat(), options.heartbeatMs);
    this.#life = setTimeout(() => this.end('age'), options.lifeMs);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Writes an event. Resolves when the next one can be written, or the stream has ended. */
  async next(id: string | null, result: object): Promise<void> {
    if (this.#hasEnded || this.response.write(nextEvent(id, result))) {
      return;
    }
    await new Promise<void>((resolve) => {
      const slow = setTimeout(() => this.destroy('too_slow'), this.options.slowMs);
      const done = () => {
        clearTimeout(slow);
        this.response.off('drain', done).off('close', done);
        resolve();
      };
      this.response.once('drain', done).once('close', done);
    });
  }

  /** Says that one subscription of a list is over. The stream goes on with the others. */
  completeOne(place: number): void {
    if (!this.#hasEnded) {
      this.response.write(completeEvent(place));
    }
  }

  /** Ends the stream for good, with all of its subscriptions: the client does not come back. */
  complete(places: readonly (number | null)[]): void {
    if (!this.#hasEnded) {
      this.response.write(places.map(completeEvent).join(''));
      this.end('complete');
    }
  }

  /** Ends the connection. Without `complete` the client comes back. */
  end(reason: EndReason): void {
    if (!this.#hasEnded) {
      this.#ended(reason);
      this.response.end(`: ${reason}\n\n`);
      const cut = setTimeout(() => this.response.destroy(), END_WAIT_MAX_MS);
      this.response.once('close', () => clearTimeout(cut));
    }
  }

  /** Ends at once and drops unsent events. */
  destroy(reason: EndReason): void {
    this.#ended(reason);
    this.response.destroy();
  }

  #beat(): void {
    if (!this.response.writableNeedDrain) {
      const id = this.options.reached();
      this.response.write(id === undefined ? ':\n\n' : `id: ${id}\n\n`);
    }
  }

  #ended(reason: EndReason): void {
    if (!this.#hasEnded) {
      this.#hasEnded = true;
      clearInterval(this.#heartbeat);
      clearTimeout(this.#life);
      this.options.onEnd(reason);
    }
  }
}

import type { ServerResponse } from 'node:http';
import { writeJson } from '../graphql/fields/json-text.js';

interface EventStreamOptions {
  heartbeatMs: number;
  /** How long a reader may take nothing while there is something for it. */
  slowMs: number;
  lifeMs: number;
  /** The id that the reader has reached, sent at the beginning and with each heartbeat. */
  reached: () => string | undefined;
  /** Called once, however the stream ends. */
  onEnd: (reason: EndReason) => void;
}

/** A process that ends does not wait for a reader that has stopped reading. */
const END_PATIENCE_MS = 1_000;

/** As logs and metrics have it, and a comment at the end of the stream. */
export type EndReason = 'client_left' | 'too_slow' | 'complete' | 'age' | 'service_ends';

/**
 * Server-sent events in the form of graphql-sse's protocol, one operation a connection. Each event is written when the
 * one before it has left this process, so at most one waits in memory. graphql-sse's own server keeps as many as come.
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
    response.socket?.setTimeout(0); // silence is no idleness here: the heartbeat and the reader's patience decide
    response.socket?.setNoDelay(true);
    this.#beat();
    response.once('close', () => this.#ended('client_left'));
    response.on('error', () => {});
    this.#heartbeat = setInterval(() => this.#beat(), options.heartbeatMs);
    this.#life = setTimeout(() => this.end('age'), options.lifeMs);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** @returns when there is room for another one, or the stream has ended */
  async next(id: string | null, result: object): Promise<void> {
    const idLine = id === null ? '' : `id: ${id}\n`;
    // A payload may have line breaks between its values, which would end the event's data.
    const data = writeJson(result).replaceAll(/[\r\n]/g, ' ');
    await this.#write(`event: next\n${idLine}data: ${data}\n\n`);
  }

  /** Tells the client that nothing more will come, and that it need not come back. */
  complete(): void {
    if (!this.#hasEnded) {
      this.response.write('event: complete\ndata:\n\n');
      this.end('complete');
    }
  }

  /** Without `complete` a client takes it for a broken connection, and comes back. */
  end(reason: EndReason): void {
    if (!this.#hasEnded) {
      this.#ended(reason);
      this.response.end(`: ${reason}\n\n`);
      // What a reader that has stopped reading leaves behind is not kept for it.
      const cut = setTimeout(() => this.response.destroy(), END_PATIENCE_MS);
      this.response.once('close', () => clearTimeout(cut));
    }
  }

  /** At once, with what was not sent. */
  destroy(reason: EndReason): void {
    this.#ended(reason);
    this.response.destroy();
  }

  async #write(text: string): Promise<void> {
    if (this.#hasEnded || this.response.write(text)) {
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

import pg from 'pg';
import { destroySocket } from './destroy-socket.js';
import { GatheringSocket } from './gathering-socket.js';
import { PrimaryClient } from './primary-client.js';

type Callback = (error: Error | undefined, result: unknown) => void;
type Query = (...args: unknown[]) => unknown;

/**
 * A connection for thousands of statements a second, without cursors and COPY. The driver assigns a function to a
 * property of each query that has a promise or a time limit; V8 makes it among the old objects, where it keeps query
 * and rows alive long after the answer (docs/performance.md, "What garbage costs"). So every query has a callback here,
 * and the connection has one time limit for all, `query_timeout`.
 */
export class QuietClient extends PrimaryClient {
  #unanswered = 0;
  /** None without `query_timeout`. */
  readonly #limit: NodeJS.Timeout | undefined;

  constructor(config?: pg.ClientConfig) {
    super({ ...config, query_timeout: 0, stream: () => new GatheringSocket() } as pg.ClientConfig);
    this.query = ((...args) => this.#query(args)) as Query as typeof this.query;
    const limitMs = config?.query_timeout;
    this.#limit = limitMs ? setTimeout(() => this.#cutIfSilent(), limitMs).unref() : undefined;
    this.once('end', () => clearTimeout(this.#limit));
  }

  #query(args: unknown[]): unknown {
    const callback = args.at(-1);
    if (typeof callback === 'function') {
      return this.#send(args.slice(0, -1), callback as Callback);
    }
    const [config, ...rest] = args;
    const answer = new Promise((resolve, reject) => {
      const answered: Callback = (error, result) => (error ? reject(error) : resolve(result));
      // A copy, because the driver writes the callback into it.
      this.#send([typeof config === 'object' ? { ...config } : config, ...rest], answered);
    });
    return answer.catch((error: Error) => {
      Error.captureStackTrace(error); // leads to the caller instead of a socket
      throw error;
    });
  }

  #send(args: unknown[], callback: Callback): unknown {
    this.#unanswered += 1;
    this.#limit?.refresh();
    let isAnswered = false;
    // The driver calls a second time for values that it cannot send.
    const answered: Callback = (error, result) => {
      if (!isAnswered) {
        isAnswered = true;
        this.#unanswered -= 1;
        callback(error, result);
      }
    };
    return (pg.Client.prototype.query as Query).apply(this, [...args, answered]);
  }

  /** A connection that swallows everything shows no error by itself. */
  #cutIfSilent(): void {
    if (this.#unanswered > 0) {
      destroySocket(this, new Error('Query read timeout'));
    }
  }
}

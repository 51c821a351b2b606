import { setTimeout as delay } from 'node:timers/promises';
import { isRunning, type Server } from './server.js';

const LOOK_EVERY_MS = 500;
const AGAIN_AFTER_MS = 2_000;

export interface KeeperDeps {
  /** The server as it is now. */
  server(): Server;
  /** Starts another one in its place. */
  startAgain(): Promise<void>;
  log(line: string): void;
}

/** Starts the server again whenever it has ended though nobody of ours has asked it to: killed, or out of memory or disk. */
export class Keeper {
  readonly #stopping = new AbortController();
  readonly #watching: Promise<void>;

  constructor(private readonly deps: KeeperDeps) {
    this.#watching = this.#watch();
  }

  /** @returns when it starts none any more */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const { server, startAgain, log } = this.deps;
    while (await this.#pause(LOOK_EVERY_MS)) {
      const { process } = server();
      if (isRunning(process)) {
        continue;
      }
      log(`Postgres (process ${process.pid}) has ended, though nobody asked it to: starting it again`);
      try {
        await startAgain();
        log(`Postgres is there again: process ${server().process.pid}`);
      } catch (error) {
        log(`${(error as Error).message}\nTrying again in ${AGAIN_AFTER_MS / 1_000} s.`);
        await this.#pause(AGAIN_AFTER_MS);
      }
    }
  }

  /** @returns false once it is to stop; it keeps no process alive */
  async #pause(ms: number): Promise<boolean> {
    const { signal } = this.#stopping;
    await delay(ms, undefined, { signal, ref: false }).catch(() => {});
    return !signal.aborted;
  }
}

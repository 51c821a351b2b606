import { setTimeout as delay } from 'node:timers/promises';
import { isRunning, type Server } from './server.js';

const LOOK_EVERY_MS = 500;
const AGAIN_AFTER_MS = 2_000;

/** Has the server as it is now: where it is to be kept running, another one takes the place of one that has ended. */
export class Keeper {
  readonly #stopping = new AbortController();
  #watching: Promise<void> | undefined;

  /**
   * @param startAgain called when it has ended though nobody of ours has asked it to: killed, or out of memory or disk
   */
  constructor(
    public server: Server,
    private readonly startAgain: () => Promise<Server>,
    private readonly log: (line: string) => void,
    private readonly warn: (line: string) => void,
  ) {}

  keepRunning(): void {
    this.#watching ??= this.#watch();
  }

  /** @returns when it starts none any more */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    while (await this.#pause(LOOK_EVERY_MS)) {
      if (isRunning(this.server.process)) {
        continue;
      }
      this.warn('Postgres has ended, though nobody asked it to; starting it again');
      try {
        this.server = await this.startAgain();
        this.log(`Postgres is there again: process ${this.server.process.pid}`);
      } catch (error) {
        this.warn(`${(error as Error).message}\nTrying again in ${AGAIN_AFTER_MS / 1_000} s.`);
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

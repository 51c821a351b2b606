import { Socket } from 'node:net';

/**
 * A socket that sends everything written in one iteration of the event loop by one system call. The driver makes a call
 * for each statement, so a transaction of six statements would wake Postgres six times.
 */
export class GatheringSocket extends Socket {
  #gathers = false;

  override connect(...to: unknown[]): this {
    super.connect(...(to as [number]));
    Reflect.deleteProperty(this, 'write'); // Node's own, which `connect` has set before ours
    return this;
  }

  // One signature for the two that it overrides.
  override write(chunk: string | Uint8Array, ...rest: never[]): boolean {
    if (!this.#gathers) {
      this.#gathers = true;
      this.cork();
      // After the callbacks of promises that have resolved: their writes are gathered too.
      process.nextTick(() => {
        this.#gathers = false;
        this.uncork();
      });
    }
    return super.write(chunk, ...rest);
  }
}

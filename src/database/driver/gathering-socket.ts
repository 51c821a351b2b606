import { Socket } from 'node:net';

/**
 * A socket on which all that is written in one turn of the event loop leaves in one system call. The driver makes one
 * for each statement, so a transaction of six that are sent without waiting would wake Postgres six times.
 */
export class GatheringSocket extends Socket {
  #gathers = false;

  override connect(...to: unknown[]): this {
    super.connect(...(to as [number]));
    Reflect.deleteProperty(this, 'write'); // Node's own, which `connect` has just put before ours
    return this;
  }

  // One signature for the two that it overrides, which differ in what may be left out.
  override write(chunk: string | Uint8Array, ...rest: never[]): boolean {
    if (!this.#gathers) {
      this.#gathers = true;
      this.cork();
      // After all promises that are settled now: what follows them is written in this turn too.
      process.nextTick(() => {
        this.#gathers = false;
        this.uncork();
      });
    }
    return super.write(chunk, ...rest);
  }
}

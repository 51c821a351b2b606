import { openSlowNetwork } from '../test/support/slow-network.js';
import { serveMethods } from './child.js';

/** A distance between the service and the receiver, in a process of its own: what goes through takes no time of theirs. */

const methods = {
  /** @returns the origin from which it leads to another one, on 127.0.0.1 */
  async open({ origin, oneWayMs }: { origin: string; oneWayMs: number }): Promise<string> {
    const { port } = await openSlowNetwork({ to: Number(new URL(origin).port), oneWayMs });
    return `http://127.0.0.1:${port}`;
  },
};
export type SlowNetworkMethods = typeof methods;

serveMethods(methods);

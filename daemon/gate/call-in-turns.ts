import type { Endpoint } from './endpoint.js';

/**
 * Calls endpoints that wait for places which they share, each once at most. One that was called and still waits is the
 * last one the next time.
 *
 * @param isPlace whether there is another place
 */
export function callInTurns(waiting: Set<Endpoint>, isPlace: () => boolean, call: (next: Endpoint) => void): void {
  for (let left = waiting.size; left > 0 && isPlace(); left -= 1) {
    const [next] = waiting;
    if (next === undefined) {
      return;
    }
    call(next);
    if (waiting.delete(next)) {
      waiting.add(next);
    }
  }
}

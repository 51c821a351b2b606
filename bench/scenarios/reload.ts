import { setTimeout as delay } from 'node:timers/promises';
import { type Endpoint, quickRetries, scenarioOfCases } from '../cases.js';
import { lagSince } from '../journal.js';
import { nowMicroseconds } from '../payload.js';
import type { Rig } from '../rig.js';

const RATE_PER_SECOND = 80;
const ANSWER_MS = 5;
/** Emitted at once before each reload, so that this many connections have nothing to do soon after. */
const CONNECTIONS = 30;
const EVERY_MS = 2000;
const ARRIVAL_WITHIN_MS = 10_000;

/**
 * A receiver that is some way off, answers at once and closes its idle connections all at one time, as a web server or a
 * balancer does that is reloaded: once for each of --seconds, and twice at least. It refuses nothing. What the service
 * sends until it hears of it, a round trip later, comes to connections that are gone.
 */
export const reload = scenarioOfCases(
  {
    name: 'reload',
    title: `${RATE_PER_SECOND} emits a second to a receiver that closes its idle connections again and again`,
    settings: quickRetries,
  },
  [10, 50, 100].map((oneWayMs) => ({
    name: `rtt-${2 * oneWayMs}ms`,
    usual: true,
    place: { oneWayMs, latencyMs: ANSWER_MS },
    async measure(endpoint, rig) {
      const reloaded = await endpoint.emitWhile(RATE_PER_SECOND, async () => {
        await delay(EVERY_MS); // so that the window is open
        return reloadAgainAndAgain(rig, endpoint, oneWayMs);
      });
      await endpoint.settle(ARRIVAL_WITHIN_MS);
      const { attempts } = await endpoint.recorded();
      const { notArrived, ...verdict } = await endpoint.verdict();
      return {
        ...verdict,
        attemptsPerDelivery: attempts / endpoint.promised,
        arrivalMaxMs: lagSince(await endpoint.journal(), reloaded.firstAt).summary()?.maxMs ?? Number.NaN,
        notArrived,
        closedEachTime: reloaded.closedEachTime,
      };
    },
  })),
);

async function reloadAgainAndAgain(rig: Rig, endpoint: Endpoint, oneWayMs: number) {
  const reloads = Math.max(2, Math.round(rig.seconds));
  const firstAt = nowMicroseconds();
  let closed = 0;
  for (let i = 0; i < reloads; i++) {
    await endpoint.emitAtOnce(CONNECTIONS);
    await delay(8 * oneWayMs);
    closed += await rig.receiver.call('closeIdle', endpoint.group);
    await delay(EVERY_MS - 8 * oneWayMs);
  }
  return { firstAt, closedEachTime: closed / reloads };
}

import { setTimeout as delay } from 'node:timers/promises';
import { scenarioOfCases } from '../cases.js';
import type { Histogram } from '../histogram.js';
import { type Journal, lagSince, overtakenSeconds } from '../journal.js';
import { nowMicroseconds } from '../payload.js';
import { latencyFigures } from '../steady.js';

/** Times --seconds. */
const EMIT_MS = 15_000;
/** Until then the window opens. */
const OPENS_WITHIN_MS = 10_000;
const ARRIVAL_WITHIN_MS = 10_000;

/**
 * An endpoint that takes long for each answer, but can answer as many at once as come. The lag, from emit to arrival, and
 * how far a delivery was overtaken, are of what is emitted from the tenth second on (with a short run: in its second
 * half); with `:start` of all.
 */
export const slow = scenarioOfCases(
  { name: 'slow', title: 'an endpoint takes long for each answer: <how long>@<emits a second>' },
  [
    { latencyMs: 600, ratePerSecond: 20, usual: true },
    { latencyMs: 800, ratePerSecond: 30, usual: false },
    { latencyMs: 2000, ratePerSecond: 30, usual: true },
    { latencyMs: 600, ratePerSecond: 40, usual: false, fromStart: true },
  ].map(({ latencyMs, ratePerSecond, usual, fromStart = false }) => ({
    name: `${latencyMs}ms@${ratePerSecond}${fromStart ? ':start' : ''}`,
    usual,
    place: { latencyMs },
    async measure(endpoint, rig) {
      const emitMs = EMIT_MS * rig.seconds;
      const since = nowMicroseconds() + (fromStart ? 0 : 1000 * Math.min(OPENS_WITHIN_MS, emitMs / 2));
      await endpoint.emitWhile(ratePerSecond, () => delay(emitMs));
      await endpoint.settle(ARRIVAL_WITHIN_MS);
      const journal = await endpoint.journal();
      const { inFlightMax } = await rig.receiver.call('report', endpoint.group);
      const notArrived = await endpoint.notArrived();
      const lag = lagOf(journal, since, notArrived).summary();
      const overtaken = overtakenSeconds(journal, since);
      return {
        ...latencyFigures('lag', lag),
        lagP99InAnswers: (lag?.p99Ms ?? Number.NaN) / latencyMs,
        overtakenSeconds: overtaken,
        overtakenInAnswers: (1000 * overtaken) / latencyMs,
        inFlightMax,
        notArrived,
      };
    },
  })),
);

/** The lags, in which each delivery that has not arrived counts with 10 s: it has waited longer, and must not be left out. */
function lagOf(journal: Journal, since: number, notArrived: number): Histogram {
  const lag = lagSince(journal, since);
  for (let i = 0; i < notArrived; i++) {
    lag.record(1000 * ARRIVAL_WITHIN_MS);
  }
  return lag;
}

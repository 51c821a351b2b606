import { setTimeout as delay } from 'node:timers/promises';
import { hiccupFigures, scenarioOfCases } from '../cases.js';
import { nowMicroseconds } from '../payload.js';

const BACKLOG_WITHIN_MS = 60_000;
const BEFORE_MS = 3_000;
/** Emits go on for that long after the spell, where they do. */
const AFTER_MS = 20_000;

const CASES = [
  { name: '5s', perSecond: 20, slowMs: 5_000, spellMs: 30_000, usualMs: 0, afterMs: 0 },
  { name: '1s@1000', perSecond: 1_000, slowMs: 1_000, spellMs: 3_000, usualMs: 20, afterMs: AFTER_MS },
];

/**
 * An endpoint is slow for a while and quick afterwards: when no more is emitted, or while as much comes as before.
 */
export const spell = scenarioOfCases(
  { name: 'spell', title: 'a slow spell of an endpoint that is quick before and after it' },
  CASES.map(({ name, perSecond, slowMs, spellMs, usualMs, afterMs }) => ({
    name,
    usual: true,
    place: { latencyMs: slowMs },
    async measure(endpoint, rig) {
      const answerAfter = (ms: number) => rig.receiver.call('delay', { group: endpoint.group, ms });
      const { recoveredAt, backlog } = await endpoint.emitWhile(perSecond, async () => {
        if (usualMs > 0) {
          await answerAfter(usualMs);
          await delay(BEFORE_MS);
          await answerAfter(slowMs);
        }
        await delay(spellMs);
        await answerAfter(usualMs);
        const recovered = { recoveredAt: nowMicroseconds(), backlog: await endpoint.notArrived() };
        await delay(afterMs);
        return recovered;
      });
      return { ...(await hiccupFigures(endpoint, recoveredAt, BACKLOG_WITHIN_MS)), backlog };
    },
  })),
);

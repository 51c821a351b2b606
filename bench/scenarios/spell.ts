import { setTimeout as delay } from 'node:timers/promises';
import { hiccupFigures, scenarioOfCases } from '../cases.js';
import { nowMicroseconds } from '../payload.js';

const RATE_PER_SECOND = 20;
const SLOW_MS = 5000;
const SPELL_MS = 30_000;
const BACKLOG_WITHIN_MS = 60_000;

/** An endpoint that takes 5 s for each answer during half a minute, and is instant afterwards, when no more is emitted. */
export const spell = scenarioOfCases(
  {
    name: 'spell',
    title: `${RATE_PER_SECOND} emits a second during a slow spell of ${SPELL_MS / 1000} s, then nothing`,
  },
  [
    {
      name: '5s',
      usual: true,
      place: { latencyMs: SLOW_MS },
      async measure(endpoint, rig) {
        await endpoint.emitWhile(RATE_PER_SECOND, () => delay(SPELL_MS));
        await rig.receiver.call('delay', { group: endpoint.group, ms: 0 });
        const recoveredAt = nowMicroseconds();
        const backlog = await endpoint.notArrived();
        return { ...(await hiccupFigures(endpoint, recoveredAt, BACKLOG_WITHIN_MS)), backlog };
      },
    },
  ],
);

import { setTimeout as delay } from 'node:timers/promises';
import { hiccupFigures, quickRetries, scenarioOfCases } from '../cases.js';
import { nowMicroseconds } from '../payload.js';

const USUAL = ['16s@30-never', '20s@50-answered'];
const BEFORE_MS = 5000;
const AFTER_MS = 5000;
const BACKLOG_WITHIN_MS = 25_000;

/**
 * A receiver that takes requests and answers none for a while, and is instant before and after. The service waits 15 s for
 * an answer. What the receiver has got meanwhile it answers at the end, or never.
 */
export const stall = scenarioOfCases(
  {
    name: 'stall',
    title: 'a receiver answers nothing for a while: <how long>@<emits a second>',
    settings: quickRetries,
  },
  [16, 20].flatMap((seconds) =>
    [30, 50].flatMap((ratePerSecond) =>
      (['answered', 'never'] as const).map((dueOnes) => {
        const name = `${seconds}s@${ratePerSecond}-${dueOnes}`;
        return {
          name,
          usual: USUAL.includes(name),
          async measure(endpoint, rig) {
            const { group } = endpoint;
            const recoveredAt = await endpoint.emitWhile(ratePerSecond, async () => {
              await delay(BEFORE_MS);
              await rig.receiver.call('stall', group);
              await delay(seconds * 1000);
              await rig.receiver.call('endStall', { group, dueOnes });
              const at = nowMicroseconds();
              await delay(AFTER_MS);
              return at;
            });
            return hiccupFigures(endpoint, recoveredAt, BACKLOG_WITHIN_MS);
          },
        };
      }),
    ),
  ),
);

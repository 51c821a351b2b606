import { setTimeout as delay } from 'node:timers/promises';
import { hiccupFigures, quickRetries, scenarioOfCases } from '../cases.js';
import { nowMicroseconds } from '../payload.js';

const USUAL = ['300ms@30', '1000ms@100', '3000ms@30', '8000ms@30'];
const BEFORE_MS = 5000;
const AFTER_MS = 5000;
const BACKLOG_WITHIN_MS = 20_000;

/**
 * A receiver that is restarted: its connections are reset and new ones refused, until it listens again. It is emitted to
 * for 5 s before and after.
 */
export const restart = scenarioOfCases(
  {
    name: 'restart',
    title: 'a receiver is gone for a while: <how long>@<emits a second>',
    settings: quickRetries,
  },
  [300, 1000, 3000, 8000].flatMap((goneMs) =>
    [30, 100].map((ratePerSecond) => {
      const name = `${goneMs}ms@${ratePerSecond}`;
      return {
        name,
        usual: USUAL.includes(name),
        async measure(endpoint, rig) {
          const recoveredAt = await endpoint.emitWhile(ratePerSecond, async () => {
            await delay(BEFORE_MS);
            await rig.receiver.call('refuse', null);
            await delay(goneMs);
            await rig.receiver.call('accept', null);
            const at = nowMicroseconds();
            await delay(AFTER_MS);
            return at;
          });
          return hiccupFigures(endpoint, recoveredAt, BACKLOG_WITHIN_MS);
        },
      };
    }),
  ),
);

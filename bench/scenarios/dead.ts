import { setTimeout as delay } from 'node:timers/promises';
import { quickRetries, scenarioOfCases } from '../cases.js';
import { nowMicroseconds } from '../payload.js';

const RATE_PER_SECOND = 30;
const BEFORE_MS = 5000;
const DISABLED_WITHIN_MS = 45_000;
const LOOK_EVERY_MS = 100;

/**
 * Nobody listens at an endpoint, from the beginning or from some moment on, while there is always work for it. It must be
 * disabled, by ten failures, neither in the moment of a restart nor much later.
 */
export const dead = scenarioOfCases(
  {
    name: 'dead',
    title: `${RATE_PER_SECOND} emits a second to an endpoint at which nobody listens`,
    settings: quickRetries,
  },
  [
    { name: 'from-the-start', refusing: true },
    { name: 'from-later-on', refusing: false },
  ].map(({ name, refusing }) => ({
    name,
    usual: true,
    place: { refusing },
    async measure(endpoint, rig) {
      await endpoint.emitWhile(RATE_PER_SECOND, async () => {
        if (!refusing) {
          await delay(BEFORE_MS);
          await rig.receiver.call('refuse', null);
        }
        const deadline = performance.now() + DISABLED_WITHIN_MS;
        while (endpoint.isActive && performance.now() < deadline) {
          await delay(LOOK_EVERY_MS);
        }
      });
      const { firstFailureAt, disabledAt } = await endpoint.recorded();
      const { disabled, failuresInARow, failedAttempts } = await endpoint.verdict();
      const until = disabledAt ?? nowMicroseconds();
      return {
        disabled,
        disabledAfterSeconds: (until - (firstFailureAt ?? Number.NaN)) / 1_000_000,
        failuresInARow,
        failedAttempts,
      };
    },
  })),
);

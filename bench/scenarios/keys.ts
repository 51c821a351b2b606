import { randomBytes } from 'node:crypto';
import { formatApiKey, parseApiKey } from '../../src/domain/keys/api-key.js';
import { ApiError } from '../../src/errors.js';
import { Authenticator } from '../../src/operations/keys/authenticate.js';
import { openPool } from '../../src/platform/database/database.js';
import { median } from '../histogram.js';
import { nothingDelivered, type Scenario } from '../scenario.js';
import { welchT } from '../welch.js';

const WARM_UP_CHECKS = 20_000;
const CHECKS = 100_000;
/** Refusals of each kind. */
const REFUSALS = 20_000;
const REFUSALS_AT_ONCE = 8;
const UNKNOWN_ID = 999_999_999;
const ADDRESS = '127.0.0.1';

/** In the bench's own process: what is measured is a function, and HTTP around it would be most of the figure. */
export const keys: Scenario = {
  name: 'keys',
  title: `${CHECKS.toLocaleString('en')} checks of a known key, ${(2 * REFUSALS).toLocaleString('en')} refused ones`,
  runs: 1,
  delivers: false,
  async prepare(rig) {
    const { apiKey } = await rig.installation.start();
    const { id } = parseApiKey(apiKey)!;
    const { url } = await rig.database();

    return async () => {
      const pool = openPool(url, 4, () => {});
      const authenticator = new Authenticator(
        { pool },
        {
          failures: { perSecond: 1_000_000, burst: 1_000_000 },
          now: () => performance.now(),
        },
      );
      try {
        const checks = await timeChecks(authenticator, `Bearer ${apiKey}`);
        const refusals = await timeRefusals(authenticator, id);
        return { ...nothingDelivered, details: { ...checks, ...refusals } };
      } finally {
        await pool.end();
      }
    };
  },
};

async function timeChecks(authenticator: Authenticator, authorization: string) {
  for (let i = 0; i < WARM_UP_CHECKS; i++) {
    await authenticator.authenticate(authorization, ADDRESS);
  }
  const micros = new Float64Array(CHECKS);
  for (let i = 0; i < CHECKS; i++) {
    const startedAt = performance.now();
    await authenticator.authenticate(authorization, ADDRESS);
    micros[i] = 1_000 * (performance.now() - startedAt);
  }
  micros.sort();
  return {
    knownKeyMedianMicros: micros[CHECKS / 2]!,
    knownKeyP99Micros: micros[Math.floor(CHECKS * 0.99)]!,
  };
}

/** Both kinds in turns, in an order that changes, so that whatever else the machine does disturbs them alike. */
async function timeRefusals(authenticator: Authenticator, knownId: number) {
  const [unknown, wrong]: [number[], number[]] = [[], []];
  let next = 0;
  const lane = async () => {
    while (next < 2 * REFUSALS) {
      const i = next++;
      const isUnknown = (i + (i >> 1)) % 2 === 0;
      const key = formatApiKey(isUnknown ? UNKNOWN_ID : knownId, randomBytes(32));
      const startedAt = performance.now();
      const refusal = await authenticator.authenticate(`Bearer ${key}`, ADDRESS).catch((error) => error);
      (isUnknown ? unknown : wrong).push(performance.now() - startedAt);
      expectUnauthenticated(refusal);
    }
  };
  await Promise.all(Array.from({ length: REFUSALS_AT_ONCE }, lane));
  const fastest = fastestOf(unknown, wrong);
  return {
    refusedUnknownIdMedianMs: median(unknown)!,
    refusedWrongSecretMedianMs: median(wrong)!,
    unknownOrWrongAbsT: Math.abs(welchT(unknown, wrong)),
    unknownOrWrongFastestAbsT: Math.abs(welchT(unknown.filter(fastest), wrong.filter(fastest))),
  };
}

/** @throws what came instead: a key that was held back, or let in, took another path than the one that is measured */
function expectUnauthenticated(refusal: unknown): void {
  if (!(refusal instanceof ApiError && refusal.reason === 'unauthenticated')) {
    throw refusal instanceof Error ? refusal : new Error('A key that is unknown or wrong was let in');
  }
}

/** The fastest nine in ten: the slow ones, which the machine disturbed, would hide a small difference. */
function fastestOf(...series: readonly number[][]): (value: number) => boolean {
  const all = series.flat().sort((a, b) => a - b);
  const limit = all[Math.floor(all.length * 0.9)]!;
  return (value) => value < limit;
}

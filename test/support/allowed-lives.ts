import { RETRY_SECONDS_MAX } from '../../src/domain/deliveries/retry-policy.js';
import { PAUSE_MS_MAX } from '../../src/domain/pacing/probes.js';
import { fc } from './properties.js';

/** An answer of an endpoint. A status of 429 or 503 may ask for a pause. */
const answers = fc.record({
  status: fc.constantFrom(200, 500, 500, 429, 503, 410),
  pauseSeconds: fc.constantFrom(null, 1, PAUSE_MS_MAX / 1_000, 2 * RETRY_SECONDS_MAX),
});

export type Answered = typeof answers extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** Delays of up to seven days together. */
const schedule = fc.oneof(
  fc.constant<number[]>([7_200, RETRY_SECONDS_MAX]),
  fc.constant(Array<number>(7).fill(RETRY_SECONDS_MAX)),
  fc.array(fc.integer({ min: 1, max: RETRY_SECONDS_MAX / 3 }), { maxLength: 20 }),
);

/** All that an owner may choose for an endpoint. */
const options = fc
  .record({
    retryDelaysSeconds: fc.option(schedule),
    ratePerSecond: fc.constantFrom(null, 0.01, 1, 1_000),
    recovery: fc.constantFrom('MANUAL' as const, 'AUTOMATIC' as const),
    by: fc.constantFrom('NONE' as const, 'KEY' as const, 'ENDPOINT' as const),
    ...{ keep: fc.constantFrom('ALL' as const, 'LATEST' as const), settleSeconds: fc.constantFrom(null, 0.5, 3_600) },
    onFailure: fc.constantFrom('CONTINUE' as const, 'BLOCK' as const),
  })
  .map((drawn) => ({
    ...drawn,
    settleSeconds: drawn.by !== 'NONE' && drawn.keep === 'LATEST' ? drawn.settleSeconds : null,
  }));
export type Options = typeof options extends fc.Arbitrary<infer Drawn> ? Drawn : never;

const happening = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('attempts' as const), answer: answers }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('emit' as const), key: fc.constantFrom(null, 'a', 'b') }) },
  fc.record({ kind: fc.constant('change' as const), options }),
  fc.record({ kind: fc.constant('putOff' as const), chance: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({ kind: fc.constant('schedule' as const), delaySeconds: fc.integer({ min: 1, max: 90 * 86_400 }) }),
  fc.record({
    kind: fc.constantFrom(
      ...(['replaced', 'failed', 'finishedAside', 'turnedAway', 'pause', 'resume', 'keep', 'sweep', 'wait'] as const),
    ),
  }),
);
export type Happening = typeof happening extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** What happens in an installation one after the other, each at one of its endpoints. */
export const lives = fc.record({
  endpoints: fc.array(options, { minLength: 1, maxLength: 3 }),
  happenings: fc.array(fc.tuple(fc.nat({ max: 2 }), happening), { minLength: 10, maxLength: 30, size: 'max' }),
});
export type Life = typeof lives extends fc.Arbitrary<infer Drawn> ? Drawn : never;

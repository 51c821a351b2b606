import { expect, it } from 'vitest';
import { foldHealth, type HealthState } from '../../src/domain/deliveries/health.js';
import { delaysOf, retryInMsOf } from '../../src/domain/deliveries/retry-policy.js';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const delays = delaysOf({ retriesMax: 5, baseSeconds: 120, capSeconds: 3_600 });
const refused = { verdict: 'FAILED', retryAfterMs: null } as unknown as Parameters<typeof retryInMsOf>[2];

/** The defaults, at an endpoint that refuses every request. @returns minutes from the first event on */
function outage(eventsMs: number[]) {
  let state: HealthState = {
    active: true,
    generation: 0,
    consecutiveFailures: 0,
    streak: null,
    failingForMs: null,
    lastFailureAgoMs: null,
    ordinaryFailures: false,
    disabledRaised: false,
  };
  let lastMs = Number.NEGATIVE_INFINITY;
  const due = eventsMs.map((atMs, event) => ({ event, atMs, failures: 0 }));
  const found = { warned: null as number | null, disabled: null as number | null, failed: [] as [number, number][] };
  for (let next = due.shift(); next !== undefined; next = due.sort((a, b) => a.atMs - b.atMs).shift()) {
    const { event, atMs } = next;
    const step = { startedMs: atMs, endedMs: atMs, isUnanswered: false, generation: 0, verdict: 'FAILED' as const };
    const ago = { lastFailureAgoMs: atMs - lastMs, failingForMs: state.streak && atMs - state.streak.beganMs };
    const steps = [{ ...step, isSameClosing: false, isOperational: false }];
    const { disable, raises, ...after } = foldHealth({ ...state, ...ago }, steps, 10_000);
    state = { ...state, ...after };
    lastMs = atMs;
    found.warned ??= raises.failing ? atMs / MINUTE : null;
    if (disable !== null) {
      return { ...found, disabled: atMs / MINUTE };
    }
    const failures = next.failures + 1;
    const retryMs = retryInMsOf(delays, failures, refused);
    if (retryMs === null) {
      found.failed.push([event, atMs / MINUTE]);
    } else {
      due.push({ event, atMs: atMs + retryMs, failures });
    }
  }
  return found;
}

// docs/outage.md
it('a quiet endpoint that is down loses the retries of one event, and is disabled by the next one', () => {
  expect(outage([0, DAY, 2 * DAY])).toEqual({ warned: 30, disabled: 1_440 + 14, failed: [[0, 62]] });
});

it('one event alone fails after 62 minutes, and the endpoint stays active', () => {
  expect(outage([0])).toEqual({ warned: 30, disabled: null, failed: [[0, 62]] });
});

it('two events within half an hour disable it within the hour, before either has failed for good', () => {
  for (const second of [0, 1, 5, 10, 20, 29]) {
    const { disabled, failed } = outage([0, second * MINUTE]);
    expect(failed).toEqual([]);
    expect(disabled).toBeLessThanOrEqual(60);
  }
});

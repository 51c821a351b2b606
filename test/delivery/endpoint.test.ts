import { expect, test } from 'vitest';
import type { Answer } from '../../daemon/gate/answer.js';
import { Endpoint } from '../../daemon/gate/endpoint.js';
import { Shares, TenantShare } from '../../daemon/gate/shares.js';

const OK: Answer = { kind: 'GOOD', outcome: { verdict: 'SUCCEEDED' } };
const busy = (closing: number | 'UNTIMED'): Answer => ({
  kind: 'STRAINED',
  outcome: { verdict: 'FAILED', errorCode: 'HTTP_429', retryAfterMs: null, closing },
});

const unlimited = new Shares<number, TenantShare>(TenantShare).join(1);
const rules = { endpointMax: 64, streakMsMin: 10_000, daemons: 1 };
const newEndpoint = () => new Endpoint(1, 1, 'https://a.example/', unlimited, unlimited, rules, 0);

/** An endpoint that takes so many a second, and as many at once; above that it answers 429. Time is simulated. */
function sendToBucket(perSecond: number, count: number, latencyMs: number, closing: number | 'UNTIMED') {
  const endpoint = newEndpoint();
  const inFlight: { endsAt: number; permit: symbol; isRefused: boolean }[] = [];
  let tokens = perSecond;
  let [left, refused, now] = [count, 0, 0];
  for (; left > 0 || inFlight.length > 0; now += 1) {
    tokens = Math.min(perSecond, tokens + perSecond / 1_000);
    while (inFlight[0] !== undefined && inFlight[0].endsAt <= now) {
      const { permit, isRefused } = inFlight.shift()!;
      refused += Number(isRefused);
      endpoint.end(permit, now, isRefused ? busy(closing) : OK);
    }
    for (; left > 0 && endpoint.opensAtMs(now) <= now; left -= 1) {
      const isRefused = tokens < 1;
      tokens -= Number(!isRefused);
      inFlight.push({ endsAt: now + latencyMs, permit: endpoint.begin(now), isRefused });
    }
  }
  return { tookMs: now, bucketMs: ((count - perSecond) / perSecond) * 1_000, refused };
}

test.each(
  [5, 10, 50].flatMap((perSecond) =>
    [100, 500].flatMap((count) =>
      [20, 120].flatMap((latencyMs) => [
        { perSecond, count, latencyMs, closing: 1_000 },
        { perSecond, count, latencyMs, closing: 'UNTIMED' as const },
      ]),
    ),
  ),
)('an endpoint that limits its rate is found to: %o', ({ perSecond, count, latencyMs, closing }) => {
  const { tookMs, bucketMs, refused } = sendToBucket(perSecond, count, latencyMs, closing);
  expect(tookMs).toBeLessThanOrEqual(2 * bucketMs + 1_000); // and the first pause
  expect(refused).toBeLessThanOrEqual(0.15 * (count - refused));
});

/** How long each delivery waits at a new endpoint, whose answers all take as long. Time is simulated. */
function waitsOf({ perSecond, latencyMs }: { perSecond: number; latencyMs: number }): number[] {
  const endpoint = newEndpoint();
  const inFlight: { endsAt: number; permit: symbol }[] = [];
  const due = Array.from({ length: perSecond * 5 }, (_, index) => (index * 1_000) / perSecond);
  const waits: number[] = [];
  for (let now = 0; waits.length < due.length; now += 1) {
    while (inFlight[0] !== undefined && inFlight[0].endsAt <= now) {
      endpoint.end(inFlight.shift()!.permit, now, OK);
    }
    while (due[waits.length]! <= now && endpoint.opensAtMs(now) <= now) {
      waits.push(now - due[waits.length]!);
      inFlight.push({ endsAt: now + latencyMs, permit: endpoint.begin(now) });
    }
  }
  return waits;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

// With a window of eight until the first answer, the sums are 4,050, 5,175 and 3,900 ms.
test.each([
  { perSecond: 200, latencyMs: 100, sumMsMax: 2_000 },
  { perSecond: 40, latencyMs: 600, sumMsMax: 0 },
  { perSecond: 20, latencyMs: 900, sumMsMax: 0 },
])('a new endpoint that is well but slow keeps few deliveries waiting: %o', ({ sumMsMax, ...endpoint }) => {
  expect(sum(waitsOf(endpoint))).toBeLessThanOrEqual(sumMsMax);
});

test('an endpoint that has never answered gets 24 requests at most, three eighths of what it may have', () => {
  const endpoint = newEndpoint();
  let begun = 0;
  for (let now = 0; now < 15_000; now += 1) {
    for (; endpoint.opensAtMs(now) <= now; begun += 1) {
      endpoint.begin(now);
    }
    expect(endpoint.isUncertain(now)).toBe(now > 1_000);
  }
  expect(begun).toBe(24);
});

import { expect, test } from 'vitest';
import { type Answer, Endpoint } from '../../daemon/gate/endpoint.js';
import { Shares } from '../../daemon/gate/shares.js';

const OK: Answer = { kind: 'GOOD', outcome: { verdict: 'SUCCEEDED' } };
const busy = (closing: number | 'UNTIMED'): Answer => ({
  kind: 'STRAINED',
  outcome: { verdict: 'FAILED', errorCode: 'HTTP_429', retryAfterMs: null, closing },
});

/** An endpoint that takes so many a second, and as many at once; above that it answers 429. Time is simulated. */
function sendToBucket(perSecond: number, count: number, latencyMs: number, closing: number | 'UNTIMED') {
  const rules = { endpointMax: 64, streakMsMin: 10_000 };
  const unlimited = new Shares<number, Endpoint>(() => false).join(1);
  const endpoint = new Endpoint(1, 1, 'https://a.example/', unlimited, unlimited, rules, 0);
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

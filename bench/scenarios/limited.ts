import { quickRetries, scenarioOfCases } from '../cases.js';
import { lastArrivalAt, limitedPercent, neverLimited } from '../journal.js';
import { nowMicroseconds } from '../payload.js';

const USUAL = ['100@10', '100@10-bare', '500@50', '100@5-bare'];
const ANSWER_MS = 20;
/** Beyond twice the time that the bucket takes. */
const ARRIVAL_WITHIN_MS = 10_000;

/**
 * Many events at once for an endpoint that takes only so many a second: a token bucket that holds what it takes in a second.
 * Above it the endpoint says 429, with `Retry-After: 1`, or (`-bare`) without the header.
 */
export const limited = scenarioOfCases(
  {
    name: 'limited',
    title: 'a burst for an endpoint that says 429 above its limit: <events>@<a second>',
    settings: quickRetries,
  },
  [5, 10, 50].flatMap((perSecond) =>
    [100, 500].flatMap((events) =>
      [1, null].map((retryAfterSeconds) => {
        const name = `${events}@${perSecond}${retryAfterSeconds === null ? '-bare' : ''}`;
        return {
          name,
          usual: USUAL.includes(name),
          place: { latencyMs: ANSWER_MS },
          async measure(endpoint, rig) {
            const { group } = endpoint;
            const limit = { perSecond, burst: perSecond, retryAfterSeconds };
            await rig.receiver.call('limit', { group, limit });
            const bucketSeconds = (events - perSecond) / perSecond;
            const startedAt = nowMicroseconds();
            await endpoint.emitAtOnce(events);
            await endpoint.settle(2000 * bucketSeconds + ARRIVAL_WITHIN_MS);
            const seconds = await endpoint.secondsSince(startedAt, (journal) => lastArrivalAt(neverLimited(journal)));
            return {
              ...(await endpoint.verdict()),
              limitedPercent: limitedPercent(await endpoint.journal()),
              timeRatio: seconds / bucketSeconds,
              allArrivedSeconds: await endpoint.secondsSince(startedAt, lastArrivalAt),
            };
          },
        };
      }),
    ),
  ),
);

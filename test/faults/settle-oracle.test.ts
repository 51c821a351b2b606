import { expect, test } from 'vitest';
import type { Receipt } from './support/evidence.js';
import { judgeSettling, type SettledDelivery } from './support/settle-oracle.js';

/** The judge of keys that settle, of which each delivery is quiet for 1 s, and waits for 5 s at most. */

const delivery = (id: number, endedAt: number, supersededBy: number | null = null): SettledDelivery => ({
  ...{ id, eventId: id, key: 'a', endedAt, supersededBy },
  status: supersededBy === null ? 'SUCCEEDED' : 'CANCELED',
});
const receipt = (deliveryId: number, arrivedAt: number, endedAt = arrivedAt + 10): Receipt => ({
  ...{ deliveryId, arrivedAt, endedAt },
  ...{ webhook: 'settling', status: 200 },
});
const emits = (...times: number[]) =>
  times.map((from, index) => ({ eventId: index + 1, key: 'a', from, to: from + 10 }));

/** Three events in a burst, of which the last one is sent, and one later. */
const good = {
  emits: emits(1_000, 1_500, 2_000, 9_000),
  deliveries: [delivery(1, 1_500, 2), delivery(2, 2_000, 3), delivery(3, 3_110), delivery(4, 10_110)],
  receipts: [receipt(3, 3_100), receipt(4, 10_100)],
  ...{ locks: [], disturbances: [], settleMs: 1_000, maxMs: 5_000 },
};
const problemsOf = (changed: object) => judgeSettling({ ...good, ...changed }, 1_000).problems;

test('finds nothing where the last event of each burst was sent', () => {
  expect(problemsOf({})).toEqual([]);
});

test.each([
  ['was sent 800 ms before its key was quiet', { receipts: [receipt(3, 2_200), receipt(4, 10_100)] }],
  ['was sent 1090 ms after the maximum of its key', { receipts: [receipt(3, 3_100), receipt(4, 15_100)] }],
  ['never acknowledged', { receipts: [receipt(4, 10_100)] }],
  ['is superseded by 7', { deliveries: [delivery(1, 1_500, 7), ...good.deliveries.slice(1)] }],
  ['is PENDING at the end', { deliveries: [...good.deliveries, { ...delivery(5, 0), status: 'PENDING' }] }],
  [
    'were in flight together',
    { receipts: [receipt(3, 3_100, 12_000), receipt(4, 10_100)], deliveries: good.deliveries },
  ],
  ['stands for events that no emit has confirmed', { emits: emits(1_000, 1_500, 2_000) }],
])('finds that a delivery %s', (problem, changed) => {
  expect(problemsOf(changed)).toEqual(expect.arrayContaining([expect.stringContaining(problem)]));
});

test('lets a delivery wait for the application that has its key, and for a daemon after a kill', () => {
  const receipts = [receipt(3, 3_100), receipt(4, 16_000)];
  expect(problemsOf({ receipts })).not.toEqual([]);
  expect(problemsOf({ receipts, locks: [{ key: 'a', from: 9_500, to: 15_500 }] })).toEqual([]);
  expect(problemsOf({ receipts, disturbances: [{ from: 12_000, to: 13_000 }] })).toEqual([]);
});

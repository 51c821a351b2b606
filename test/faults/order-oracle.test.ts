import { expect, test } from 'vitest';
import type { Receipt } from './support/evidence.js';
import type { Disturbance } from './support/oracle.js';
import { judgeOrder, type Turn } from './support/order-oracle.js';

const turn = (position: number, wokenAt: number | null, endedAt: number | null, status = 'SUCCEEDED'): Turn => ({
  ...{ position, webhookId: 1, key: 'a', deliveryId: position, eventId: position, status },
  ...{ wokenAt, endedAt, endedAs: endedAt === null ? null : status },
});
const request = (deliveryId: number, arrivedAt: number, endedAt = arrivedAt + 5): Receipt => ({
  ...{ deliveryId, arrivedAt, endedAt, webhook: '1', status: 200 },
});
const judgeAll = (turns: Turn[], receipts: Receipt[], disturbances: Disturbance[] = []) =>
  judgeOrder({ emits: [], turns, receipts, locks: [], disturbances }, 100);
/** With a request before the end of each delivery that was not canceled. */
const judge = (turns: Turn[], disturbances: Disturbance[] = []) => {
  const sent = turns.filter(({ status }) => status === 'SUCCEEDED');
  const receipts = sent.map(({ deliveryId, endedAt }) => request(deliveryId, (endedAt ?? 0) - 5));
  return judgeAll(turns, receipts, disturbances);
};

test('a delivery that is woken late is found', () => {
  const turns = [turn(1, null, 1_000), turn(2, 1_500, 1_510)];
  const { problems, idleMsMax } = judge(turns);
  expect(problems).toEqual(['1/a: delivery 2 was woken 500 ms after its key was free']);
  expect(idleMsMax).toBe(500);
  // After a fault the time counts from its end, and the sweep has to come.
  const late = [turn(1, null, 1_000), turn(2, 90_000, 90_010)];
  expect(judge(late, [{ from: 900, to: 80_000 }])).toMatchObject({ problems: [], idleMsMax: 0, recoveryMsMax: 10_000 });
  expect(judge(late, [{ from: 900, to: 10_000 }]).problems).toHaveLength(1);
});

test('a delivery is late after the last of all earlier ones, not after one that was canceled while it waited', () => {
  const canceled = turn(2, null, 1_000, 'CANCELED');
  expect(judge([turn(1, null, 9_000), canceled, turn(3, 9_010, 9_020)])).toMatchObject({ problems: [], idleMsMax: 10 });
  expect(judge([turn(1, null, 9_000), canceled, turn(3, 9_200, 9_210)]).problems).toHaveLength(1);
});

test('a turn that has not ended, and a success without an acknowledgement, are found', () => {
  expect(judgeAll([turn(1, null, null)], []).problems).toEqual([
    'delivery 1 is SUCCEEDED, but its endpoint never acknowledged it',
    '1/a: the turn of delivery 1, which is SUCCEEDED, has not ended',
  ]);
});

test('requests of two deliveries at the same time, and one before its turn, are found', () => {
  const turns = [turn(1, null, 1_100), turn(2, 1_100, 1_200)];
  expect(judgeAll(turns, [request(1, 1_000, 1_050), request(2, 1_020, 1_070)]).problems).toEqual([
    '1/a: delivery 2 was sent 80 ms before an earlier one had ended',
    '1/a: deliveries 1 and 2 were in flight together',
  ]);
});

test('a request of an ended delivery beside the next one is found, unless it was canceled or a fault repeats it', () => {
  const second = [request(1, 1_000), request(1, 1_090, 1_150), request(2, 1_110)];
  const next = turn(2, 1_100, 1_200);
  expect(judgeAll([turn(1, null, 1_100), next], second).problems).toEqual([
    '1/a: deliveries 1 and 2 were in flight together',
  ]);
  expect(judgeAll([turn(1, null, 1_100), next], second, [{ from: 900, to: 950 }]).problems).toEqual([]);
  expect(judgeAll([turn(1, null, 1_100, 'CANCELED'), next], second).problems).toEqual([]);
});

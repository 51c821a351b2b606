import { expect, test } from 'vitest';
import { judgeOrder, type Turn } from './support/order-oracle.js';

const turn = (position: number, wokenAt: number | null, endedAt: number | null): Turn => ({
  ...{ position, webhookId: 1, key: 'a', deliveryId: position, eventId: position, status: 'SUCCEEDED' },
  ...{ wokenAt, endedAt },
});
const judge = (...turns: Turn[]) => judgeOrder({ emits: [], turns, receipts: [], locks: [], disturbances: [] }, 100);

test('a delivery that is woken late is found', () => {
  const { problems, idleMsMax } = judge(turn(1, null, 1_000), turn(2, 1_500, 1_510));
  expect(problems).toEqual(['1/a: delivery 2 was woken 500 ms after its key was free']);
  expect(idleMsMax).toBe(500);
});

test('a delivery is late after the last of all earlier ones, not after one that was canceled while it waited', () => {
  const canceled = turn(2, null, 1_000);
  expect(judge(turn(1, null, 9_000), canceled, turn(3, 9_010, 9_020))).toMatchObject({ problems: [], idleMsMax: 10 });
  expect(judge(turn(1, null, 9_000), canceled, turn(3, 9_200, 9_210)).problems).toHaveLength(1);
});

test('a turn that has not ended is found', () => {
  expect(judge(turn(1, null, null)).problems).toEqual([
    '1/a: the turn of delivery 1, which is SUCCEEDED, has not ended',
  ]);
});

test('requests of two deliveries at the same time, and one before its turn, are found', () => {
  const evidence = { emits: [], turns: [turn(1, null, 1_100), turn(2, 1_100, 1_200)], locks: [], disturbances: [] };
  const request = (deliveryId: number, arrivedAt: number) =>
    ({ deliveryId, arrivedAt, endedAt: arrivedAt + 50, status: 200 }) as never;
  const { problems } = judgeOrder({ ...evidence, receipts: [request(1, 1_000), request(2, 1_020)] }, 100);
  expect(problems).toEqual([
    '1/a: delivery 2 was sent 80 ms before an earlier one had ended',
    '1/a: deliveries 1 and 2 were in flight together',
  ]);
});

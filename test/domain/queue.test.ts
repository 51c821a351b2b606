import { describe, expect, test } from 'vitest';
import { reasonFigures, reasonOf } from '../../src/domain/stats/failure-reason.js';
import { type QueueOfWebhook, queueBuckets, rowsOfMinute } from '../../src/domain/stats/queue.js';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 31, 9, minute));
const webhook = (webhookId: number, held: number, tenantId = 1): QueueOfWebhook => ({
  ...{ webhookId, tenantId, due: 0, held, oldestSeconds: held, isMore: held >= 1_000 },
});

describe('the rows of a minute', () => {
  test('are webhooks and the sums of their tenants', () => {
    const { rows, others } = rowsOfMinute([webhook(7, 3), { ...webhook(8, 1_000), due: 5 }, webhook(9, 2, 2)]);
    expect(others).toBe(false);
    expect(rows).toEqual([
      { tenantId: 1, webhookId: 0, due: 5, held: 1_003, oldestSeconds: 1_000, isMore: true },
      expect.objectContaining({ webhookId: 8 }),
      expect.objectContaining({ webhookId: 7 }),
      { tenantId: 2, webhookId: 0, due: 0, held: 2, oldestSeconds: 2, isMore: false },
      expect.objectContaining({ webhookId: 9 }),
    ]);
  });

  test('are 99, of the webhooks with the largest queues', () => {
    const of = (count: number, tenants: number) =>
      rowsOfMinute(Array.from({ length: count }, (_, index) => webhook(index + 1, index + 1, index % tenants)));
    expect(of(98, 1)).toMatchObject({ rows: { length: 99 }, others: false });
    const { rows, others } = of(99, 1);
    expect([rows.length, others]).toEqual([99, true]);
    expect(rows.some(({ webhookId }) => webhookId === 1)).toBe(false);
    expect(of(49, 49)).toMatchObject({ rows: { length: 98 }, others: false });
    expect(of(50, 50)).toMatchObject({ rows: { length: 98 }, others: true });
  });
});

test('a bucket that was not read had an empty queue, and one without figures was not counted', () => {
  const range = { since: at(0), until: at(3), resolution: 'MINUTE' } as const;
  const full = { due: 2, held: 0, oldestSeconds: 70, isMore: false };
  const unknown = { due: null, held: null, oldestSeconds: null, isMore: false };
  const read = [
    { startMs: at(0).getTime(), ...full },
    { startMs: at(2).getTime(), ...unknown },
  ];
  expect(queueBuckets(range, read)).toEqual([
    { start: at(0), ...full },
    { start: at(1), due: 0, held: 0, oldestSeconds: 0, isMore: false },
    { start: at(2), ...unknown },
  ]);
});

describe('the reasons of failures', () => {
  test.each([
    ['TIMEOUT', 'TIMEOUT'],
    ['HTTP_503', 'HTTP_503'],
    ['HTTP_302', 'HTTP_3XX'],
    ['HTTP_418', 'HTTP_4XX'],
    ['HTTP_599', 'HTTP_5XX'],
    ['HTTP_600', 'OTHER'],
    ['A_CODE_OF_LATER', 'OTHER'],
  ])('%s counts as %s', (code, reason) => {
    expect(reasonOf(code)).toBe(reason);
  });

  test('are the eight most frequent ones, and the others together', () => {
    const codes = ['TIMEOUT', 'HTTP_400', 'HTTP_401', 'HTTP_403', 'HTTP_404', 'HTTP_405', 'HTTP_408', 'HTTP_409'];
    const counted = [...codes, 'HTTP_410', 'OTHER'].map((reason, index) => ({
      ...{ startMs: at(1).getTime(), reason, failures: 20 - index },
    }));
    const figures = reasonFigures({ since: at(0), until: at(2), resolution: 'MINUTE' }, [
      ...counted,
      { startMs: at(0).getTime(), reason: 'TIMEOUT', failures: 1 },
    ]);
    expect(figures.map(({ reason }) => reason)).toEqual([...codes, 'OTHER']);
    expect(figures[0]).toEqual({ reason: 'TIMEOUT', failures: 21, buckets: [1, 20] });
    expect(figures.at(-1)).toEqual({ reason: 'OTHER', failures: 23, buckets: [0, 23] });
  });
});

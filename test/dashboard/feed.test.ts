import { describe, expect, test } from 'vitest';
import { Feed, type ReadPage } from '../../dashboard/screens/deliveries/list/feed.js';

interface Row {
  id: string;
  databaseId: number;
  status: string;
}
const PAGE_ROWS = 100;
const rowOf = (databaseId: number, status = 'FAILED'): Row => ({
  id: `dl_${databaseId}`,
  databaseId,
  status,
});

/** A list of deliveries as the API pages through it: `newest` down to 1. */
class Source {
  reads: (string | null)[] = [];
  newest: number;
  constructor(newest: number) {
    this.newest = newest;
  }
  read = async (after: string | null): Promise<ReadPage<Row>> => {
    this.reads.push(after);
    const from = after === null ? this.newest : Number(after) - 1;
    const rows = Array.from({ length: Math.min(PAGE_ROWS, from) }, (_, at) => rowOf(from - at));
    return { rows, end: String(rows.at(-1)?.databaseId ?? ''), hasMore: from > PAGE_ROWS };
  };
}

async function feedOf(newest: number, matches: ((row: Row) => boolean) | null = () => true) {
  const source = new Source(newest);
  const feed = new Feed<Row>(source.read, matches ?? undefined);
  await feed.reload();
  return { source, feed };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const idsOf = (feed: Feed<Row>, count: number) =>
  Array.from({ length: count }, (_, index) => feed.at(index)?.databaseId);

describe('a feed', () => {
  test('reads the next page before its end is seen, and no page twice', async () => {
    const { feed, source } = await feedOf(1_000);
    feed.show(0, 30);
    expect(source.reads).toEqual([null]);
    feed.show(30, 60);
    feed.show(31, 61);
    await settled();
    expect(source.reads).toEqual([null, '901']);
    expect(feed.count).toBe(200);
    expect(feed.at(199)?.databaseId).toBe(801);
  });

  test('of 100,000 rows keeps a bounded number of them, and has each one again when it is seen', async () => {
    const { feed } = await feedOf(100_000);
    let loadedMax = 0;
    while (feed.hasMore) {
      feed.show(feed.count - 40, feed.count - 1);
      await settled();
      loadedMax = Math.max(loadedMax, feed.loaded.length);
    }
    expect(feed.count).toBe(100_000);
    expect(loadedMax).toBeLessThanOrEqual(2_200);
    expect(feed.at(99_999)?.databaseId).toBe(1);
    expect(feed.at(50_000)).toBeUndefined();
    feed.show(50_000, 50_020);
    await settled();
    expect(feed.at(50_000)?.databaseId).toBe(50_000);
    expect(feed.loaded.length).toBeLessThanOrEqual(2_200);
  });

  test('shows a change in place', async () => {
    const { feed } = await feedOf(10);
    feed.update(rowOf(7, 'SUCCEEDED'));
    expect(feed.at(3)).toEqual(rowOf(7, 'SUCCEEDED'));
    expect(feed.count).toBe(10);
  });

  test('takes new rows in at once while nobody looks, where they belong', async () => {
    const { feed } = await feedOf(3);
    feed.update(rowOf(6));
    feed.update(rowOf(5));
    expect(idsOf(feed, 5)).toEqual([6, 5, 3, 2, 1]);
  });

  test('lets new rows wait while somebody looks, and rows that no longer match stay', async () => {
    const { feed } = await feedOf(3, ({ status }) => status === 'FAILED');
    feed.freeze('looking', true);
    feed.update(rowOf(4));
    feed.update(rowOf(5, 'PENDING'));
    feed.update(rowOf(2, 'SUCCEEDED'));
    expect(idsOf(feed, 3)).toEqual([3, 2, 1]);
    expect(feed.newCount).toBe(1);
    feed.freeze('looking', false);
    expect(idsOf(feed, 3)).toEqual([4, 3, 1]);
    expect(feed.newCount).toBe(0);
  });

  test('forgets a waiting row that has stopped matching', async () => {
    const { feed } = await feedOf(3, ({ status }) => status === 'FAILED');
    feed.freeze('looking', true);
    feed.update(rowOf(4));
    feed.update(rowOf(4, 'SUCCEEDED'));
    expect(feed.newCount).toBe(0);
  });

  test('reads again when more rows wait than it keeps', async () => {
    const { feed, source } = await feedOf(3);
    feed.freeze('looking', true);
    for (let id = 4; id <= 1_003; id += 1) {
      feed.update(rowOf(id));
    }
    expect(feed.newCount).toBe(1_000);
    source.newest = 1_003;
    feed.freeze('looking', false);
    await settled();
    expect(source.reads).toEqual([null, null]);
    expect(feed.at(0)?.databaseId).toBe(1_003);
    expect(feed.newCount).toBe(0);
  });

  test('stays short at its beginning, however many deliveries are made', async () => {
    const { feed, source } = await feedOf(100);
    for (let id = 101; id <= 2_000; id += 1) {
      source.newest = id;
      feed.update(rowOf(id));
      await settled();
    }
    expect(feed.loaded.length).toBeLessThanOrEqual(401);
    expect(feed.at(0)?.databaseId).toBe(2_000);
  });

  test('of a search that a row does not tell changes in place only', async () => {
    const { feed } = await feedOf(3, null);
    feed.update(rowOf(9));
    feed.update(rowOf(2, 'SUCCEEDED'));
    expect(feed.newCount).toBe(0);
    expect(idsOf(feed, 3)).toEqual([3, 2, 1]);
    expect(feed.at(1)?.status).toBe('SUCCEEDED');
  });

  test('keeps a change that came while an older state was being read', async () => {
    const { feed } = await feedOf(3);
    const reading = feed.reload();
    feed.update(rowOf(3, 'SUCCEEDED'));
    await reading;
    expect(feed.at(0)?.status).toBe('SUCCEEDED');
  });

  test('catches up with what changed before changes began to come', async () => {
    const { feed, source } = await feedOf(150);
    feed.show(60, 99);
    await settled();
    feed.freeze('looking', true);
    feed.update(rowOf(149, 'SUCCEEDED'));
    source.newest = 152;
    const catchingUp = feed.catchUp();
    feed.update(rowOf(150, 'SUCCEEDED'));
    await catchingUp;
    expect(feed.newCount).toBe(2);
    expect(feed.count).toBe(150);
    expect(feed.at(0)).toEqual(rowOf(150, 'SUCCEEDED'));
    feed.freeze('looking', false);
    expect(idsOf(feed, 3)).toEqual([152, 151, 150]);
  });

  test('keeps a new row that came while a list without it was being read', async () => {
    const { feed, source } = await feedOf(3);
    const reading = feed.reload();
    feed.update(rowOf(4));
    await reading;
    expect(idsOf(feed, 4)).toEqual([4, 3, 2, 1]);

    source.newest = 4;
    const again = feed.reload();
    feed.freeze('looking', true);
    feed.update(rowOf(5));
    await again;
    expect(feed.newCount).toBe(1);
    feed.showNew();
    expect(idsOf(feed, 5)).toEqual([5, 4, 3, 2, 1]);
  });

  test('says what went wrong, and goes on when it is asked to', async () => {
    let fails = true;
    const source = new Source(200);
    const feed = new Feed<Row>(async (after) => {
      if (fails) {
        throw new Error('away');
      }
      return source.read(after);
    }, undefined);
    await feed.reload();
    expect(feed.error).toEqual(new Error('away'));
    fails = false;
    feed.retry();
    await settled();
    expect(feed.error).toBeUndefined();
    expect(feed.count).toBe(100);
  });
});

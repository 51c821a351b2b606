import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { GroupCommit } from '../../src/database/group-commit.js';
import { eventually } from '../support/eventually.js';

/** Each in a turn of the event loop of its own, as requests that come one after another. */
async function oneByOne(group: GroupCommit<number, number>, items: readonly number[]): Promise<Promise<number>[]> {
  const answers: Promise<number>[] = [];
  for (const item of items) {
    answers.push(group.runOne(item));
    await nextTurn();
  }
  return answers;
}

/** A commit that waits to be let through, and remembers what it was given. */
function gatedCommit() {
  const batches: number[][] = [];
  const gates: (() => void)[] = [];
  const commit = async (items: readonly number[]) => {
    batches.push([...items]);
    await new Promise<void>((resolve) => gates.push(resolve));
    return items.map((item) => item * 10);
  };
  return { batches, gates, commit };
}

/** Lets the first so many batches through, each as soon as it is under way. */
async function letThrough(gates: readonly (() => void)[], batches: number): Promise<void> {
  for (let batch = 0; batch < batches; batch++) {
    (await eventually(() => gates[batch]))();
  }
}

describe('group commit', () => {
  test('what comes in one turn of the event loop leaves together', async () => {
    const { batches, gates, commit } = gatedCommit();
    const group = new GroupCommit(commit, { itemsMax: 100 });
    const answers = [1, 2, 3].map((item) => group.runOne(item));
    await nextTurn();
    expect(batches).toEqual([[1, 2, 3]]);
    gates[0]?.();
    expect(await Promise.all(answers)).toEqual([10, 20, 30]);
  });

  test('an item leaves at once while fewer than two batches are under way', async () => {
    const { batches, gates, commit } = gatedCommit();
    const group = new GroupCommit(commit, { itemsMax: 100 });
    const answers = await oneByOne(group, [1, 2]);
    expect(batches).toEqual([[1], [2]]);
    for (const open of gates) {
      open();
    }
    expect(await Promise.all(answers)).toEqual([10, 20]);
  });

  test('what arrives while two are under way shares the next one, and everybody gets their own answer', async () => {
    const { batches, gates, commit } = gatedCommit();
    const group = new GroupCommit(commit, { itemsMax: 100 });
    const answers = await oneByOne(group, [1, 2, 3, 4, 5]);
    expect(batches).toEqual([[1], [2]]);
    gates[0]?.();
    await answers[0];
    await nextTurn();
    expect(batches).toEqual([[1], [2], [3, 4, 5]]);
    gates[1]?.();
    gates[2]?.();
    expect(await Promise.all(answers)).toEqual([10, 20, 30, 40, 50]);
  });

  test('beside a batch that is under way another one leaves once enough items wait', async () => {
    const { batches, gates, commit } = gatedCommit();
    const group = new GroupCommit(commit, { itemsMax: 100, besideItems: 3 });
    const answers = await oneByOne(group, [0, 1, 2]);
    expect(batches).toEqual([[0]]);
    answers.push(...(await oneByOne(group, [3])));
    expect(batches).toEqual([[0], [1, 2, 3]]);
    answers.push(...(await oneByOne(group, [4, 5, 6, 7])));
    expect(batches).toHaveLength(2);
    await letThrough(gates, 3);
    await Promise.all(answers);
    expect(batches.at(-1)).toEqual([4, 5, 6, 7]);
  });

  test('an item may count as several', async () => {
    const { batches, gates, commit } = gatedCommit();
    const group = new GroupCommit(commit, { itemsMax: 10, besideItems: 7, weightOf: (item) => item });
    const answers = await oneByOne(group, [1, 6]);
    expect(batches).toEqual([[1]]);
    answers.push(...(await oneByOne(group, [4])));
    expect(batches).toEqual([[1], [6, 4]]);
    answers.push(...(await oneByOne(group, [7, 3, 2])));
    await letThrough(gates, 4);
    await Promise.all(answers);
    expect(batches).toEqual([[1], [6, 4], [7, 3], [2]]);
  });

  test('takes turns: who gave a lot does not make the others wait', async () => {
    const { batches, gates, commit } = gatedCommit();
    const group = new GroupCommit(commit, {
      itemsMax: 2,
      inFlightMax: 1,
      keyOf: ([first]) => Math.floor(first! / 10),
    });
    const answers = await oneByOne(group, [10, 11, 12, 13, 14, 20, 30]);
    await letThrough(gates, 4);
    await Promise.all(answers);
    expect(batches).toEqual([[10], [11, 20], [30, 12], [13, 14]]);
  });

  test('big groups do not keep small ones waiting, and small ones do not keep big ones', async () => {
    const { batches, gates, commit } = gatedCommit();
    const group = new GroupCommit(commit, {
      itemsMax: 3,
      inFlightMax: 1,
      keyOf: ([first]) => Math.floor(first! / 10),
    });
    const first = group.run([10, 11, 12]);
    await nextTurn();
    const answers = [
      first,
      ...[13, 16].map((item) => group.run([item, item + 1, item + 2])),
      ...[20, 21].map((item) => group.run([item])),
    ];
    await letThrough(gates, 3);
    await Promise.all(answers);
    expect(batches).toEqual([
      [10, 11, 12],
      [13, 14, 15],
      [20, 21, 16, 17, 18],
    ]);
  });

  test('a batch is closed once it has so many items, and a group is never torn apart', async () => {
    const { batches, gates, commit } = gatedCommit();
    const group = new GroupCommit(commit, { itemsMax: 3, inFlightMax: 1 });
    const first = group.runOne(0);
    await nextTurn();
    const answers = [group.run([1, 2]), group.run([3, 4]), group.run([5, 6, 7, 8])];
    await letThrough(gates, 3);
    await first;
    expect(await Promise.all(answers)).toEqual([
      [10, 20],
      [30, 40],
      [50, 60, 70, 80],
    ]);
    expect(batches).toEqual([[0], [1, 2, 3, 4], [5, 6, 7, 8]]);
  });

  test('a bad item fails alone', async () => {
    const group = new GroupCommit<number, number>(
      async (items) => {
        await Promise.resolve();
        if (items.includes(13)) {
          throw new Error('13 is bad');
        }
        return [...items];
      },
      { itemsMax: 100, inFlightMax: 1 },
    );
    const answers = await Promise.allSettled([1, 2, 13, 4].map((item) => group.runOne(item)));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  });

  test('a deadlock is run again, a database that is away is not asked once per item', async () => {
    let calls = 0;
    const failTwice = new GroupCommit<number, number>(
      async (items) => {
        calls += 1;
        if (calls < 3) {
          throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
        }
        return [...items];
      },
      { itemsMax: 100 },
    );
    expect(await failTwice.runOne(1)).toBe(1);

    calls = 0;
    const away = new GroupCommit<number, number>(
      async () => {
        calls += 1;
        await Promise.resolve();
        throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
      },
      { itemsMax: 100, inFlightMax: 1 },
    );
    const answers = await Promise.allSettled([1, 2, 3, 4].map((item) => away.runOne(item)));
    expect(answers.every(({ status }) => status === 'rejected')).toBe(true);
    expect(calls).toBe(1);
  });

  describe('where a statement is too slow', () => {
    const tooSlow = () => Object.assign(new Error('canceling statement'), { code: '57014' });
    const slowFor = (
      isSlow: (items: readonly number[]) => boolean,
      options: { keyOf?: (items: readonly number[]) => unknown } = {},
    ) => {
      const batches: number[][] = [];
      const group = new GroupCommit<number, number>(
        async (items) => {
          batches.push([...items]);
          await Promise.resolve();
          if (isSlow(items)) {
            throw tooSlow();
          }
          return [...items];
        },
        { itemsMax: 100, inFlightMax: 1, ...options },
      );
      return { group, batches };
    };

    test('a slow item fails alone, and so does another one behind a good one', async () => {
      const { group } = slowFor((items) => items.includes(13) || items.includes(14));
      const answers = await Promise.allSettled([1, 13, 2, 14, 3].map((item) => group.runOne(item)));
      expect(answers.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
        'rejected',
        'fulfilled',
      ]);
    });

    test('a batch that is too big is not too big one by one', async () => {
      const { group } = slowFor((items) => items.length > 2);
      const answers = await Promise.all([1, 2, 3, 4].map((item) => group.runOne(item)));
      expect(answers).toEqual([1, 2, 3, 4]);
    });

    test('when two in a row are too slow alone, the database is: nobody else waits for it', async () => {
      const { group, batches } = slowFor(() => true);
      const answers = await Promise.allSettled([1, 2, 3, 4].map((item) => group.runOne(item)));
      expect(answers.map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
      expect(batches).toEqual([[1, 2, 3, 4], [1], [2]]);
    });

    test('once the database is away nobody else is tried one by one', async () => {
      const away = Object.assign(new Error('the database is away'), { code: '57P01' });
      const batches: number[][] = [];
      const group = new GroupCommit<number, number>(
        async (items) => {
          batches.push([...items]);
          await Promise.resolve();
          throw items.length > 1 ? tooSlow() : away;
        },
        { itemsMax: 100, inFlightMax: 1 },
      );
      const answers = await Promise.allSettled([1, 2, 3].map((item) => group.runOne(item)));
      expect(answers).toEqual(Array(3).fill({ status: 'rejected', reason: away }));
      expect(batches).toEqual([[1, 2, 3], [1]]);
    });

    test('others do not wait for each that has its turn with a slow one: those come last', async () => {
      const isSlow = (items: readonly number[]) => items.some((item) => item < 20);
      const { group, batches } = slowFor(isSlow, { keyOf: ([first]) => Math.floor(first! / 10) });
      const answers = await Promise.allSettled([10, 20, 11, 21, 12, 22, 13].map((item) => group.runOne(item)));
      expect(answers.map(({ status }) => status === 'fulfilled')).toEqual([
        ...[false, true, false, true, false, true, false],
      ]);
      expect(batches.slice(1)).toEqual([[10], [20], [21], [22], [11], [12]]);
    });
  });
});

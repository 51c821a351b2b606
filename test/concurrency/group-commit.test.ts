import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { GroupCommit } from '../../src/platform/database/group-commit.js';
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

type Options = Partial<ConstructorParameters<typeof GroupCommit<number, number>>[1]>;

/** Commits that wait to be let through, and what each was given. */
function gated(options: Options = {}) {
  const batches: number[][] = [];
  const gates: (() => void)[] = [];
  const commit = async (items: readonly number[]) => {
    batches.push([...items]);
    await new Promise<void>((resolve) => gates.push(resolve));
    return items.map((item) => item * 10);
  };
  return { batches, gates, group: new GroupCommit(commit, { itemsMax: 100, ...options }) };
}

const byTens: Options = { inFlightMax: 1, keyOf: ([first]) => Math.floor(first! / 10) };

/** Commits that fail for some items, one at a time. @param errorOf a batch; undefined: it succeeds */
function failing(errorOf: (items: readonly number[]) => Error | undefined, options: Options = {}) {
  const batches: number[][] = [];
  const commit = async (items: readonly number[]) => {
    batches.push([...items]);
    await Promise.resolve();
    const error = errorOf(items);
    if (error !== undefined) {
      throw error;
    }
    return [...items];
  };
  const group = new GroupCommit<number, number>(commit, { itemsMax: 100, inFlightMax: 1, ...options });
  const runAll = (...items: number[]) => Promise.allSettled(items.map((item) => group.runOne(item)));
  return { batches, runAll };
}

const failure = (message: string, code: string) => Object.assign(new Error(message), { code });
const statuses = (answers: readonly { status: string }[]) => answers.map(({ status }) => status === 'fulfilled');

/** Lets the first so many batches through, each as soon as it is under way. */
async function letThrough(gates: readonly (() => void)[], batches: number): Promise<void> {
  for (let batch = 0; batch < batches; batch++) {
    (await eventually(() => gates[batch]))();
  }
}

describe('group commit', () => {
  test('what comes in one turn of the event loop leaves together', async () => {
    const { batches, gates, group } = gated();
    const answers = [1, 2, 3].map((item) => group.runOne(item));
    await nextTurn();
    expect(batches).toEqual([[1, 2, 3]]);
    gates[0]?.();
    expect(await Promise.all(answers)).toEqual([10, 20, 30]);
  });

  test('an item leaves at once while fewer than two batches are under way', async () => {
    const { batches, gates, group } = gated();
    const answers = await oneByOne(group, [1, 2]);
    expect(batches).toEqual([[1], [2]]);
    for (const open of gates) {
      open();
    }
    expect(await Promise.all(answers)).toEqual([10, 20]);
  });

  test('what arrives while two are under way shares the next one, and everybody gets their own answer', async () => {
    const { batches, gates, group } = gated();
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
    const { batches, gates, group } = gated({ besideItems: 3 });
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
    const { batches, gates, group } = gated({ itemsMax: 10, besideItems: 7, weightOf: (item) => item });
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
    const { batches, gates, group } = gated({ itemsMax: 2, ...byTens });
    const answers = await oneByOne(group, [10, 11, 12, 13, 14, 20, 30]);
    await letThrough(gates, 4);
    await Promise.all(answers);
    expect(batches).toEqual([[10], [11, 20], [30, 12], [13, 14]]);
  });

  test('big groups do not keep small ones waiting, and small ones do not keep big ones', async () => {
    const { batches, gates, group } = gated({ itemsMax: 3, ...byTens });
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
    const { batches, gates, group } = gated({ itemsMax: 3, inFlightMax: 1 });
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

  describe('where items linger for others', () => {
    const lingering = (ms: number) => gated({ linger: { ms, itemsMax: 3, isUrgent: (item) => item < 0 } });

    test('those that come meanwhile leave with the first one, when its time is over', async () => {
      const { group, batches, gates } = lingering(5);
      await oneByOne(group, [1, 2]);
      await letThrough(gates, 1);
      expect(batches).toEqual([[1, 2]]);
    });

    test('they leave at once when they are enough, or one of them is urgent', async () => {
      const { group, batches, gates } = lingering(60_000);
      const answers = [...(await oneByOne(group, [1, 2, 3])), ...(await oneByOne(group, [4, -5]))];
      await letThrough(gates, 2);
      expect(await Promise.all(answers)).toEqual([10, 20, 30, 40, -50]);
      expect(batches).toEqual([
        [1, 2, 3],
        [4, -5],
      ]);
    });

    test('what comes while a batch is written lingers, too', async () => {
      const { group, batches, gates } = lingering(60_000);
      await oneByOne(group, [-1, 2]);
      await letThrough(gates, 1);
      await oneByOne(group, [3]);
      expect(batches).toEqual([[-1]]);
      await oneByOne(group, [-4]);
      await letThrough(gates, 2);
      expect(batches).toEqual([[-1], [2, 3, -4]]);
    });
  });

  test('a bad item fails alone', async () => {
    const { runAll } = failing((items) => (items.includes(13) ? new Error('13 is bad') : undefined));
    expect(statuses(await runAll(1, 2, 13, 4))).toEqual([true, true, false, true]);
  });

  test('an item whose row another session has locked fails alone', async () => {
    const locked = failure('canceling statement due to lock timeout', '55P03');
    const { runAll } = failing((items) => (items.includes(13) ? locked : undefined));
    expect(statuses(await runAll(1, 2, 13, 4))).toEqual([true, true, false, true]);
  });

  test('a deadlock is run again, a database that is away is not asked once per item', async () => {
    let calls = 0;
    const twice = failing(() => (++calls < 3 ? failure('deadlock detected', '40P01') : undefined));
    expect(await twice.runAll(1)).toEqual([{ status: 'fulfilled', value: 1 }]);

    const away = failing(() => failure('connect', 'ECONNREFUSED'));
    expect(statuses(await away.runAll(1, 2, 3, 4))).toEqual(Array(4).fill(false));
    expect(away.batches).toHaveLength(1);
  });

  describe('where a statement is too slow', () => {
    const tooSlow = () => failure('canceling statement', '57014');
    const slowFor = (isSlow: (items: readonly number[]) => boolean, options?: Options) =>
      failing((items) => (isSlow(items) ? tooSlow() : undefined), options);

    test('a slow item fails alone, and so does another one behind a good one', async () => {
      const { runAll } = slowFor((items) => items.includes(13) || items.includes(14));
      expect(statuses(await runAll(1, 13, 2, 14, 3))).toEqual([true, false, true, false, true]);
    });

    test('a batch that is too big is not too big one by one', async () => {
      const { runAll } = slowFor((items) => items.length > 2);
      const answers = await runAll(1, 2, 3, 4);
      expect(answers).toEqual([1, 2, 3, 4].map((value) => ({ status: 'fulfilled', value })));
    });

    test('when two in a row are too slow alone, the database is: nobody else waits for it', async () => {
      const { runAll, batches } = slowFor(() => true);
      expect(statuses(await runAll(1, 2, 3, 4))).toEqual(Array(4).fill(false));
      expect(batches).toEqual([[1, 2, 3, 4], [1], [2]]);
    });

    test('once the database is away nobody else is tried one by one', async () => {
      const away = failure('the database is away', '57P01');
      const { runAll, batches } = failing((items) => (items.length > 1 ? tooSlow() : away));
      expect(await runAll(1, 2, 3)).toEqual(Array(3).fill({ status: 'rejected', reason: away }));
      expect(batches).toEqual([[1, 2, 3], [1]]);
    });

    test('others do not wait for each that has its turn with a slow one: those come last', async () => {
      const { runAll, batches } = slowFor((items) => items.some((item) => item < 20), byTens);
      const answers = await runAll(10, 20, 11, 21, 12, 22, 13);
      expect(statuses(answers)).toEqual([false, true, false, true, false, true, false]);
      expect(batches.slice(1)).toEqual([[10], [20], [21], [22], [11], [12]]);
    });
  });
});

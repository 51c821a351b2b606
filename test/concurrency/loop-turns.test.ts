import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LoopTurns } from '../../src/platform/concurrency/loop-turns.js';
import { eventually } from '../support/eventually.js';

/** Keeps the thread busy. */
function work(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs) {}
}

test('work of a moment is done at once', async () => {
  const turns = new LoopTurns<number>();
  const done: number[] = [];
  const all = [1, 2, 3].map((number) => turns.run(1, () => done.push(number)));
  expect(done).toEqual([1, 2, 3]);
  expect(await Promise.all(all)).toEqual([1, 2, 3]);
});

test('after more than a millisecond the event loop goes on, and keys take turns', async () => {
  const turns = new LoopTurns<string>();
  const done: string[] = [];
  const piece = (key: string) =>
    turns.run(key, () => {
      done.push(key);
      work(1.5);
    });
  const all = [...'aaab'].map(piece);
  expect(done).toEqual(['a']);
  expect(turns.waitingCount).toBe(3);
  for (let count = 2; count <= 4; count++) {
    await turn();
    expect(done.length).toBeLessThanOrEqual(count);
  }
  await Promise.all(all);
  expect(done).toEqual(['a', 'a', 'b', 'a']);
});

test('a key that may not begin waits, and keeps nobody else', async () => {
  const closed = new Set(['a']);
  const turns = new LoopTurns<string>((key) => !closed.has(key));
  const done: string[] = [];
  const first = turns.run('a', () => done.push('a'));
  await turns.run('b', () => done.push('b'));
  expect(done).toEqual(['b']);
  closed.clear();
  await first;
  expect(done).toEqual(['b', 'a']);
});

test('work that fails is the fault of nobody else', async () => {
  const turns = new LoopTurns<number>();
  const failing = [1, 2].map(() =>
    turns.run(1, () => {
      work(1.5);
      throw new Error('broken');
    }),
  );
  const other = turns.run(1, () => 'done');
  for (const one of failing) {
    await expect(one).rejects.toThrow('broken');
  }
  expect(await other).toBe('done');
  await eventually(() => turns.waitingCount === 0);
});

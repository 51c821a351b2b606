import { expect, test } from 'vitest';
import { Slots } from '../../src/platform/concurrency/slots.js';

test('no more at a time than there are places; then by priority, and who came first comes first', async () => {
  const slots = new Slots(2);
  const started: string[] = [];
  const start = async (name: string, priority: number) => {
    await slots.take(priority);
    started.push(name);
  };
  void start('a', 30);
  void start('b', 30);
  void start('retry', 20);
  void start('first', 0);
  void start('second', 0);
  void start('raised', -1);
  await new Promise(setImmediate);
  expect(started).toEqual(['a', 'b']);
  expect(slots).toMatchObject({ inUse: 2, waitingCount: 4 });
  for (const next of ['raised', 'first', 'second', 'retry']) {
    slots.give();
    await new Promise(setImmediate);
    expect(started.at(-1)).toBe(next);
  }
  slots.give();
  slots.give();
  expect(slots).toMatchObject({ inUse: 0, waitingCount: 0 });
});

test('each fourth place goes to who has waited longest, so that no stream of urgent ones starves the others', async () => {
  const slots = new Slots(1);
  await slots.take();
  const started: string[] = [];
  const start = (name: string, priority: number) => void slots.take(priority).then(() => started.push(name));
  start('retry', 20);
  start('bulk', 30);
  for (let n = 1; n <= 8; n++) {
    start(`urgent ${n}`, 0);
  }
  for (let place = 0; place < 8; place++) {
    slots.give();
    await new Promise(setImmediate);
  }
  const urgent = (from: number) => [0, 1, 2].map((n) => `urgent ${from + n}`);
  expect(started).toEqual([...urgent(1), 'retry', ...urgent(4), 'bulk']);
});

test('who wants several places gets each as it becomes free, before those who came later', async () => {
  const slots = new Slots(2);
  const started: string[] = [];
  const start = async (name: string) => void started.push(name);
  void slots.takeEach(0, ['a', 'b', 'c', 'd'], start);
  void slots.take(0).then(() => started.push('later'));
  void slots.takeEach(-1, ['raised'], start);
  expect(started).toEqual(['a', 'b']);
  expect(slots.waitingCount).toBe(4);
  for (let place = 0; place < 4; place++) {
    slots.give();
  }
  await new Promise(setImmediate);
  expect(started).toEqual(['a', 'b', 'raised', 'c', 'd', 'later']);
  expect(slots).toMatchObject({ inUse: 2, waitingCount: 0 });
});

test('who wants several places hears of the first failure when all have ended', async () => {
  const slots = new Slots(1);
  const ended: string[] = [];
  const work = async (name: string) => {
    await new Promise(setImmediate);
    slots.give();
    ended.push(name);
    if (name !== 'c') {
      throw new Error(`no ${name}`);
    }
  };
  await expect(slots.takeEach(0, ['a', 'b', 'c'], work)).rejects.toThrow('no a');
  expect(ended).toEqual(['a', 'b', 'c']);
  expect(slots.inUse).toBe(0);
});

test('who wants no place waits for none', async () => {
  const slots = new Slots(1);
  await slots.take(0);
  await slots.takeEach(0, [], () => Promise.reject(new Error('never')));
  expect(slots).toMatchObject({ inUse: 1, waitingCount: 0 });
});

test('a place can be tried for, and is refused while others have all', () => {
  const slots = new Slots(1);
  expect(slots.tryTake()).toBe(true);
  expect(slots.tryTake()).toBe(false);
  slots.give();
  expect(slots.tryTake()).toBe(true);
});

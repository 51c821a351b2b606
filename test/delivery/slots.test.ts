import { expect, test } from 'vitest';
import { Slots } from '../../daemon/slots.js';

test('no more at a time than there are places; then by priority, and who came first comes first', async () => {
  const slots = new Slots(2);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (name: string, priority: number) =>
    slots.hold(priority, async () => {
      started.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
  const all = [
    start('a', 30),
    start('b', 30),
    start('retry', 20),
    start('first', 0),
    start('second', 0),
    start('raised', -1),
  ];
  await Promise.resolve();
  expect(started).toEqual(['a', 'b']);
  for (const name of ['a', 'b', 'raised', 'first', 'second', 'retry']) {
    ends.get(name)?.();
    await new Promise(setImmediate);
  }
  expect(started).toEqual(['a', 'b', 'raised', 'first', 'second', 'retry']);
  expect(await Promise.all(all)).toEqual(['a', 'b', 'retry', 'first', 'second', 'raised']);
});

test('a place is free again when its work fails', async () => {
  const slots = new Slots(1);
  await expect(slots.hold(0, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await slots.hold(0, () => Promise.resolve('yes'))).toBe('yes');
});

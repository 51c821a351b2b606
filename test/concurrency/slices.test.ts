import { expect, test } from 'vitest';
import { Slices } from '../../src/platform/concurrency/slices.js';

const work = (ms: number) => {
  const end = performance.now() + ms;
  while (performance.now() < end) {}
};

test('work that takes longer than 10 ms lets others go first between its pieces', async () => {
  const slices = new Slices(1_000);
  let turns = 0;
  let isOver = false;
  const others = () => {
    turns += 1;
    if (!isOver) {
      setImmediate(others);
    }
  };
  setImmediate(others);
  for (let piece = 0; piece < 10; piece += 1) {
    await slices.next();
    work(11);
  }
  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(9);
});

test('its time is over after so many milliseconds, whatever was done in them', async () => {
  const slices = new Slices(20);
  expect(slices.leftMs).toBeGreaterThan(0);
  work(21);
  expect(slices.leftMs).toBe(0);
  await slices.next();
  expect(slices.leftMs).toBe(0);
});

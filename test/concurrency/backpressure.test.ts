import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Backpressure } from '../../src/platform/concurrency/backpressure.js';

const CHECK_EVERY_MS = 5;
const WAIT_MS_MAX = 500;
const ROOM_MIN = 50;

describe('work that makes more than there is room for', () => {
  let room: number;
  let begun: string[];
  let ends: Map<string, () => void>;
  let backpressure: Backpressure;

  beforeEach(() => {
    vi.useFakeTimers();
    room = 100;
    begun = [];
    ends = new Map();
    backpressure = new Backpressure({
      room: () => room,
      roomMin: ROOM_MIN,
      waitMsMax: WAIT_MS_MAX,
      checkEveryMs: CHECK_EVERY_MS,
    });
  });
  afterEach(() => void vi.useRealTimers());

  const start = (name: string, { key = 'tenant', items = 100 }: { key?: string; items?: number } = {}) =>
    backpressure.run(key, items, () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
  const check = () => vi.advanceTimersByTimeAsync(CHECK_EVERY_MS);

  test('waits until there is room again, and what has begun counts until it shows in the room', async () => {
    const first = start('first');
    void start('second');
    await check();
    expect(begun).toEqual(['first']);
    room = 0; // what the first one made
    ends.get('first')!();
    expect(await first).toBe('first');
    await check();
    expect(begun).toEqual(['first']);
    room = ROOM_MIN;
    await check();
    expect(begun).toEqual(['first', 'second']);
  });

  test('begins together with others that wait, when there is room for some of it', async () => {
    room = 0;
    void start('a');
    void start('b', { key: 'other' });
    void start('c');
    room = ROOM_MIN - 1;
    await check();
    expect(begun).toEqual([]);
    room = 200;
    await check();
    expect(begun).toEqual(['a', 'b']);
  });

  test('begins key by key: a key with a lot makes others wait for one piece of its work', async () => {
    room = 0;
    for (const name of ['a1', 'a2', 'a3']) {
      void start(name, { key: 'a' });
    }
    void start('b1', { key: 'b' });
    for (let n = 1; n <= 4; n++) {
      room = n * 100;
      await check();
    }
    expect(begun).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  test('does not go before those who wait, room or not', async () => {
    room = 0;
    void start('early');
    room = 200;
    void start('late');
    expect(begun).toEqual([]);
    await check();
    expect(begun).toEqual(['early', 'late']);
  });

  test('begins after a while without room', async () => {
    room = 0;
    void start('a');
    void start('b', { key: 'other' });
    await vi.advanceTimersByTimeAsync(WAIT_MS_MAX - CHECK_EVERY_MS);
    expect(begun).toEqual([]);
    await check();
    expect(begun).toEqual(['a', 'b']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('leaves no room taken when it fails, and throws its error', async () => {
    const failing = backpressure.run('tenant', 100, () => Promise.reject(new Error('refused')));
    await expect(failing).rejects.toThrow('refused');
    void start('next');
    expect(begun).toEqual(['next']);
  });
});

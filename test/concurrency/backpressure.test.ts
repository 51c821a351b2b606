import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Backpressure } from '../../src/concurrency/backpressure.js';

const LOOK_EVERY_MS = 5;
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
      lookEveryMs: LOOK_EVERY_MS,
      now: () => Date.now(),
    });
  });
  afterEach(() => void vi.useRealTimers());

  const start = (name: string, { turn = 'tenant', items = 100 }: { turn?: string; items?: number } = {}) =>
    backpressure.run(turn, items, () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
  const look = () => vi.advanceTimersByTimeAsync(LOOK_EVERY_MS);

  test('waits until there is room again, and what has begun counts until it shows in the room', async () => {
    const first = start('first');
    void start('second');
    await look();
    expect(begun).toEqual(['first']);
    room = 0; // what the first one made
    ends.get('first')!();
    expect(await first).toBe('first');
    await look();
    expect(begun).toEqual(['first']);
    room = ROOM_MIN;
    await look();
    expect(begun).toEqual(['first', 'second']);
  });

  test('begins together with others that wait, when there is room for some of it', async () => {
    room = 0;
    void start('a');
    void start('b', { turn: 'other' });
    void start('c');
    room = ROOM_MIN - 1;
    await look();
    expect(begun).toEqual([]);
    room = 200;
    await look();
    expect(begun).toEqual(['a', 'b']);
  });

  test('begins in turns: who asks for a lot makes others wait for one piece of it, not for all', async () => {
    room = 0;
    for (const name of ['a1', 'a2', 'a3']) {
      void start(name, { turn: 'a' });
    }
    void start('b1', { turn: 'b' });
    for (let n = 1; n <= 4; n++) {
      room = n * 100;
      await look();
    }
    expect(begun).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  test('does not go before those who wait, room or not', async () => {
    room = 0;
    void start('early');
    room = 200;
    void start('late');
    expect(begun).toEqual([]);
    await look();
    expect(begun).toEqual(['early', 'late']);
  });

  test('begins after a while without room', async () => {
    room = 0;
    void start('a');
    void start('b', { turn: 'other' });
    await vi.advanceTimersByTimeAsync(WAIT_MS_MAX - LOOK_EVERY_MS);
    expect(begun).toEqual([]);
    await look();
    expect(begun).toEqual(['a', 'b']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('leaves no room taken when it fails, and tells why', async () => {
    const failing = backpressure.run('tenant', 100, () => Promise.reject(new Error('refused')));
    await expect(failing).rejects.toThrow('refused');
    void start('next');
    expect(begun).toEqual(['next']);
  });
});

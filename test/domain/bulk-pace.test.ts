import { describe, expect, test } from 'vitest';
import { BULK_CHUNK, BULK_WAITING_MAX, bulkPause, bulkRoom } from '../../src/domain/pacing/bulk-pace.js';

describe('the room of a bulk operation', () => {
  test('is a chunk, until as many wait as may wait', () => {
    expect(bulkRoom(0)).toBe(BULK_CHUNK);
    expect(bulkRoom(BULK_WAITING_MAX - BULK_CHUNK)).toBe(BULK_CHUNK);
    expect(bulkRoom(BULK_WAITING_MAX - BULK_CHUNK + 1)).toBe(BULK_CHUNK - 1);
    expect(bulkRoom(BULK_WAITING_MAX)).toBe(0);
  });

  test('of less than half a chunk is none', () => {
    expect(bulkRoom(BULK_WAITING_MAX - BULK_CHUNK / 2)).toBe(BULK_CHUNK / 2);
    expect(bulkRoom(BULK_WAITING_MAX - BULK_CHUNK / 2 + 1)).toBe(0);
  });
});

describe('the pause after a chunk', () => {
  const chunk = { queued: BULK_CHUNK, drained: 0, hadRoom: true, tookMs: 1, waitedMs: 0 };

  test('is a multiple of what it took, at least 20 ms and at most half a second', () => {
    const pauses = [1, 2, 3, 50, 62, 63].map((tookMs) => bulkPause({ ...chunk, tookMs }).inMs);
    expect(pauses).toEqual([20, 20, 24, 400, 496, 500]);
  });

  test('is none when nothing was queued', () => {
    expect(bulkPause({ ...chunk, queued: 0, tookMs: 500 })).toEqual({ inMs: 0, waitedMs: 0 });
  });

  test('doubles up to 10 s while a full queue does not move, and is short again when it does', () => {
    const pauses: number[] = [];
    let waitedMs = 0;
    for (let i = 0; i < 10; i++) {
      const pause = bulkPause({ ...chunk, queued: 0, hadRoom: false, waitedMs });
      pauses.push(pause.inMs);
      waitedMs = pause.waitedMs;
    }
    expect(pauses).toEqual([20, 40, 80, 160, 320, 640, 1_280, 2_560, 5_120, 10_000]);
    const moved = bulkPause({ ...chunk, queued: 0, drained: 1, hadRoom: false, waitedMs });
    expect(moved).toEqual({ inMs: 20, waitedMs: 0 });
  });
});

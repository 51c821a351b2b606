import { afterEach, describe, expect, test, vi } from 'vitest';
import { EventLoopLoad } from '../../src/platform/node/event-loop-load.js';
import { eventually } from '../support/eventually.js';

const work = (ms: number) => {
  const until = performance.now() + ms;
  while (performance.now() < until) {
    // as a burst of requests does
  }
};

afterEach(() => vi.restoreAllMocks());

describe('the load of the event loop', () => {
  test('falls when it waits for input, and is near 1 while it works without a pause', async () => {
    const load = new EventLoopLoad();
    await eventually(() => load.utilization < 0.5);
    work(60);
    expect(load.utilization).toBeGreaterThan(0.5);
    work(60);
    expect(load.utilization).toBeGreaterThan(0.9);
  });

  test('is taken for high where nobody has asked for a while', async () => {
    const load = new EventLoopLoad();
    expect(load.utilization).toBe(1);
    await eventually(() => load.utilization < 0.5);
    const later = performance.now() + 250;
    vi.spyOn(performance, 'now').mockReturnValue(later);
    expect(load.utilization).toBe(1);
  });
});

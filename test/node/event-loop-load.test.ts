import { expect, test } from 'vitest';
import { EventLoopLoad } from '../../src/node/event-loop-load.js';
import { eventually } from '../support/eventually.js';

test('the load of the event loop is near 1 while it works without a pause, and falls when it waits', async () => {
  const load = new EventLoopLoad();
  const until = performance.now() + 150;
  while (performance.now() < until) {
    // as a burst of requests does
  }
  expect(load.utilization).toBeGreaterThan(0.9);
  await eventually(() => load.utilization < 0.5);
});

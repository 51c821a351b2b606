import { expect, test } from 'vitest';
import type { Services } from '../../src/context.js';
import { OpenStreams } from '../../src/http/open-streams.js';

test('a tenant whose updates take long to read keeps no other waiting, however many streams it has', async () => {
  const streams = new OpenStreams({} as Services);
  const { promise: longRead, resolve: end } = Promise.withResolvers<void>();
  let slowOnes = 0;
  const slow = Array.from({ length: 5 }, () =>
    streams.takeTurn(1, () => {
      slowOnes += 1;
      return longRead;
    }),
  );
  await streams.takeTurn(2, async () => {});
  expect(slowOnes).toBe(1);
  end();
  await Promise.all(slow);
  expect(slowOnes).toBe(5);
});

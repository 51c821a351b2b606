import { expect, test } from 'vitest';
import { listen } from '../../src/commands/listen.js';

test.each([
  [3000, 3001],
  [65_534, 65_535],
  [65_535, 65_534],
])('for port %d, which is taken, port %d is suggested', async (port, another) => {
  const taken = () => Promise.reject(Object.assign(new Error('taken'), { code: 'EADDRINUSE' }));
  await expect(listen('PORT', { host: '127.0.0.1', port }, taken)).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is taken. Free it, or choose another: PORT=${another}.`,
  );
});

import { expect, test } from 'vitest';
import { listen } from '../../src/cli/listen.js';

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

test.each([
  ['::', 'EAFNOSUPPORT', 'HOST is "::", an IPv6 address, and this machine has no IPv6 (EAFNOSUPPORT).'],
  ['nowhere', 'ENOTFOUND', 'HOST is "nowhere", which is no address of this machine (ENOTFOUND).'],
  ['nowhere', 'EAI_FAIL', 'HOST is "nowhere", which is no address of this machine (EAI_FAIL).'],
])('a host that cannot be listened on is told with what is allowed: %s (%s)', async (host, code, reason) => {
  const refused = () => Promise.reject(Object.assign(new Error(`listen ${code} ${host}`), { code }));
  await expect(listen('PORT', { host, port: 3000 }, refused)).rejects.toThrow(
    `${reason} Allowed: one of its own, 127.0.0.1 for this machine alone, or 0.0.0.0 for all.`,
  );
});

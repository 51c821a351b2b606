import { isIPv6 } from 'node:net';
import { expect, test } from 'vitest';
import { groupsOf } from '../../src/domain/addresses/ipv6.js';
import { fc } from '../support/properties.js';

test.each([
  ['::', [0, 0, 0, 0, 0, 0, 0, 0]],
  ['2001:DB8::0:1', [0x2001, 0xdb8, 0, 0, 0, 0, 0, 1]],
  ['1:2:3:4:5:6:7::', [1, 2, 3, 4, 5, 6, 7, 0]],
  ['::2:3:4:5:6:7:8', [0, 2, 3, 4, 5, 6, 7, 8]],
  ['fe80::1%eth0', [0xfe80, 0, 0, 0, 0, 0, 0, 1]],
  ['64:ff9b::192.0.2.33', [0x64, 0xff9b, 0, 0, 0, 0, 0xc000, 0x221]],
  ['1:2:3:4:5:6:255.255.0.1', [1, 2, 3, 4, 5, 6, 0xffff, 1]],
])('the groups of %s', (address, groups) => {
  expect(groupsOf(address)).toEqual(groups);
});

/** The URL parser writes every spelling in one way. */
const normalized = (address: string) => new URL(`http://[${address}]`).hostname;

test('the groups of any spelling are the address itself', () => {
  fc.assert(
    fc.property(fc.ipV6().filter(isIPv6), (address) => {
      const written = groupsOf(address).map((group) => group.toString(16));
      expect(normalized(written.join(':'))).toBe(normalized(address));
    }),
  );
});

import { isIP } from 'node:net';

/** Arithmetic with addresses of its own, so that what is tested has no part in it. */
export function toNumber(address: string): bigint {
  if (isIP(address) === 4) {
    return address.split('.').reduce((sum, octet) => sum * 256n + BigInt(octet), 0n);
  }
  const [left = '', right = ''] = address.split('::');
  const before = left.split(':').filter(Boolean);
  const after = right.split(':').filter(Boolean);
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  return groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

/** IPv6 comes in its long form. */
export function toAddress(number: bigint, family: 4 | 6): string {
  if (family === 4) {
    const all = Number(number);
    return [24, 16, 8, 0].map((shift) => (all >>> shift) & 255).join('.');
  }
  return number
    .toString(16)
    .padStart(32, '0')
    .replace(/(.{4})(?=.)/g, '$1:');
}

export const familyOf = (address: string): 4 | 6 => (isIP(address) === 4 ? 4 : 6);
export const sizeOf = (family: 4 | 6): bigint => 1n << (family === 4 ? 32n : 128n);

/** The first and the last address of a range and one in the middle, and the neighbours (null at the end of all). */
export function edgesOf(cidr: string) {
  const [address = '', bits] = cidr.split('/');
  const family = familyOf(address);
  const first = toNumber(address);
  const last = first + (sizeOf(family) >> BigInt(bits ?? (family === 4 ? 32 : 128))) - 1n;
  const at = (number: bigint) => toAddress(number, family);
  return {
    inside: [at(first), at((first + last) / 2n), at(last)],
    before: first === 0n ? null : at(first - 1n),
    after: last + 1n === sizeOf(family) ? null : at(last + 1n),
  };
}

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { judgeAddress, type TargetPolicy } from '../../src/domain/addresses/target.js';
import { Chance } from '../seed/chance.js';
import { edgesOf, familyOf, sizeOf, toAddress, toNumber } from '../support/address-edges.js';
import { draws, fc } from '../support/properties.js';
import { words } from '../support/refusals.js';
import { specialRanges } from '../support/special-purpose.js';

const strict: TargetPolicy = { allowHttp: false, allowedRanges: [], loopbackHttp: false };
const developer: TargetPolicy = { ...strict, loopbackHttp: true };
const opening = (...allowedRanges: string[]): TargetPolicy => ({ ...strict, allowHttp: true, allowedRanges });

const verdictOn = (address: string) => (judgeAddress(address, strict) ? 'public' : 'refused');

describe('the address matrix', () => {
  test.each(specialRanges)('%s (%s) is refused from edge to edge; before it: %s, after it: %s', (...row) => {
    const [cidr, , before, after] = row;
    const edges = edgesOf(cidr);
    expect(edges.inside.map(verdictOn)).toEqual(['refused', 'refused', 'refused']);
    expect(edges.before && verdictOn(edges.before)).toBe(before);
    expect(edges.after && verdictOn(edges.after)).toBe(after);
  });
});

describe('which addresses may be connected to', () => {
  test.each([
    ...['100.100.100.200', '169.254.169.254', '169.254.170.2', '192.0.0.192', '255.255.255.255', '0.0.0.0'],
    ...['::', '::1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::ffff:0:127.0.0.1'],
    ...['64:ff9b::127.0.0.1', '2002:7f00:1::', '2001:0:7f00:1::', 'fd00:ec2::254', '::5efe:127.0.0.1', '4000::1'],
    ...['2a00::5efe:127.0.0.1', '2a00::200:5efe:127.0.0.1', '2a00:1:2:3:0:5efe:a00:1', 'fe80::1%eth0', '2a00::1%eth0'],
  ])('%s is refused', (address) => {
    expect(judgeAddress(address, strict)).toBe(false);
  });

  test.each([
    ...['1.1.1.1', '8.8.8.8', '93.184.215.14', '172.15.255.255', '172.32.0.1', '192.0.1.1', '223.255.255.255'],
    ...['2606:4700:4700::1111', '2a00:1450:4001::200e', '2001:4860:4860::8888', '2400::1', '2a00::5eff:1:1'],
    ...['2a00::100:5efe:1:1', '2a00::5efe:0:1:1'],
  ])('%s is public', (address) => {
    expect(judgeAddress(address, strict)).toBe(true);
  });

  test.each([
    ...words('localhost example.com 127.1 0x7f.1 010.1.1.1 1.1.1 1.1.1.1. 1.1.1.256 1.1.1.1/32 1.1.1.1:80'),
    ...words('[2a00::1] 2a00::1:: ::: 2a00 null １.1.1.1'),
    ...['', ' ', ' 1.1.1.1', '1.1.1.1 '],
  ])('%j is not an address, and so refused', (text) => {
    expect(judgeAddress(text, strict)).toBe(false);
    expect(judgeAddress(text, opening('0.0.0.0/0', '::/0'))).toBe(false);
  });

  test('whatever text comes, only addresses are ever allowed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(judgeAddress(text, strict)).toBe(isIP(text) !== 0 && judgeAddress(text, strict));
      }),
    );
  });

  test('an opened range is allowed from edge to edge, and nothing beside it', () => {
    for (const cidr of ['10.1.0.0/16', '127.0.0.0/8', 'fd00:1::/32']) {
      const { inside, before, after } = edgesOf(cidr);
      const policy = opening('192.168.7.7', cidr);
      for (const address of inside) {
        expect(judgeAddress(address, policy)).toBe(true);
      }
      for (const address of [before, after]) {
        expect(judgeAddress(address!, policy)).toBe(judgeAddress(address!, strict));
      }
    }
    expect(judgeAddress('192.168.7.7', opening('192.168.7.7'))).toBe(true);
    expect(judgeAddress('192.168.7.8', opening('192.168.7.7'))).toBe(false);
  });

  test('opening IPv4 does not open the IPv6 spellings of the same addresses', () => {
    expect(judgeAddress('::ffff:10.0.0.1', opening('10.0.0.0/8'))).toBe(false);
    expect(judgeAddress('::ffff:10.0.0.1', opening('::ffff:0:0/96'))).toBe(true);
    expect(judgeAddress('10.0.0.1', opening('::ffff:0:0/96'))).toBe(false);
  });

  test('on a developer’s machine loopback is allowed, and nothing else that is private', () => {
    for (const address of words('127.0.0.1 127.255.255.255 ::1')) {
      expect([judgeAddress(address, developer), judgeAddress(address, strict)]).toEqual([true, false]);
    }
    for (const address of words('126.255.255.255 128.0.0.0 8.8.8.8')) {
      expect(judgeAddress(address, developer)).toBe(true);
    }
    for (const address of words(':: ::2 10.0.0.1 192.168.1.1 169.254.169.254 ::ffff:127.0.0.1 0.0.0.0')) {
      expect(judgeAddress(address, developer)).toBe(false);
    }
  });
});

describe('against another implementation', () => {
  /** Where we differ from ipaddr.js on purpose, with an address that is public for it. */
  const differences: [cidr: string, example: string, why: string][] = [
    ['168.63.129.16/32', '168.63.129.16', 'a cloud provider’s host agent is in no registry'],
    ['3ffe::/16', '3ffe::1', '6bone was handed back'],
    ['::/3', '::7f00:1', 'never handed out, and addresses that carry an IPv4 address'],
    ['4000::/2', '4000::1', 'never handed out'],
    ['8000::/1', '8000::1', 'never handed out'],
  ];
  const ranges = differences.map(([cidr]) => ipaddr.parseCIDR(cidr));

  /** The last difference: an IPv4 address behind the interface id of ISATAP, in whatever network. */
  const isIsatap = ({ parts }: ipaddr.IPv6) => (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe;

  function expected(text: string): boolean {
    const address = ipaddr.parse(text);
    const differs =
      ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits)) ||
      (address.kind() === 'ipv6' && isIsatap(address as ipaddr.IPv6));
    return !differs && address.range() === 'unicast';
  }

  test.each(differences)('%s differs, such as %s: %s', (cidr, example) => {
    expect(ipaddr.parse(example).match(ipaddr.parseCIDR(cidr))).toBe(true);
    expect([ipaddr.parse(example).range(), verdictOn(example)]).toEqual(['unicast', 'refused']);
    expect(edgesOf(cidr).inside.map(verdictOn)).toEqual(['refused', 'refused', 'refused']);
  });

  const count = draws(0.01).numRuns;

  test(`${count} random addresses, half of them near the edges of special ranges, are judged alike`, () => {
    const seed = Math.floor(Math.random() * 2 ** 32);
    const chance = new Chance(seed);
    const hex = (least: number, most: number) => chance.whole(least, most).toString(16);
    const groups = (length: number) => Array.from({ length }, () => hex(0, 0xffff)).join(':');
    const publicGroup = () => hex(0x2000, 0x3fff);
    const edges = specialRanges
      .flatMap(([cidr]) => edgesOf(cidr).inside)
      .map((edge) => ({ at: toNumber(edge), family: familyOf(edge) }));
    const makers = [
      () => toAddress(BigInt(chance.whole(0, 2 ** 32 - 1)), 4),
      () => `${publicGroup()}:${groups(7)}`,
      () => groups(8),
      () => `${publicGroup()}:${groups(3)}:${chance.pick(['0', '200', '100'])}:5efe:${groups(2)}`,
    ];
    const nearEdge = () => {
      const { at, family } = chance.pick(edges);
      const size = sizeOf(family);
      return toAddress((at + BigInt(chance.whole(-512, 512)) + size) % size, family);
    };
    const counts = { public: 0, refused: 0 };
    const wrong: string[] = [];
    for (let i = 0; i < count; i++) {
      const address = i % 2 === 0 ? nearEdge() : makers[(i >> 1) % makers.length]!();
      const verdict = judgeAddress(address, strict);
      counts[verdict ? 'public' : 'refused'] += 1;
      if (verdict !== expected(address) && wrong.length < 20) {
        wrong.push(address);
      }
    }
    expect({ seed, wrong }).toEqual({ seed, wrong: [] });
    // Else it would compare nothing but one kind of answer.
    expect(Math.min(counts.public, counts.refused)).toBeGreaterThan(count / 5);
  }, 180_000);
});

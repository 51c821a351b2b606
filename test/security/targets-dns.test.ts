import { afterAll, describe, expect, test } from 'vitest';
import { edgesOf } from '../support/address-edges.js';
import { type DnsAnswers, has } from '../support/fake-dns.js';
import { specialRanges } from '../support/special-purpose.js';
import { addressesIn, TargetSite, withoutIdentity } from '../support/target-site.js';

const many = Array.from({ length: 499 }, (_, i) => `8.8.${i >> 8}.${i & 255}`);

/** Names with a bad answer, and names with none. 127.0.0.2 is the one private address that is opened here. */
const answers: [what: string, answers: DnsAnswers][] = [
  ...specialRanges.map(([cidr, name]): [string, DnsAnswers] => {
    const [address = ''] = edgesOf(cidr).inside;
    return [`leads to ${cidr} (${name})`, has([address])];
  }),
  ['leads to the last address of 127.0.0.0/8', has(['127.255.255.255'])],
  ['leads to loopback with a TTL of 0', has(['127.0.0.1'], { ttl: 0 })],
  ['leads to loopback with a TTL of a year', has(['127.0.0.1'], { ttl: 31_536_000 })],
  ['leads to loopback in IPv6 alone', has(['::1'])],
  ['leads to loopback as a mapped address', has(['::ffff:7f00:1'])],
  ['leads to loopback by NAT64', has(['64:ff9b::7f00:1'])],
  ['leads to loopback by 6to4', has(['2002:7f00:1::'])],
  ['leads to loopback by ISATAP', has(['2a00::5efe:7f00:1'])],
  ['leads to a public and a private address', has(['8.8.8.8', '127.0.0.1'])],
  ['leads to a private and a public address', has(['127.0.0.1', '8.8.8.8'])],
  ['leads to an opened and a private address', has(['127.0.0.2', '127.0.0.1'])],
  ['leads to a private and an opened address', has(['127.0.0.1', '127.0.0.2'])],
  ['leads to a public address, and in IPv6 to loopback', has(['8.8.8.8', '::1'])],
  ['leads to an opened address, and in IPv6 to loopback', has(['127.0.0.2', '::1'])],
  ['leads to loopback, and in IPv6 to a public address', has(['127.0.0.1', '2a00::1'])],
  ['has 499 public addresses and a private one', has([...many, '127.0.0.1'])],
  ['has as many over TCP', has([...many, '127.0.0.1'], { truncated: true })],
  ['is an alias of a name inside', has(['127.0.0.1'], { aliases: ['metadata.google.internal'] })],
  ['is an alias of localhost', has(['127.0.0.1'], { aliases: ['localhost'] })],
  ['leads inside by a chain of aliases', has(['127.0.0.1'], { aliases: ['a.example.org', 'b.example.org', 'c'] })],
  ['does not exist', () => ({ code: 3 })],
  ['has a broken server', () => ({ code: 2 })],
  ['has a server that refuses to answer', () => ({ code: 5 })],
  ['has no addresses', () => ({})],
  ['is an alias of a name without addresses', () => ({ aliases: ['gone.example.org'] })],
  ['has a server that never answers', () => null],
  [
    'has a server that never answers about IPv6, and a private address',
    (_, type) => (type === 1 ? { addresses: ['127.0.0.1'] } : null),
  ],
];
const nameOf = (index: number) => `case-${index}.example.com`;

const site = await TargetSite.open();
site.dns.answerWith((name, type) => {
  const index = Number(/^case-(\d+)\.example\.com$/.exec(name)?.[1]);
  return answers[index]?.[1](name, type) ?? null;
});
const webhooks: number[] = [];
for (const index of answers.keys()) {
  const url = `http://${nameOf(index)}:${site.canary.port}/hook`;
  webhooks.push((await site.stack.webhook(url)).id);
}
site.startDaemon();
const readings = await site.deliver();
afterAll(() => site[Symbol.asyncDispose]());

describe('names that lead inside, and names that lead nowhere', () => {
  const missing = answers.findIndex(([what]) => what === 'does not exist');

  test.each(answers.map(([what], i) => [what, i] as const))(
    'a name that %s reads like one without an answer',
    (_what, i) => {
      const reading = readings.get(webhooks[i]!)!;
      expect(reading.attempts).toMatchObject([{ errorCode: 'DNS_FAILED', statusCode: null, responseHeaders: null }]);
      expect(withoutIdentity(reading)).toEqual(withoutIdentity(readings.get(webhooks[missing]!)!));
      expect(addressesIn(reading.text)).toEqual([]);
      expect(site.dns.questions).toContain(`A ${nameOf(i)}`);
    },
  );

  test('none of them reached the canary', () => {
    expect(answers.length).toBeGreaterThanOrEqual(90);
    expect(readings.size).toBe(answers.length);
    expect(site.canary.connections).toBe(0);
  });
});

import { afterAll, describe, expect, test } from 'vitest';
import { judgeUrl } from '../../src/domain/addresses/target.js';
import { openSender } from '../support/sender.js';
import { addressesIn, startCanary, TargetSite } from '../support/target-site.js';

/** Hosts that lead to this machine: each of them reaches the canary when loopback is opened. */
const leadToCanary = [
  ...['127.0.0.1', '127.1', '127.0.1', '0177.0.0.1', '0x7f.1', '0x7f000001', '0X7F.0.0.0x1', '2130706433'],
  ...['017700000001', '0x7f.0.1', '0177.1', '127.0.0.1.', '%31%32%37.0.0.1', '%31%32%37%2E1', '12\t7.0.0.1'],
  ...['127.0.\n0.1', '127.0.0.\r1', '１２７.０.０.１', '①②⑦.⓪.⓪.①', '𝟏𝟐𝟕.0.0.1', '127。0。0。1', '127．0．0．1'],
  ...['127｡0｡0｡1'],
  ...['0', '0.0.0.0', '0x0', '00.0.0.0', '000', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::FFFF:7F00:0001]'],
  ...['[0:0:0:0:0:ffff:7f00:1]', '[::ffff:0.0.0.0]', 'localhost', 'LOCALHOST', 'localhost.', 'loc%61lhost'],
  ...['ⓛocalhost', 'ｌｏｃａｌｈｏｓｔ', 'a.localhost', 'hooks.localhost.', 'loc\u00adalhost'],
];
const onIpv6 = ['[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::0.0.0.1]', '[::]', '[0::0]'];

/** Hosts that are refused as well; on another network they may lead inside. */
const others = [
  ...['127.0.0.3', '127.255.255.254', '10.0.0.1', '0xA.1', '012.0.0.1', '167772161', '169.254.169.254'],
  ...['169.254.43518', '0xa9fea9fe', '2852039166', '169.254.170.2', '192.168.1.1', '172.16.0.1', '100.100.100.200'],
  ...['168.63.129.16', '192.0.0.192', '255.255.255.255', '[::127.0.0.1]', '[::7f00:1]', '[64:ff9b::7f00:1]'],
  ...['[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2001:0:7f00:1::]', '[2001::1]', '[::ffff:0:127.0.0.1]'],
  ...['[::5efe:127.0.0.1]', '[2a00::5efe:7f00:1]', '[2a00::200:5efe:7f00:1]', '[fe80::5efe:7f00:1]'],
  ...['[fe80::1]', '[fd00:ec2::254]', '[ff02::1]', '[fec0::1]', '[4000::1]', '[fe80::1%25lo]', '[fe80::1%lo]'],
  ...['[::1%25lo]', '127.0.0.1.nip.localhost', 'localhost.localdomain', 'db.private', 'ip6-localhost', 'backend'],
  ...['printer.local', 'metadata.google.internal', 'kubernetes.default.svc.cluster.local', 'abc.onion'],
  ...['instance-data', 'a.home.arpa'],
  ...['1.2.3.256', '127.0.0.1.1', '127..0.1', '0x7f.0x', '[::1', '127.0.0.1%00.example.com', 'exa mple.com'],
];

/** Whole urls; CANARY stands for its address and port. */
const urls = [
  ...['http://user@CANARY/', 'http://user:password@CANARY/', 'http://@CANARY/', 'http://:@CANARY/'],
  ...['http://example.com@CANARY/', 'http://example.com:80@CANARY/', 'http://example.com%40CANARY/'],
  ...['http://CANARY#@example.com/', 'http://CANARY?@example.com/', 'http://CANARY\\@example.com/'],
  ...['http://CANARY;@localhost/', 'http://example.com&@CANARY#@example.org/', 'http:\\\\CANARY/', 'http:CANARY/'],
  ...['http:/CANARY/', 'http:///CANARY/', 'http://\\CANARY/', '//CANARY/', '/\\CANARY/', 'CANARY'],
  ...[' http://CANARY/ ', 'h\nttp://CANARY/', '\u0000http://CANARY/'],
  ...['HTTP://CANARY', 'https://CANARY/', 'wss://CANARY/', 'ws://CANARY/', 'ftp://CANARY/', 'gopher://CANARY/_GET'],
  ...['dict://CANARY/', 'ldap://CANARY/', 'jar:http://CANARY!/', 'view-source:http://CANARY/', 'blob:http://CANARY/'],
  ...['file:///etc/passwd', 'file://CANARY/etc/passwd', 'data:text/plain,x', 'javascript:fetch("http://CANARY")'],
  ...['unix:/var/run/docker.sock', 'http://unix:/var/run/docker.sock:/x', 'http://%2fvar%2frun%2fdocker.sock/x'],
  ...['http://example.com:0/', 'http://example.com:22/', 'http://example.com:25/', 'http://example.com:5432/'],
  ...['http://example.com:6379/', 'http://example.com:11211/', 'https://example.com:2375/'],
  ...[
    'http://example.com:65616/',
    'http://127.0.0.1:80/',
    'http://127.0.0.1/',
    'https://localhost/',
    'http://[::1]:443/',
  ],
];

const policy = { allowHttp: true, allowedRanges: [], loopbackHttp: false };
const site = await TargetSite.open();
// Whatever name slips through would lead to the canary.
site.dns.answerWith((_, type) => ({ addresses: type === 1 ? ['127.0.0.1'] : ['::1'], ttl: 0 }));
const { port } = site.canary;
const cases = [
  ...[...leadToCanary, ...onIpv6, ...others].map((host) => `http://${host}:${port}/hook`),
  ...urls.map((url) => url.replaceAll('CANARY', `127.0.0.1:${port}`)),
];
const webhooks = new Map<string, number>();
for (const url of cases) {
  // Past the interfaces: as if it had been allowed when it was stored. Postgres' text has no NUL.
  webhooks.set(url, (await site.stack.webhook(url.replaceAll('\0', ''))).id);
}
site.startDaemon();
const readings = await site.deliver();
afterAll(() => site[Symbol.asyncDispose]());

describe('urls that lead inside', () => {
  const numbered = [...leadToCanary, ...onIpv6, ...others, ...urls].map((text, i) => [text, i] as const);

  test.each(numbered)(
    '%j is refused when it is stored and when it is called, and its owner learns no address',
    async (_text, i) => {
      const url = cases[i]!;
      expect(judgeUrl(url, policy).allowed).toBe(false);
      const rest = await site.storeByRest(url);
      expect([rest.status, addressesIn(rest.text)]).toEqual([422, []]);
      const graphql = await site.storeByGraphql(url);
      expect([graphql.stored, addressesIn(graphql.text)]).toEqual([false, []]);
      const reading = readings.get(webhooks.get(url)!)!;
      expect(reading).toMatchObject({ status: 'FAILED', lastErrorCode: 'TARGET_REFUSED' });
      expect(reading.attempts).toMatchObject([
        { errorCode: 'TARGET_REFUSED', statusCode: null, responseHeaders: null },
      ]);
      expect(addressesIn(reading.text)).toEqual([]);
      expect(reading.text).not.toContain('localhost');
    },
  );

  test('none of them reached the canary, and no name was asked for', () => {
    expect(numbered.length).toBeGreaterThanOrEqual(90);
    expect(readings.size).toBe(numbered.length);
    expect(site.canary.connections).toBe(0);
    expect(site.dns.questions).toEqual([]);
  });
});

test('the canary can be reached: where everything is opened, every spelling of this machine gets there', async () => {
  await using canary = await startCanary();
  const sender = openSender({
    policy: { allowHttp: true, allowedRanges: ['0.0.0.0/0', '::/0'], loopbackHttp: true },
  });
  for (const host of leadToCanary) {
    const result = await sender.send(`http://${host}:${canary.port}/`, { headers: {}, body: Buffer.from('x') });
    expect([host, result]).toMatchObject([host, { kind: 'response', statusCode: 200 }]);
  }
  expect(canary.connections).toBeGreaterThan(0);
  await sender.close();
});

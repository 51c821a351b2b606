import { afterAll, describe, expect, test } from 'vitest';
import { judgeUrl } from '../../src/domain/addresses/target.js';
import { innerUrls, leadToCanary, onIpv6, otherHosts } from '../support/inner-urls.js';
import { openSender } from '../support/sender.js';
import { addressesIn, startCanary, TargetSite } from '../support/target-site.js';

const policy = { allowHttp: true, allowedRanges: [], loopbackHttp: false };
const site = await TargetSite.open();
// Whatever name slips through would lead to the canary.
site.dns.answerWith((_, type) => ({ addresses: type === 1 ? ['127.0.0.1'] : ['::1'], ttl: 0 }));
const { port } = site.canary;
const cases = [
  ...[...leadToCanary, ...onIpv6, ...otherHosts].map((host) => `http://${host}:${port}/hook`),
  ...innerUrls.map((url) => url.replaceAll('CANARY', `127.0.0.1:${port}`)),
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
  const numbered = [...leadToCanary, ...onIpv6, ...otherHosts, ...innerUrls].map((text, i) => [text, i] as const);

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

import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { has } from '../support/fake-dns.js';
import { answersEach, type HostileReceiver, response, startHostileReceiver } from '../support/hostile-receivers.js';
import { TargetSite } from '../support/target-site.js';

/** 127.0.0.2, which is opened here, plays the public address; the canary is inside, on the same port. */
const OUTSIDE = '127.0.0.2';
const INSIDE = '127.0.0.1';

let site: TargetSite;
let receiver: HostileReceiver;

beforeEach(async () => {
  site = await TargetSite.open({ ENDPOINT_CHALLENGE: 'required' });
  site.startDaemon();
  const allows = response(200, '', ['webhook-allowed-origin: *', 'connection: close']);
  receiver = await startHostileReceiver(answersEach(allows), { host: OUTSIDE, port: site.canary.port });
});
afterEach(async () => {
  await site[Symbol.asyncDispose]();
  await receiver.close();
});

const verification = async () =>
  (
    await site.stack.rows<{ status: string; detail: string | null }>(
      'select status, detail from hookwright.verifications',
    )
  )[0]!;

test('a name that leads inside is not asked there, and gets nothing there after its proof', async () => {
  site.dns.answerWith(has([INSIDE], { ttl: 0 }));
  const { status } = await site.storeByRest(`http://rebind.example.com:${receiver.port}/hook`);
  expect(status).toBe(201);
  await eventually(async () => (await verification()).detail !== null);
  expect(await verification()).toEqual({
    status: 'PENDING',
    detail: 'OPTIONS: DNS_FAILED; webhook.challenge: DNS_FAILED',
  });
  expect([site.canary.connections, receiver.connections]).toEqual([0, 0]);

  site.dns.answerWith(has([OUTSIDE], { ttl: 0 }));
  await eventually(async () => {
    await site.stack.rows(`update hookwright.verifications set next_at = now() where next_at > now() + interval '2 s'`);
    return (await verification()).status === 'VERIFIED';
  });
  expect(receiver.connections).toBe(1);

  site.dns.answerWith(has([INSIDE], { ttl: 0 }));
  const [reading] = [...(await site.deliver()).values()];
  expect(reading!.lastErrorCode).toBe('DNS_FAILED');
  expect(site.canary.connections).toBe(0);
});

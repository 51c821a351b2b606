import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { type FakeProxy, startFakeProxy } from '../support/fake-proxy.js';
import { countJobs, ofDelivery } from '../support/jobs.js';
import { answer, type Receiver, startReceiver } from '../support/receiver.js';
import { addressesIn, TargetSite } from '../support/target-site.js';

const CHALLENGE = 'HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\n\r\n';
const PASSWORD = 'hush-hush';
const SECRETS = new RegExp(`${PASSWORD}|${btoa(`hookwright:${PASSWORD}`)}`);
const TARGET = 'http://receiver.example.com/hook';

let site: TargetSite;
let proxy: FakeProxy;
let receiver: Receiver;

beforeEach(async () => {
  receiver = await startReceiver();
  proxy = await startFakeProxy(toReceiver);
});
afterEach(async () => {
  await site[Symbol.asyncDispose]();
  await proxy.close();
  await receiver.close();
});

/** @returns the id of a webhook behind the proxy */
async function open(): Promise<number> {
  site = await TargetSite.open({ EGRESS_PROXY: `http://hookwright:${PASSWORD}@127.0.0.1:${proxy.port}` });
  return (await site.stack.webhook(TARGET)).id;
}
const toReceiver = () => ({ port: Number(new URL(receiver.url).port) });
const isDown = () =>
  eventually(() => site.log.some((line) => line.includes('nothing can be sent through EGRESS_PROXY')));

/** How many attempts have been made, and how often the webhook has failed. */
async function blame(eventId: number, webhookId: number) {
  const { attempt_count, status } = await site.stack.delivery(eventId);
  const { consecutive_failures, active } = await site.stack.webhookRow(webhookId);
  const attempts = await site.stack.rows('select from hookwright.attempts');
  return { status, attempt_count, attempts: attempts.length, consecutive_failures, active };
}

const nobody = { status: 'PENDING', attempt_count: 0, attempts: 0, consecutive_failures: 0, active: true };

describe('a daemon behind an egress proxy', () => {
  test('delivers through it, to names that it never resolves itself', async () => {
    await open();
    site.startDaemon();
    const [reading] = [...(await site.deliver()).values()];
    expect(reading).toMatchObject({ status: 'SUCCEEDED' });
    // The receiver's headers: none that the proxy added when it made the tunnel.
    const names = Object.keys(reading!.attempts[0]!.responseHeaders!);
    expect(names.filter((name) => name === 'via' || name === 'x-proxy')).toEqual([]);
    expect(names).toContain('date');
    expect(proxy.asked).toEqual(['receiver.example.com:80']);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
    expect(site.dns.questions).toEqual([]);
  });

  test('does not ask it for what is private, and tells its owner as ever', async () => {
    site = await TargetSite.open({ EGRESS_PROXY: proxy.url });
    for (const host of [`127.0.0.1:${site.canary.port}`, '[::1]', 'localhost', '10.0.0.1', 'backend']) {
      await site.stack.webhook(`http://${host}/`);
    }
    site.startDaemon();
    for (const reading of (await site.deliver()).values()) {
      expect(reading.lastErrorCode).toBe('TARGET_REFUSED');
      expect(addressesIn(reading.text)).toEqual([]);
    }
    expect([proxy.asked, site.canary.connections]).toEqual([[], 0]);
  });

  test('blames the receiver when the proxy refuses it, and repeats not a word', async () => {
    proxy.answerWith(() => 'HTTP/1.1 407 Denied\r\nX-Error: 10.0.0.7 is private\r\nContent-Length: 8\r\n\r\n10.0.0.7');
    await open();
    site.startDaemon();
    const [reading] = [...(await site.deliver()).values()];
    expect(reading!.attempts).toMatchObject([{ errorCode: 'CONNECT_FAILED', statusCode: null, responseHeaders: null }]);
    expect(addressesIn(reading!.text)).toEqual([]);
    expect(reading!.text).not.toContain('X-Error');
  });
});

describe('while the egress proxy is away', () => {
  test('no attempt is counted, no webhook fails, and everything is delivered once it is back', async () => {
    const { port } = proxy;
    await proxy.close();
    const id = await open();
    const eventId = await site.stack.emit();
    site.startDaemon();
    await isDown();
    // Put off, as its job says; nothing of that is written to the delivery.
    await eventually(async () => {
      const { id: delivery } = await site.stack.delivery(eventId);
      return (await countJobs(site.stack, `${ofDelivery(delivery)} and run_at > created_at`)) > 0;
    });
    expect(await blame(eventId, id)).toEqual(nobody);

    proxy = await startFakeProxy(toReceiver, { port });
    await site.stack.reaches(eventId, 'SUCCEEDED', 30_000);
    expect(await blame(eventId, id)).toEqual({ ...nobody, status: 'SUCCEEDED', attempt_count: 1, attempts: 1 });
    expect(receiver.received).toHaveLength(1);
    expect(site.log.join('')).not.toMatch(SECRETS);
  }, 60_000);

  test('it is tried again and again, and no delivery is put aside for that', async () => {
    proxy.answerWith(() => CHALLENGE);
    const id = await open();
    const eventId = await site.stack.emit();
    site.startDaemon();
    // From its fifth fetch a job that is never finished is put aside for an hour.
    await eventually(() => proxy.asked.length >= 6, 60_000);
    expect(await blame(eventId, id)).toEqual(nobody);
    expect(site.log.join('')).not.toContain('put aside');

    proxy.answerWith(toReceiver);
    await site.stack.reaches(eventId, 'SUCCEEDED', 30_000);
    expect((await blame(eventId, id)).attempts).toBe(1);
    expect(site.log.join('')).not.toMatch(SECRETS);
  }, 120_000);

  test('failures that receivers are to blame for still count before and after', async () => {
    // Without a tunnel that stays open, the proxy is asked each time.
    receiver.answerWith(answer(500, { connection: 'close' }));
    const id = await open();
    site.startDaemon();
    await site.deliver();
    expect(await site.stack.webhookRow(id)).toMatchObject({ consecutive_failures: 1 });
    proxy.answerWith(() => CHALLENGE);
    const eventId = await site.stack.emit();
    await isDown();
    expect(await site.stack.webhookRow(id)).toMatchObject({ consecutive_failures: 1 });
    proxy.answerWith(toReceiver);
    await site.stack.reaches(eventId, 'FAILED', 30_000);
    expect(await site.stack.webhookRow(id)).toMatchObject({ consecutive_failures: 2 });
  }, 60_000);
});

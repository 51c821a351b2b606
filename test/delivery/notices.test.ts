import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { sendDueNotices } from '../../daemon/duties/send-notices.js';
import type { NoticeRecipient } from '../../src/entities/notice-recipient.js';
import { warnOfEndingCertificates } from '../../src/operations/certificates/warn-of-ending.js';
import { type UnblockAction, unblockKey } from '../../src/operations/deliveries/unblock-key.js';
import { createRecipient, sendTestNotice } from '../../src/operations/notices/change-recipients.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { deleteWebhook } from '../../src/operations/webhooks/delete-webhook.js';
import { Mailer } from '../../src/platform/mail/mailer.js';
import { DeliveryStack, type Endpoint } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { MailServer } from '../support/mail-server.js';
import { passMinute } from '../support/operational-news.js';
import { startProgram } from '../support/program.js';
import { answer } from '../support/receiver.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let stack: DeliveryStack;
let server: MailServer;
let failing: Endpoint;

const mailSettings = () => ({
  SMTP_URL: server.url,
  MAIL_FROM: 'Hooks <hooks@example.com>',
  PUBLIC_URL: 'https://hooks.example.com',
});

beforeAll(async () => {
  server = await MailServer.open();
  stack = await DeliveryStack.open({ MAX_RETRIES: '0', ...mailSettings() });
  stack.startDaemon();
});
beforeEach(async () => {
  server.toAddress = null;
  failing = await stack.endpoint(answer(500));
  await stack.change(failing.webhookId, { url: `${failing.url}/in?token=abc` });
});
afterEach(async () => {
  await deleteWebhook(stack.services.db, stack.tenantId, failing.webhookId, commandLine);
  await stack.rows('delete from hookwright.notice_recipients');
});
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const mailer = () => new Mailer(stack.services.config.mail!);

/** Sends what is due after so much time. @returns the mails that came */
async function mailsAfter(ms: number, by = mailer(), of = stack) {
  const before = server.mails.length;
  const clock = () => new Date(Date.now() + ms);
  await sendDueNotices({ ...of.services, clock }, by, 'https://hooks.example.com');
  return server.mails.slice(before);
}

const recipient = (settings: Partial<NoticeRecipient> = {}, of = stack) =>
  createRecipient(of.services.db, {
    tenantId: of.tenantId,
    address: 'ops@example.com',
    topics: ['FAILING', 'DISABLED', 'RECOVERED', 'HELD_EXPIRING', 'EXHAUSTED'],
    digest: 'AT_ONCE',
    locale: null,
    timeZone: 'Europe/Berlin',
    confirmed: true,
    by: commandLine,
    ...settings,
  });

const lastError = async () =>
  (await stack.rows<{ last_error: string | null }>('select last_error from hookwright.notice_recipients'))[0]!
    .last_error;
const waiting = () => stack.rows<{ topic: string }>('select topic from hookwright.notices order by id');
const isActive = async () => (await stack.webhookRow(failing.webhookId)).active;

async function fail(times: number): Promise<void> {
  for (const eventId of await stack.emits(times)) {
    await stack.reaches(eventId, 'FAILED');
  }
}

test('nothing is written for a tenant without recipients, or for those who want other topics', async () => {
  await fail(5);
  await recipient({ topics: ['RECOVERED'] });
  await fail(5);
  await eventually(async () => !(await isActive()));
  expect(await waiting()).toEqual([]);
});

test('a warning settles for a minute, and says which endpoint fails, since when and how', async () => {
  await recipient({ topics: ['FAILING'] });
  await stack.change(failing.webhookId, { name: '<b>Shop</b> "Ä"' });
  await fail(5);
  expect(await mailsAfter(0)).toEqual([]);
  const [mail, ...more] = await mailsAfter(61_000);
  expect(more).toEqual([]);
  expect(mail).toMatchObject({ to: ['ops@example.com'] });
  expect(mail!.headers.get('subject')).toBe('<b>Shop</b> "Ä" fails');
  expect(mail!.headers.get('from')).toBe('Hooks <hooks@example.com>');
  expect(mail!.text).toMatch(/^5 requests in a row have failed since .*, the last one with HTTP_500\./m);
  expect(mail!.text).toContain(`<b>Shop</b> "Ä" (Endpoint ${failing.webhookId}, ${new URL(failing.url).origin})\n`);
  expect(mail!.text + mail!.html).not.toMatch(/token=|\/in\b/);
  expect(mail!.html).toContain('&#60;b&#62;Shop&#60;/b&#62;');
  expect(mail!.html).not.toMatch(/src=|<link|<script|<img/);
  expect(mail!.headers.get('auto-submitted')).toBe('auto-generated');
  expect(mail!.headers.get('x-auto-response-suppress')).toBe('All');
  expect(mail!.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
  expect(mail!.text).toContain(mail!.headers.get('list-unsubscribe')!.slice(1, -1));
  expect(await waiting()).toEqual([]);
});

test('a name that was stored with marks of direction turns no text of a mail', async () => {
  await recipient({ topics: ['FAILING'] });
  await stack.change(failing.webhookId, { name: 'Shop' });
  await stack.rows(
    `update hookwright.webhook_options set name = 'S\u202eh\u2066o\u200bp' where webhook_id = ${failing.webhookId}`,
  );
  await fail(5);
  const [mail] = await mailsAfter(61_000);
  expect(mail!.headers.get('subject')).toBe('Shop fails');
  expect(mail!.text).toContain(`Shop (Endpoint ${failing.webhookId}`);
});

test('one trouble is one mail: no warning of what was disabled meanwhile; a reminder after 1 and 3 days', async () => {
  await recipient({ locale: 'de', topics: ['FAILING', 'DISABLED', 'RECOVERED'] });
  await fail(5);
  await stack.emits(5);
  await eventually(async () => !(await isActive()));
  await stack.emit();
  const [mail, ...more] = await mailsAfter(61_000);
  expect(more).toEqual([]);
  expect(mail!.headers.get('subject')).toMatch(/ wurde deaktiviert$/);
  expect(mail!.text).not.toContain('schlägt fehl');

  expect(await mailsAfter(DAY_MS - MINUTE_MS)).toEqual([]);
  const [reminder] = await mailsAfter(DAY_MS + MINUTE_MS);
  expect(reminder!.headers.get('subject')).toMatch(/ ist noch deaktiviert$/);
  expect(await mailsAfter(2 * DAY_MS)).toEqual([]);
  expect(await mailsAfter(3 * DAY_MS + MINUTE_MS)).toHaveLength(1);
  expect(await waiting()).toEqual([]);
});

test('a recovery within the minute leaves no warning; an enabled endpoint gets no reminder', async () => {
  await recipient({ topics: ['FAILING', 'DISABLED'] });
  await fail(5);
  failing.answerWith(answer(200));
  await stack.reaches(await stack.emit(), 'SUCCEEDED');
  expect(await mailsAfter(61_000)).toEqual([]);
  expect(await waiting()).toEqual([]);

  failing.answerWith(answer(410));
  await stack.emit();
  await eventually(async () => !(await isActive()));
  expect(await mailsAfter(61_000)).toHaveLength(1);
  await stack.change(failing.webhookId, { active: true });
  expect(await mailsAfter(2 * DAY_MS)).toEqual([]);
  expect(await waiting()).toEqual([]);
});

test('a blocked key is a mail, unless somebody unblocks it within the minute', async () => {
  await recipient({ topics: ['KEY_BLOCKED'] });
  await stack.change(failing.webhookId, { by: 'ENDPOINT', onFailure: 'BLOCK' });
  await fail(1);
  const [mail] = await mailsAfter(61_000);
  expect(mail!.headers.get('subject')).toMatch(/ has a blocked key$/);
  await passMinute(stack, 'webhook.key_blocked'); // and not for what other tests have raised
  const unblock = (action: UnblockAction) =>
    unblockKey(stack.services.db, stack.tenantId, { webhookId: failing.webhookId, key: '' }, action, commandLine);
  await unblock('RETRY');
  await eventually(async () => (await waiting()).length === 1);
  await unblock('SKIP');
  expect(await mailsAfter(61_000)).toEqual([]);
  expect(await waiting()).toEqual([]);
});

test('a certificate that ends soon is a mail, unless somebody replaces it within the minute', async () => {
  await recipient({ topics: ['CERTIFICATE'], locale: 'de' });
  await stack.change(failing.webhookId, { name: 'Shop' });
  const certificate = (days: number) =>
    stack.rows(
      `update hookwright.webhook_options set certificate_warned_at = null, tls = '{"client": null, "ca": null}',
         certificate_ends_at = now() + ${days} * interval '1 day' where webhook_id = ${failing.webhookId}`,
    );
  await certificate(10);
  await warnOfEndingCertificates(stack.services.db.pool);
  const [mail, ...more] = await mailsAfter(61_000);
  expect(more).toEqual([]);
  expect(mail!.headers.get('subject')).toBe('Ein Zertifikat von Shop läuft bald ab');
  expect(mail!.text).toMatch(/^Die Zertifikate der Zertifizierungsstellen, .* laufen am \d.* ab\. /m);
  expect(mail!.text).toContain(`Shop (Endpunkt ${failing.webhookId}, ${new URL(failing.url).origin})`);

  await passMinute(stack, 'webhook.certificate_ending');
  await certificate(10);
  await warnOfEndingCertificates(stack.services.db.pool);
  expect(await waiting()).toHaveLength(1);
  await certificate(90);
  expect(await mailsAfter(61_000)).toEqual([]);
  expect(await waiting()).toEqual([]);
});

describe('a mail that is not taken', () => {
  const sendTest = async (of = stack) => {
    const { id } = await recipient({}, of);
    await sendTestNotice(of.services.db, of.tenantId, id);
    return id;
  };

  test('is tried five times in a day where the server asks for patience, and comes once', async () => {
    await sendTest();
    server.toAddress = { code: 451, text: 'Greylisted' };
    expect(await mailsAfter(0)).toEqual([]);
    expect(await lastError()).toBe('451 Greylisted');
    expect(await mailsAfter(4 * MINUTE_MS)).toEqual([]);
    server.toAddress = null;
    expect(await mailsAfter(6 * MINUTE_MS)).toHaveLength(1);
    expect(await lastError()).toBeNull();
    expect(await mailsAfter(DAY_MS)).toEqual([]);
  });

  test('is given up after the fifth try', async () => {
    await sendTest();
    server.toAddress = { code: 451, text: 'Later' };
    let ms = 0;
    const tries = [];
    for (const pause of [0, 6 * MINUTE_MS, 31 * MINUTE_MS, 181 * MINUTE_MS, 21 * HOUR_MS]) {
      ms += pause;
      await mailsAfter(ms);
      tries.push((await waiting()).length);
    }
    expect(tries).toEqual([1, 1, 1, 1, 0]);
  });

  test('ends a recipient whose address does not exist, but not where it refuses by policy or refuses the sender', async () => {
    const id = await sendTest();
    let ms = 0;
    for (const [pause, text] of [
      [0, '5.7.1 Blocked'],
      [6, '5.1.8 Bad domain'],
      [31, 'Sender verify failed'],
    ] as const) {
      server.toAddress = { code: 550, text };
      ms += pause * MINUTE_MS;
      await mailsAfter(ms);
      expect((await waiting()).length).toBe(1);
    }
    server.toAddress = { code: 550, text: '5.1.1 No such user' };
    await mailsAfter(ms + 181 * MINUTE_MS);
    expect(await lastError()).toBe('550 5.1.1 No such user');
    expect(await waiting()).toEqual([]);
    await expect(sendTestNotice(stack.services.db, stack.tenantId, id)).rejects.toThrow('until somebody confirms');
  });

  test('is tried again where the server says nothing', async () => {
    await sendTest();
    server.toAddress = 'silence';
    await mailsAfter(0, new Mailer(stack.services.config.mail!, 100));
    expect(await lastError()).toBe('The mail server of this service could not be used.');
    server.toAddress = null;
    expect(await mailsAfter(6 * MINUTE_MS)).toHaveLength(1);
  });

  test('comes twice at most when its daemon is killed between sending and recording', { timeout: 60_000 }, async () => {
    await using alone = await DeliveryStack.open(mailSettings()); // the daemon of the others sends too
    await sendTest(alone);
    const { databaseUrl, services } = alone;
    const [{ kid, key }] = services.config.encryptionKeys as [{ kid: string; key: Buffer }];
    const before = server.mails.length;
    const daemon = startProgram(['daemon'], {
      DATABASE_URL: databaseUrl,
      ENCRYPTION_KEYS: `${kid}:${key.toString('base64')}`,
      ...mailSettings(),
    });
    const ended = once(daemon, 'exit');
    server.onMail = () => daemon.kill('SIGKILL');
    onTestFinished(() => {
      server.onMail = () => {};
      daemon.kill('SIGKILL');
    });
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(server.mails.length - before).toBe(1);
    const after = (ms: number) => mailsAfter(ms, mailer(), alone);
    expect(await after(MINUTE_MS)).toEqual([]);
    expect(await after(6 * MINUTE_MS)).toHaveLength(1);
    expect(await after(DAY_MS)).toEqual([]);
  });
});

test('two daemons send each mail once', async () => {
  const before = server.mails.length;
  for (const name of ['a', 'b', 'c', 'd']) {
    const { id } = await recipient({ address: `${name}@example.com` });
    await sendTestNotice(stack.services.db, stack.tenantId, id);
  }
  await Promise.all([mailsAfter(0), mailsAfter(0), mailsAfter(0)]);
  const sent = () =>
    server.mails
      .slice(before)
      .flatMap(({ to }) => to)
      .sort();
  // The daemon of the tests takes a part too, and may still be sending it.
  await eventually(() => sent().length >= 4);
  expect(sent()).toEqual(['a', 'b', 'c', 'd'].map((name) => `${name}@example.com`));
});

test('a mail has 1,000 notices at most, and the next one has the others', async () => {
  await recipient({ topics: ['RECOVERED'] });
  const body = JSON.stringify({ webhook_id: String(failing.webhookId), origin: failing.url, disabled_at: '' });
  await stack.rows(`
    insert into hookwright.notices (tenant_id, recipient_id, topic, body, send_after)
    select tenant_id, id, 'RECOVERED', '${body}', now() + interval '1 minute' from hookwright.notice_recipients, generate_series(1, 1200)`);
  const [first, ...others] = await mailsAfter(2 * MINUTE_MS);
  expect(others).toEqual([]);
  expect(first!.headers.get('subject')).toBe('1000 notices about your endpoints');
  const [second] = await mailsAfter(2 * MINUTE_MS);
  expect(second!.headers.get('subject')).toBe('200 notices about your endpoints');
  expect(await waiting()).toEqual([]);
});

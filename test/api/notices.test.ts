import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sendDueNotices } from '../../daemon/duties/send-notices.js';
import { examineAddresses } from '../../src/cli/examine-address.js';
import { PLATFORM_ADMIN } from '../../src/domain/keys/scopes.js';
import { Mailer } from '../../src/platform/mail/mailer.js';
import { readConfig } from '../../src/platform/settings/config.js';
import { KEY, SELF_SIGNED } from '../support/certificates.js';
import { makeKey, makeTenant, type TestTenant } from '../support/factories.js';
import { GraphqlApi } from '../support/graphql-api.js';
import { MailServer } from '../support/mail-server.js';

const FIELDS = 'id address topics digest locale timeZone confirmedAt unsubscribedAt lastError';

let server: MailServer;
let api: GraphqlApi;
let owner: TestTenant;

beforeAll(async () => {
  server = await MailServer.open();
  api = await GraphqlApi.open({
    SMTP_URL: server.url,
    MAIL_FROM: 'hooks@example.com',
    PUBLIC_URL: 'https://hooks.example.com',
  });
});
afterAll(async () => {
  await api.close();
  await server[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await api.owner.query('delete from hookwright.notice_recipients');
  await api.owner.query('delete from hookwright.confirmation_requests');
  owner = await makeTenant(api.services);
});

const mutate = (name: string, input: object, by: { key: string } = owner) =>
  api.by(by).mutate(name, input, `noticeRecipient { ${FIELDS} }`);
async function create(input: object, by?: { key: string }) {
  const { data, errors } = await mutate('createNoticeRecipient', input, by);
  expect(errors).toEqual([]);
  return data.createNoticeRecipient.noticeRecipient;
}
const refusal = ({ errors: [error] }: { errors: { extensions: { reason: string } }[] }) => error?.extensions.reason;

/** @returns the mails that are due now */
async function sent() {
  const before = server.mails.length;
  const { config, vault, random, log } = api.services;
  const deps = { config, vault, random, log, db: { pool: api.owner }, clock: () => new Date(Date.now() + 1_000) };
  await sendDueNotices(deps, new Mailer(config.mail!), config.mail!.publicUrl);
  return server.mails.slice(before);
}
const linkIn = (text: string) => new URL(/https:\/\/\S+\/notices\/\S+/.exec(text)![0]).pathname;
const open = (method: 'GET' | 'POST', url: string, headers: Record<string, string> = {}, payload?: string) =>
  api.server.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
const stored = async () =>
  (await api.by(owner).read(`{ noticeRecipients { edges { node { ${FIELDS} } } } }`)).noticeRecipients.edges.map(
    ({ node }: { node: object }) => node,
  );

test('an address gets notices once a person has pressed the button behind the link, which scanners do not', async () => {
  const made = await create({ address: 'Ops@Example.com', locale: 'de-AT', timeZone: 'Europe/Vienna' });
  expect(made).toMatchObject({
    address: 'Ops@Example.com',
    topics: ['FAILING', 'DISABLED', 'RECOVERED', 'HELD_EXPIRING', 'EXHAUSTED', 'KEY_BLOCKED', 'CERTIFICATE'],
    digest: 'AT_ONCE',
    confirmedAt: null,
  });
  const [mail, ...more] = await sent();
  expect(more).toEqual([]);
  expect(mail).toMatchObject({ to: ['Ops@example.com'] });
  expect(mail!.headers.get('subject')).toBe('Benachrichtigungen von hooks.example.com bestätigen');
  const link = linkIn(mail!.text);

  const page = await open('GET', link);
  expect(page.statusCode).toBe(200);
  expect(page.body).toContain('<form method="post">');
  expect(page.headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
  await api.server.inject({ method: 'HEAD', url: link });
  expect(await stored()).toMatchObject([{ confirmedAt: null }]);

  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  expect((await open('POST', link, form, '')).body).toContain('Die Adresse ist bestätigt.');
  expect(await stored()).toMatchObject([{ confirmedAt: expect.any(String) }]);
  expect((await open('POST', link, form, '')).statusCode).toBe(404);
  const other = link.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  expect((await open('POST', other, form, '')).statusCode).toBe(404);
});

test('a link for confirmation ends after a day', async () => {
  await create({ address: 'ops@example.com' });
  const link = linkIn((await sent())[0]!.text);
  await api.owner.query(`update hookwright.notice_recipients set confirm_until = now() - interval '1 second'`);
  expect((await open('POST', link)).statusCode).toBe(404);
  expect(await stored()).toMatchObject([{ confirmedAt: null }]);
});

test('a mail program unsubscribes by one POST, a GET does not, and the link never ends', async () => {
  const platform = await makeKey(api.services, null, [PLATFORM_ADMIN]);
  const asOwner = { key: platform.key, tenant: owner.id };
  const { id } = await create({ address: 'ops@example.com', confirmed: true }, asOwner);
  expect(await sent()).toEqual([]);
  await mutate('sendTestNotice', { id });
  const [mail] = await sent();
  const link = linkIn(mail!.headers.get('list-unsubscribe')!.slice(1, -1));
  expect((await open('GET', link)).body).toContain('Stop the notices?');
  expect(await stored()).toMatchObject([{ unsubscribedAt: null }]);

  const oneClick = { 'content-type': 'application/x-www-form-urlencoded' };
  expect((await open('POST', link, oneClick, 'List-Unsubscribe=One-Click')).statusCode).toBe(200);
  expect(await stored()).toMatchObject([{ unsubscribedAt: expect.any(String) }]);
  expect((await open('POST', link, { 'content-type': 'multipart/form-data; boundary=x' }, '--x--')).statusCode).toBe(
    200,
  );
  expect(refusal(await mutate('sendTestNotice', { id }))).toBe('notice_recipient_not_confirmed');

  await mutate('updateNoticeRecipient', { id, askAgain: true });
  await open('POST', linkIn((await sent())[0]!.text));
  expect(await stored()).toMatchObject([{ unsubscribedAt: null, confirmedAt: expect.any(String) }]);
});

test('a stranger gets three mails a day at most, whoever asks for them, and none has a text that a tenant chose', async () => {
  for (const address of ['me@example.com', 'ME@example.com', 'me+1@example.com', 'me+2@example.com']) {
    const tenant = await makeTenant(api.services);
    const answer = await mutate('createNoticeRecipient', { address }, tenant);
    expect(refusal(answer)).toBe(address === 'me+2@example.com' ? 'rate_limited' : undefined);
  }
  const mails = await sent();
  expect(mails).toHaveLength(3);
  for (const { text, html, headers } of mails) {
    expect(text + html + headers.get('subject')).not.toContain('tenant');
  }
});

test('a tenant has 20 recipients, and has 40 mails a day sent to strangers', async () => {
  const creations = [];
  for (let number = 1; number <= 21; number += 1) {
    creations.push(refusal(await mutate('createNoticeRecipient', { address: `a${number}@example.com` })));
  }
  expect(creations).toEqual([...new Array(20).fill(undefined), 'notice_recipient_limit_reached']);
  await api.owner.query(`
    insert into hookwright.confirmation_requests (tenant_id, address_hash)
    select tenant_id, address_hash from hookwright.confirmation_requests`);
  const [first] = await stored();
  const { data } = await api.by(owner).mutate('deleteNoticeRecipient', { id: first.id }, 'deletedNoticeRecipientId');
  expect(data.deleteNoticeRecipient.deletedNoticeRecipientId).toBe(first.id);
  expect(refusal(await mutate('createNoticeRecipient', { address: 'b@example.com' }))).toBe('rate_limited');
  expect(await stored()).toHaveLength(19);
});

test.each<[object, string]>([
  [{ address: 'ops@example.com\r\nBcc: victim@example.com' }, 'address'],
  [{ address: 'ops@example.com, victim@example.com' }, 'address'],
  [{ address: '"a b"@example.com' }, 'address'],
  [{ address: 'ops@example.com', timeZone: 'Mars/Base' }, 'timeZone'],
  [{ address: 'ops@example.com', locale: 'x'.repeat(40) }, 'locale'],
  [{ address: 'ops@example.com', topics: [] }, 'topics'],
])('%j is refused at its %s', async (input, field) => {
  const { errors } = await mutate('createNoticeRecipient', input);
  expect(errors[0].extensions).toMatchObject({ reason: 'invalid_input', errors: [{ path: ['input', field] }] });
});

test('a recipient is changed and deleted; its address is erased, and the same one can be added again', async () => {
  const { id } = await create({ address: 'ops@example.com' });
  expect(refusal(await mutate('createNoticeRecipient', { address: 'OPS@example.com' }))).toBe(
    'notice_recipient_exists',
  );
  const changed = await mutate('updateNoticeRecipient', {
    id,
    topics: ['EXHAUSTED', 'DISABLED'],
    digest: 'DAILY',
    locale: '',
  });
  expect(changed.data.updateNoticeRecipient.noticeRecipient).toMatchObject({
    topics: ['DISABLED', 'EXHAUSTED'],
    digest: 'DAILY',
    locale: null,
    timeZone: 'UTC',
  });
  expect(refusal(await mutate('updateNoticeRecipient', { id }))).toBe('invalid_input');
  await api.by(owner).mutate('deleteNoticeRecipient', { id }, 'deletedNoticeRecipientId');
  expect(await sent()).toEqual([]);
  expect((await api.owner.query('select address from hookwright.notice_recipients')).rows).toEqual([{ address: '' }]);
  expect(refusal(await mutate('updateNoticeRecipient', { id, digest: 'DAILY' }))).toBe('not_found');
  await create({ address: 'ops@example.com' });
});

test('only a platform key confirms for somebody, and foreign recipients cannot be reached', async () => {
  expect(refusal(await mutate('createNoticeRecipient', { address: 'a@example.com', confirmed: true }))).toBe(
    'scope_missing',
  );
  const { id } = await create({ address: 'ops@example.com' });
  const stranger = await makeTenant(api.services);
  for (const name of ['updateNoticeRecipient', 'sendTestNotice']) {
    const input = name === 'sendTestNotice' ? { id } : { id, digest: 'DAILY' };
    expect(refusal(await mutate(name, input, stranger))).toBe('not_found');
  }
  const [mail] = await sent();
  const [tenant, ...rest] = linkIn(mail!.text).split('/').at(-1)!.split('.');
  const moved = [stranger.id, ...rest].join('.');
  expect(tenant).toBe(String(owner.id));
  expect((await open('POST', `/notices/confirm/${moved}`)).statusCode).toBe(404);
  expect((await open('POST', '/notices/confirm/nonsense')).statusCode).toBe(404);
});

const examined = async (SMTP_URL: string, more: Record<string, string> = {}) => {
  const own = { PUBLIC_URL: 'http://127.0.0.1:1', MAIL_FROM: 'hooks@example.com', ...more };
  const checks = await examineAddresses(readConfig({ SMTP_URL, ...own }));
  const found = checks.find(({ name }) => name === 'SMTP_URL');
  return found && `${found.status}: ${found.text}`;
};

test('the doctor connects and logs in, and says in a sentence what is wrong', async () => {
  await using strict = await MailServer.open({ login: { user: 'hooks', pass: 's3cret' } });
  await using foreign = await MailServer.open({ tls: { key: KEY, cert: SELF_SIGNED } });
  const at = (credentials: string) => strict.url.replace('//', `//${credentials}@`);
  expect(await examined(at('hooks:s3cret'))).toMatch(
    /^ok: The mail server 127.0.0.1:\d+ can be used: it takes mails from hooks@example.com\.$/,
  );
  expect(await examined(at('hooks:wrong'))).toMatch(
    /^fail: .* refuses the login: .*Check user and password in SMTP_URL\.$/,
  );
  expect(await examined(strict.url)).toMatch(/^fail: .* wants a login: 530 .*Name user and password in SMTP_URL\.$/);
  expect(await examined('smtp://127.0.0.1:1')).toMatch(/^fail: 127.0.0.1:1: The connection fails: .*ECONNREFUSED/);
  expect(await examined(`smtps://127.0.0.1:${foreign.port}`)).toMatch(/^fail: .* certificate.*NODE_EXTRA_CA_CERTS/);
  expect(await examined(strict.url, { MAIL_FROM: '' })).toBe(
    'warn: No notices are sent by e-mail: MAIL_FROM must be set too.',
  );
  expect(await examined('', { MAIL_FROM: '' })).toBeUndefined();
  for (const text of ['http://mail.example.com', 'smtp://', 'smtp://a.example.com/?tls.rejectUnauthorized=false']) {
    expect(() => readConfig({ SMTP_URL: text })).toThrow('SMTP_URL is (not shown)');
  }
  expect(() => readConfig({ MAIL_FROM: 'a@example.com, b@example.com' })).toThrow('MAIL_FROM');
});

test('the doctor names sender and recipients, and says what the server would refuse, without a mail', async () => {
  await using relay = await MailServer.open({ relays: false });
  expect(await examined(relay.url, { MAIL_FROM: 'hooks@shop.example' })).toMatch(
    /^fail: .* takes no mails for other domains: 454 4\.7\.1 .*Relay access denied\. Name user and password in SMTP_URL/,
  );
  await using strict = await MailServer.open();
  strict.toSender = { code: 553, text: '5.7.1 hooks@example.com: not owned by the user' };
  expect(await examined(strict.url)).toMatch(/^fail: .* refuses the sender hooks@example.com: 553 .*Set MAIL_FROM to/);
  strict.toSender = null;
  strict.toAddress = { code: 550, text: '5.1.8 Sender address rejected: Domain not found' };
  expect(await examined(strict.url)).toMatch(/^fail: .* refuses the sender hooks@example.com: 550/);
  strict.toAddress = { code: 550, text: '5.7.1 Blocked' };
  expect(await examined(strict.url)).toMatch(
    /^fail: .* refuses the recipient hooks@example.com: 550 5\.7\.1 Blocked\.$/,
  );
  strict.toAddress = { code: 451, text: 'Greylisted' };
  expect(await examined(strict.url)).toMatch(/^warn: .* takes no mail at the moment: 451 Greylisted\./);
  strict.toAddress = { code: 421, text: '4.3.2 Shutting down' };
  expect(await examined(strict.url)).toMatch(/^warn: .* takes no mail at the moment: 421/);
  strict.toAddress = { code: 550, text: '5.1.1 No such user' };
  expect(await examined(strict.url)).toMatch(/^ok: /);
  expect([...relay.mails, ...strict.mails]).toEqual([]);
});

test.each(['like Google', 'like Postfix'] as const)(
  'a server that wants a full name in the greeting %s gets one from PUBLIC_URL, else from MAIL_FROM',
  async (wantsFullName) => {
    await using strict = await MailServer.open({ wantsFullName });
    const names = [
      ['https://hooks.example.com/in', 'hooks.example.com'],
      ['http://203.0.113.9:3000', '[203.0.113.9]'],
      ['http://[2001:db8::9]:3000', '[ipv6:2001:db8::9]'],
      ['http://hooks:3000', 'mail.example.org'],
      ['http://127.0.0.1:3000', 'mail.example.org'],
      ['http://[::1]:3000', 'mail.example.org'],
    ] as const;
    for (const [PUBLIC_URL] of names) {
      expect(await examined(strict.url, { PUBLIC_URL, MAIL_FROM: 'hooks@mail.example.org' })).toMatch(/^ok: /);
    }
    expect(strict.greetings).toEqual(names.map(([, greeting]) => greeting));
    const { mail } = readConfig({
      SMTP_URL: strict.url,
      MAIL_FROM: 'a@example.com',
      PUBLIC_URL: 'https://hooks.example.com',
    });
    const mailTo = { to: 'ops@example.com', subject: 'a', text: 'a', html: 'a', headers: {} };
    expect(await new Mailer(mail!).send(mailTo)).toEqual({ verdict: 'TAKEN' });

    const nameless = { ...mail!, greeting: '[127.0.0.1]' };
    expect(await new Mailer(nameless).examine()).toEqual({
      status: 'fail',
      text: expect.stringMatching(
        /^The server refuses to be greeted as \[127\.0\.0\.1\]: (421|504) .*The greeting is the host of PUBLIC_URL/,
      ),
    });
    expect(await new Mailer(nameless).send(mailTo)).toMatchObject({ verdict: 'FAILED', answer: null });
  },
);

test('without settings for mail nothing can be sent, and the viewer says so', async () => {
  const read = async (one: GraphqlApi, tenant: TestTenant) =>
    (await one.by(tenant).read('{ viewer { mailConfigured } }')).viewer.mailConfigured;
  expect(await read(api, owner)).toBe(true);
  const silent = await GraphqlApi.open({ SMTP_URL: server.url, MAIL_FROM: 'hooks@example.com' });
  try {
    const tenant = await makeTenant(silent.services);
    expect(await read(silent, tenant)).toBe(false);
    const answer = await silent
      .by(tenant)
      .mutate('createNoticeRecipient', { address: 'a@example.com' }, 'noticeRecipient { id }');
    expect(refusal(answer)).toBe('mail_not_configured');
  } finally {
    await silent.close();
  }
});

import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { axeViolations } from '../support/browser/axe.js';
import { browserTest } from '../support/browser/browser-test.js';
import { visit } from '../support/browser/visit.js';
import { AUTHORITY, EXPIRED, GOOD, KEY } from '../support/certificates.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { eventually } from '../support/eventually.js';
import { issueCertificate } from '../support/issue-certificate.js';
import { answer, startReceiver } from '../support/receiver.js';

/** What an endpoint and the service ask of each other before an event goes: certificates, tokens, and a proof. */

const URL_OF_ENDPOINT = 'https://receiver.example.com/hooks';
const HOLDER = 'CN=receiver.example.com';

async function openStack(settings: Record<string, string> = {}): Promise<DashboardStack> {
  const stack = await DashboardStack.open(settings);
  onTestFinished(() => stack[Symbol.asyncDispose]());
  return stack;
}

const cardOf = (page: Page, title: string) =>
  page.locator('section', { has: page.getByRole('heading', { name: title, exact: true }) });

describe('the page of an endpoint', () => {
  browserTest('sets authorities and a client certificate, and never shows the key', async ({ open }) => {
    const stack = await openStack();
    const { id } = await stack.delivery.webhook(URL_OF_ENDPOINT);
    const page = await visit(open, stack, `/endpoints/${id}?tab=settings`);
    const card = cardOf(page, 'TLS');
    await card.getByText('the public ones').waitFor();
    await card.getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog', { name: 'TLS' });
    await dialog.getByLabel('Certificates of authorities').fill(AUTHORITY);
    const files = dialog.locator('input[type=file]');
    const pem = (name: string, text: string) => ({ name, mimeType: '', buffer: Buffer.from(text) });
    await files.nth(1).setInputFiles(pem('client.der', '0\u0082\u0001'));
    await dialog.getByText('client.der is not in PEM.').waitFor();
    await files.nth(1).setInputFiles(pem('both.pem', `${KEY}\n${EXPIRED}`));
    expect(await dialog.getByLabel('Private key').inputValue()).toBe(`${KEY}\n`);
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('This certificate has expired.').waitFor();
    await dialog.getByLabel('Certificate', { exact: true }).fill(GOOD);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await card.getByText('CN=Test authority').first().waitFor();
    await card.getByText(HOLDER).waitFor();
    expect(await card.getByText(/^valid until/).count()).toBe(2);
    await card.getByText('Issuer and fingerprint').click();
    await card.getByText(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/).waitFor();
    expect(await page.content()).not.toContain(KEY.split('\n')[1]);

    await card.getByRole('button', { name: 'Change' }).click();
    const save = dialog.getByRole('button', { name: 'Save' });
    expect(await dialog.getByText('Leave empty to keep.').count()).toBe(2);
    await dialog.getByLabel('Remove them, and trust the public ones again').check();
    expect(await dialog.getByText('Leave empty to keep.').count()).toBe(1);
    await save.click();
    await card.getByText('the public ones').waitFor();
    await card.getByText(HOLDER).waitFor();

    await card.getByRole('button', { name: 'Change' }).click();
    await dialog.getByLabel('Remove it, with its key').check();
    await save.click();
    await card.getByText('none', { exact: true }).waitFor();
  });

  browserTest('replaces the client certificate, or removes it, and keeps the authorities', async ({ open }) => {
    const stack = await openStack();
    const { id } = await stack.delivery.webhook(URL_OF_ENDPOINT);
    const first = issueCertificate({ subject: 'first.example.com' });
    const tls = { caPem: AUTHORITY, clientCertificatePem: first.certificate, clientKeyPem: first.key };
    await update(stack, id, { delivery: { tls } });
    const page = await visit(open, stack, `/endpoints/${id}?tab=settings`);
    const card = cardOf(page, 'TLS');
    const dialog = page.getByRole('dialog', { name: 'TLS' });
    const save = dialog.getByRole('button', { name: 'Save' });
    await card.getByRole('button', { name: 'Change' }).click();
    await dialog.getByLabel('Certificate', { exact: true }).fill(GOOD);
    await save.click();
    await dialog.getByText('belongs to another certificate').waitFor();
    await dialog.getByLabel('Private key').fill(KEY);
    await save.click();
    await card.getByText(HOLDER).waitFor();
    await card.getByText('CN=Test authority').first().waitFor();

    await card.getByRole('button', { name: 'Change' }).click();
    await dialog.getByLabel('Remove it, with its key').check();
    await save.click();
    await card.getByText('none', { exact: true }).waitFor();
    await card.getByText('CN=Test authority').first().waitFor();
  });

  browserTest('shows who else has changed the certificates meanwhile', async ({ open }) => {
    const stack = await openStack();
    const { id } = await stack.delivery.webhook(URL_OF_ENDPOINT);
    const page = await visit(open, stack, `/endpoints/${id}?do=tls`);
    await page.getByLabel('Certificates of authorities').fill(GOOD);
    await update(stack, id, { delivery: { tls: { caPem: AUTHORITY } } });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Someone else changed this endpoint/).waitFor();
    await page
      .getByText(/CN=Test authority/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Save my changes too' }).click();
    await cardOf(page, 'TLS').getByText(HOLDER).waitFor();
  });

  browserTest('moves a client certificate to another origin with its key, and refuses it without', async ({ open }) => {
    const stack = await openStack();
    const { id } = await stack.delivery.webhook(URL_OF_ENDPOINT);
    await update(stack, id, { delivery: { tls: { clientCertificatePem: GOOD, clientKeyPem: KEY } } });
    const page = await visit(open, stack, `/endpoints/${id}?do=edit`);
    await page.getByRole('textbox', { name: 'URL' }).fill('https://other.example.com/hooks');
    await page.getByText(/^Its client certificate belongs to https:\/\/receiver\.example\.com/).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'TLS' }).click();
    const dialog = page.getByRole('dialog', { name: 'TLS' });
    await dialog.getByRole('textbox', { name: 'URL' }).fill('https://other.example.com/hooks');
    await dialog.getByLabel('Certificate', { exact: true }).fill(GOOD);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog
      .getByText(/origin/)
      .last()
      .waitFor();
    await dialog.getByLabel('Private key').fill(KEY);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('https://other.example.com/hooks').first().waitFor();
    await dialog.waitFor({ state: 'hidden' });
  });

  browserTest('offers certificates only where the operator lets tenants write them', async ({ open }) => {
    const stack = await openStack({ ENDPOINT_OPTIONS: 'headers,auth' });
    const { id } = await stack.delivery.webhook(URL_OF_ENDPOINT);
    const { body } = await stack.api.graphql(
      `mutation ($input: CreatePortalSessionInput!) { createPortalSession(input: $input) { url } }`,
      { input: { capabilities: ['MANAGE_OPTIONS'], path: `/endpoints/${id}?tab=settings` } },
    );
    const { page } = await open({ origin: stack.origin });
    await page.goto(body.data.createPortalSession.url);
    await cardOf(page, 'Method, headers and auth').getByRole('button', { name: 'Change' }).waitFor();
    expect(await page.getByRole('heading', { name: 'TLS', exact: true }).count()).toBe(0);
  });

  browserTest('sets OAuth 2, whose client secret stays with its token server and client', async ({ open }) => {
    const stack = await openStack();
    const { id } = await stack.delivery.webhook(URL_OF_ENDPOINT);
    const page = await visit(open, stack, `/endpoints/${id}?do=headers`);
    const secret = randomUUID();
    const dialog = page.getByRole('dialog');
    const save = dialog.getByRole('button', { name: 'Save' });
    await dialog.getByRole('combobox', { name: 'Authentication' }).selectOption('OAUTH2');
    await dialog.getByLabel('Token URL').fill('http://id.example.com/token');
    await dialog.getByLabel('Client ID', { exact: true }).fill('hooks');
    await dialog.getByText('Enter the client secret.').waitFor();
    await dialog.getByLabel('Client secret').fill(secret);
    await dialog.getByLabel('Scope').fill('hooks:write');
    expect(await axeViolations(page)).toEqual([]);
    await save.click();
    await dialog.getByText('Secrets require a URL that begins with https://.').waitFor();
    await dialog.getByLabel('Token URL').fill('https://id.example.com/token');
    await save.click();
    const card = cardOf(page, 'Method, headers and auth');
    for (const text of ['OAuth 2 client credentials', 'https://id.example.com/token', 'hooks:write']) {
      await card.getByText(text).waitFor();
    }
    expect(await page.content()).not.toContain(secret);

    await card.getByRole('button', { name: 'Change' }).click();
    await dialog.getByLabel('Audience').fill('acme');
    await save.click();
    await card.getByText('acme').waitFor();
    await stack.delivery.rows(`
      insert into hookwright.endpoint_tokens (webhook_id, tenant_id, options_version, failed_at, failure)
      select id, tenant_id, options_version, now(), 'INVALID_CLIENT' from hookwright.webhooks where id = ${id}`);
    await page.reload();
    await card.getByText(/^No token .*: the token server refuses the client ID/).waitFor();
    await card.getByRole('button', { name: 'Change' }).click();
    await dialog.getByRole('combobox', { name: 'Client ID and secret are sent' }).selectOption('BODY');
    await dialog.getByText('Enter the client secret.').waitFor();
    await dialog.getByText(/^Enter it again: the one that is set stays with its token server/).waitFor();
    expect(await dialog.getByText('It is set. Type to replace it.').count()).toBe(0);
  });

  browserTest(
    'says why certificates cannot be saved, on a phone too, and leads to what is refused',
    async ({ open }) => {
      const stack = await openStack();
      const { id } = await stack.delivery.webhook(URL_OF_ENDPOINT);
      const page = await visit(open, stack, `/endpoints/${id}?do=tls`, { width: 390 });
      const dialog = page.getByRole('dialog', { name: 'TLS' });
      await dialog.getByLabel('Private key').fill(KEY);
      const why = 'Enter the certificate of the key.';
      expect(await dialog.getByText(why).count()).toBe(2);
      const said = dialog.getByText(why).last();
      const save = dialog.getByRole('button', { name: 'Save' });
      const [place, button] = [await said.boundingBox(), await save.boundingBox()];
      expect(place!.x + place!.width).toBeLessThanOrEqual(390);
      expect(Math.abs(place!.y - button!.y)).toBeLessThan(60);
      expect(await axeViolations(page)).toEqual([]);

      await dialog.getByLabel('Certificates of authorities').fill('no certificate');
      await dialog.getByLabel('Certificate', { exact: true }).fill(GOOD);
      await dialog.getByLabel('Private key').fill(KEY);
      await save.click();
      const authorities = dialog.getByLabel('Certificates of authorities');
      await dialog.getByText(/^Enter certificates in PEM/).waitFor();
      await expect.poll(() => authorities.evaluate((field) => field === document.activeElement)).toBe(true);
      const shown = await authorities.boundingBox();
      expect(shown!.y).toBeGreaterThan(0);
      expect(await axeViolations(page)).toEqual([]);
    },
  );

  browserTest('tells German readers what is wrong with a value in German', async ({ open }) => {
    const stack = await openStack();
    const { id } = await stack.delivery.webhook(URL_OF_ENDPOINT);
    const page = await visit(open, stack, `/endpoints/${id}?tab=settings`);
    await cardOf(page, 'TLS').waitFor();
    await page.goto(`${page.url()}&do=tls&locale=de`);
    const dialog = page.getByRole('dialog', { name: 'TLS' });
    await dialog.getByLabel('Zertifikat', { exact: true }).fill(EXPIRED);
    await dialog.getByLabel('Privater Schlüssel').fill(KEY);
    await dialog.getByRole('button', { name: 'Speichern' }).click();
    await dialog.getByText(/^Dieses Zertifikat ist abgelaufen/).waitFor();
  });

  browserTest('says that a server may ask for a certificate, or refuse the one that is set', async ({ open }) => {
    const stack = await openStack();
    // Plain http: a handshake fails, as it does where a server wants another certificate.
    const url = stack.receiver.url.replace('http:', 'https:');
    const { id } = await stack.delivery.webhook(url);
    await stack.delivery.emit();
    const page = await visit(open, stack, `/endpoints/${id}`);
    const remark = page.getByText(
      /^Offer TLS 1\.2 or 1\.3.* Your server may also ask for a client certificate\. Set TLS/,
    );
    await remark.nth(1).waitFor(); // in the sentence about the endpoint, and among its failures
    await update(stack, id, { delivery: { tls: { clientCertificatePem: GOOD, clientKeyPem: KEY } } });
    await page.reload();
    const refused = page.getByText(/may also refuse the client certificate CN=receiver\.example\.com\. Set TLS/);
    await refused.first().waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('link', { name: 'See what failed' }).click();
    await page.getByRole('heading', { name: /^Attempt \d/ }).waitFor();
    await refused.waitFor();
    await page.getByRole('link', { name: 'Set TLS' }).click();
    await page.getByRole('dialog', { name: 'TLS' }).waitFor();
    const isFirst = (field: Element) => field === document.activeElement;
    const first = page.getByLabel('Certificate', { exact: true });
    await expect.poll(() => first.evaluate(isFirst)).toBe(true);
  });

  browserTest('says of a working endpoint that its certificate ends in days', async ({ open }) => {
    const stack = await openStack();
    const { id } = await stack.delivery.webhook(URL_OF_ENDPOINT);
    const soon = issueCertificate({ subject: 'soon.example.com', until: new Date(Date.now() + 5 * 86_400_000) });
    await update(stack, id, {
      delivery: { tls: { clientCertificatePem: soon.certificate, clientKeyPem: soon.key } },
    });
    const page = await visit(open, stack, `/endpoints/${id}`);
    await page.getByText(/^Its client certificate expires in /).waitFor();
    await page.getByRole('link', { name: 'Set TLS' }).click();
    await page.getByRole('dialog', { name: 'TLS' }).waitFor();
  });

  browserTest('says of an attempt without a token that nothing was sent, and why', async ({ open }) => {
    const stack = await openStack();
    const tokens = await startReceiver(answer(503));
    onTestFinished(() => tokens[Symbol.asyncDispose]());
    const { id } = await stack.delivery.webhook(stack.receiver.url);
    const oauth2 = { tokenUrl: tokens.url, clientId: 'hooks', clientSecret: randomUUID() };
    await update(stack, id, { delivery: { auth: { oauth2 } } });
    await stack.delivery.emit();
    const page = await visit(open, stack, `/endpoints/${id}`);
    await page.getByRole('link', { name: 'See what failed' }).click();
    await page.getByText('Nothing was sent: no access token came for it.').waitFor();
    await cardOf(page, 'Answer').getByText('it answers 503').waitFor();
    expect(await page.getByText('Authorization').count()).toBe(0);
    expect(stack.receiver.deliveries).toBe(0);
  });

  browserTest('leads from a new endpoint to its certificates', async ({ open }) => {
    const stack = await openStack();
    const page = await visit(open, stack, '/endpoints/new');
    await page.getByRole('textbox', { name: 'URL' }).fill(URL_OF_ENDPOINT);
    await page.getByRole('checkbox', { name: /^All events/ }).click();
    await page.getByRole('button', { name: 'Add the endpoint' }).click();
    const made = page.getByRole('dialog', { name: 'The endpoint is ready' });
    const setTls = async () => {
      await made.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Set TLS' }).click();
    };
    await setTls();
    await made.getByRole('button', { name: 'Close without copying' }).waitFor();
    await setTls();
    await page.getByRole('dialog', { name: 'TLS' }).getByLabel('Certificates of authorities').waitFor();
  });

  browserTest('says what a new endpoint must prove, how it stands, and asks again', async ({ open }) => {
    const stack = await openStack({ ENDPOINT_CHALLENGE: 'required' });
    const receiver = await startReceiver(answer(404));
    onTestFinished(() => receiver[Symbol.asyncDispose]());
    const page = await visit(open, stack, '/endpoints/new');
    await page.getByText(/^Deliveries are held until the endpoint has proved/).waitFor();
    await page.getByRole('textbox', { name: 'URL' }).fill(receiver.url);
    await page.getByRole('checkbox', { name: /^All events/ }).click();
    await page.getByRole('button', { name: 'Add the endpoint' }).click();
    const made = page.getByRole('dialog', { name: 'The endpoint is added' });
    await made.getByRole('heading', { name: 'Prove the endpoint' }).waitFor();
    await made.getByText('Last answer').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await made.getByRole('button', { name: 'Go to the endpoint' }).click();
    await made.getByRole('button', { name: 'Close without copying' }).click();
    await page.getByText(/^Not verified: the endpoint has not proved/).waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    const card = cardOf(page, 'Ownership');
    await card.getByText('Not verified', { exact: true }).waitFor();
    await card.getByText(/^No proof by webhook\.challenge: it answers 404/).waitFor();
    await card.getByText('How your server proves it').click();
    await card.getByText('WebHook-Request-Origin').waitFor();
    expect(await page.getByRole('button', { name: 'Enable' }).count()).toBe(0);
    await page.mouse.wheel(0, -2_000); // nothing is half below the header, which stays
    await eventually(() => page.evaluate<boolean>('scrollY === 0'));
    expect(await axeViolations(page)).toEqual([]);

    // It learns its secret, and answers as the receiver package does.
    receiver.answerWith(({ body }, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
    await card.getByRole('button', { name: 'Ask again' }).click();
    await card.getByText('Verified', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Send a test' }).first().waitFor();
    expect(await page.getByRole('button', { name: 'Ask again' }).count()).toBe(0);
  });
});

async function update(stack: DashboardStack, id: number, change: object): Promise<void> {
  const { body } = await stack.api.graphql(
    `mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { id } } }`,
    { input: { id: `wh_${id}`, ...change } },
  );
  expect(body.errors).toBeUndefined();
}

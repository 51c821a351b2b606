import type { Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { axeViolations } from '../support/browser/axe.js';
import { browserTest } from '../support/browser/browser-test.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { eventually } from '../support/eventually.js';
import { MailServer } from '../support/mail-server.js';

async function openPortal(page: Page, stack: DashboardStack, locale: string): Promise<void> {
  const { body } = await stack.api.graphql(
    'mutation ($input: CreatePortalSessionInput!) { createPortalSession(input: $input) { url } }',
    { input: { capabilities: ['MANAGE_OPTIONS'], locale } },
  );
  const { pathname, hash } = new URL(body.data.createPortalSession.url);
  await page.goto(stack.origin + pathname + hash);
}

const linkIn = (text: string) => new URL(/https:\/\/\S+\/notices\/\S+/.exec(text)![0]).pathname;

browserTest('somebody adds an address, confirms it by the mail’s button, and asks for a test', async ({ open }) => {
  const server = await MailServer.open();
  onTestFinished(() => server[Symbol.asyncDispose]());
  const stack = await DashboardStack.open({
    SMTP_URL: server.url,
    MAIL_FROM: 'Hooks <hooks@example.com>',
    PUBLIC_URL: 'https://hooks.example.com',
  });
  onTestFinished(() => stack[Symbol.asyncDispose]());
  const { page } = await open({ origin: stack.origin });
  await openPortal(page, stack, 'en');
  await page.getByRole('link', { name: 'Notices' }).click();
  await page.getByText('No recipients').waitFor();
  await page.getByRole('button', { name: 'Add a recipient' }).first().click();
  await page.getByLabel('E-mail address').fill('nobody');
  await page.getByRole('button', { name: 'Add the recipient' }).click();
  await page.getByText('must be one e-mail address of ASCII characters').waitFor();
  await page.getByLabel('E-mail address').fill('ops@example.com');
  await page.getByLabel(/^Recovered/).uncheck();
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Add the recipient' }).click();
  await page.getByText('Not confirmed').waitFor();

  const mail = await eventually(() => server.mails[0], 20_000);
  await page.goto(stack.origin + linkIn(mail.text));
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Get the notices' }).click();
  await page.getByText('The address is confirmed.').waitFor();

  await openPortal(page, stack, 'de');
  await page.getByRole('link', { name: 'Benachrichtigungen' }).click();
  await page.getByText('Aktiv', { exact: true }).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Aktionen für ops@example.com' }).click();
  await page.getByRole('menuitem', { name: 'Test senden' }).click();
  await page.getByText('Ein Test wird gesendet.').waitFor();
});

browserTest('without settings for mail the portal has no page for notices', async ({ open }) => {
  const stack = await DashboardStack.open();
  onTestFinished(() => stack[Symbol.asyncDispose]());
  const { page } = await open({ origin: stack.origin });
  await openPortal(page, stack, 'en');
  await page.getByRole('link', { name: 'Endpoints' }).first().waitFor();
  expect(await page.getByRole('link', { name: 'Notices' }).count()).toBe(0);
});

import { describe, expect, onTestFinished } from 'vitest';
import { PLATFORM_ADMIN } from '../../src/domain/keys/scopes.js';
import { registerEventType } from '../../src/operations/event-types/register-event-type.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { createWebhook } from '../../src/operations/webhooks/create-webhook.js';
import { axeViolations } from '../support/browser/axe.js';
import { browserTest } from '../support/browser/browser-test.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { makeKey } from '../support/factories.js';

const form = (name: string) => ({ type: 'object', properties: { [name]: { type: 'string' } }, required: [name] });

describe('a release', () => {
  browserTest('is made in the console; a pinned endpoint shows what has changed, and both bodies', async ({ open }) => {
    const stack = await DashboardStack.open();
    onTestFinished(() => stack[Symbol.asyncDispose]());
    const { services, tenantId } = stack.delivery;
    await registerEventType(
      services.db,
      { name: 'user.made', description: 'Made.', schema: form('name') },
      commandLine,
    );
    const { page } = await open({ origin: stack.origin });
    await page.goto('/console/event-types');
    await page.getByLabel('API key').fill((await makeKey(services, null, [PLATFORM_ADMIN])).key);
    await page.getByRole('button', { name: 'Sign in' }).click();

    await page.getByRole('button', { name: 'Create a release' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('2026-03');
    await page.getByRole('button', { name: 'Create the release' }).click();
    await page.getByText('Release 2026-03 is created.').waitFor();

    await page.goto('/console/event-types/user.made/edit');
    await page.getByLabel(/JSON Schema/).fill(JSON.stringify(form('title')));
    await page.getByLabel(/Converter/).fill('[{"op": "RENAME", "path": "title", "to": "nam"}]');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page
      .getByText(/makes of the sample: payload.name is required/)
      .first()
      .waitFor();
    await page.getByLabel(/Converter/).fill('[{"op": "RENAME", "path": "title", "to": "name"}]');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Version 2 is in use.').waitFor();
    await page.getByText('RENAME title → name').waitFor();
    await page.getByRole('button', { name: 'Try it with events of the last day' }).click();
    await page.getByText('Fits 0 of 0 events of the last day.').waitFor();

    const { id } = await createWebhook(services.db, services.vault, services.random, {
      ...{ tenantId, url: stack.receiver.url, eventTypes: ['user.made'], webhooksMax: 100, actor: commandLine },
      pin: '2026-03',
    });
    services.eventTypes.forget();
    const { version } = await services.eventTypes.check('user.made', { title: 'Ada' });
    const emit = { tenantId, eventType: 'user.made', body: '{"title":"Ada"}', idempotencyKey: null };
    await services.emitter.emit([{ ...emit, onlyWebhookId: null, typeVersion: version }]);
    await page.goto(`/console/tenants/${tenantId}/endpoints/${id}?tab=settings`);
    await page.getByText('Built for release 2026-03.').waitFor();
    await page.getByText('is emitted in version 2, and sent in version 1').click();
    await page.getByText('RENAME title → name').waitFor();
    await page.getByRole('button', { name: 'Compare both bodies' }).click();
    await page.getByText('"name"').waitFor();
    await page.getByText('"title"').waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });
});

import { describe, expect, onTestFinished } from 'vitest';
import { PLATFORM_ADMIN } from '../../src/domain/keys/scopes.js';
import { registerEventType } from '../../src/operations/event-types/register-event-type.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { createWebhook } from '../../src/operations/webhooks/create-webhook.js';
import { axeViolations } from '../support/browser/axe.js';
import { browserTest } from '../support/browser/browser-test.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { makeKey } from '../support/factories.js';

const number = { type: 'number' };
const before = {
  type: 'object',
  properties: { total: { type: 'object', properties: { amount: number } } },
  required: ['total'],
};
const after = { type: 'object', properties: { amount: number }, required: ['amount'] };

describe('a breaking schema', () => {
  browserTest('is a decision, whose effect is shown first, and one click undoes it', async ({ open }) => {
    const stack = await DashboardStack.open();
    onTestFinished(() => stack[Symbol.asyncDispose]());
    const { services, tenantId } = stack.delivery;
    await registerEventType(services.db, { name: 'order.paid', description: 'Paid.', schema: before }, commandLine);
    const filter = { field: { path: 'total.amount', op: 'GT', value: 5 } } as const;
    const { id: webhookId } = await createWebhook(services.db, services.vault, services.random, {
      tenantId,
      url: stack.receiver.url,
      eventTypes: ['order.paid'],
      webhooksMax: 100,
      actor: commandLine,
      filter,
    });
    const eventId = await stack.delivery.emit('order.paid', { total: { amount: 7 } });
    const versions = async () =>
      (
        await stack.delivery.rows<{ schema: string }>(
          `select schema from hookwright.event_type_versions where event_type = 'order.paid' order by version`,
        )
      ).map(({ schema }) => JSON.parse(schema) as object);

    const { page } = await open({ origin: stack.origin });
    await page.goto('/console/event-types/order.paid/edit');
    await page.getByLabel('API key').fill((await makeKey(services, null, [PLATFORM_ADMIN])).key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const editor = page.getByLabel(/JSON Schema/);
    const goBack = page.getByRole('button', { name: /^Go back to version/ });
    const write = async (schema: object) => {
      await editor.fill(JSON.stringify(schema, null, 2));
      await page.getByRole('button', { name: 'Save', exact: true }).click();
    };

    // An optional field is saved at once.
    await write({ ...before, properties: { ...before.properties, note: { type: 'string' } } });
    await page.getByText('Version 2 is in use.').waitFor();
    await page.getByRole('link', { name: 'Change' }).click();

    // A breaking one is not.
    await write(after);
    await page.getByText('The new schema breaks events or endpoints.').waitFor();
    await page.getByText('1 of the last 1 events would be refused').waitFor();
    await page.getByText('1 option of an endpoint no longer fits').waitFor();
    await page.getByText('The new schema does not have total.amount.').waitFor();
    const places = [
      [`Event ${eventId}`, `/console/tenants/${tenantId}/events/${eventId}`],
      [`Endpoint ${webhookId}`, `/console/tenants/${tenantId}/endpoints/${webhookId}`],
    ] as const;
    for (const [name, path] of places) {
      const link = page.getByRole('alert').getByRole('link', { name, exact: true });
      expect(await link.getAttribute('href')).toBe(path);
    }
    expect(await axeViolations(page)).toEqual([]);
    expect(await versions()).toHaveLength(2);

    // The red button belongs to that schema alone.
    await editor.fill(JSON.stringify({ ...after, required: [] }));
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
    expect(await page.getByText('The new schema breaks').count()).toBe(0);
    await editor.fill(JSON.stringify(after));
    const save = page.getByRole('button', { name: 'Save the breaking change' });
    await save.waitFor();
    // A converter is another decision: pinned endpoints keep what they get.
    const converter = page.getByLabel(/^Converter to the present version/);
    await converter.fill('[{"op": "RENAME", "path": "amount", "to": "total"}]');
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
    await converter.fill('');
    await save.click();
    await page.getByText('Version 3 is in use.').waitFor();
    expect((await versions())[2]).toEqual(after);

    // One click undoes it.
    expect(await goBack.textContent()).toBe('Go back to version 2');
    await goBack.click();
    await page.getByText('Version 4 is in use.').waitFor();
    const kept = await versions();
    expect(kept[3]).toEqual(kept[1]);

    // An older version is shown, and leads back too; it asks first where that breaks something.
    await page.getByLabel('Version', { exact: true }).selectOption('1');
    await page.getByText(/^Version 1, since/).waitFor();
    expect(await goBack.textContent()).toBe('Go back to version 1');
    await page.getByLabel('Version', { exact: true }).selectOption('3');
    await goBack.click();
    const question = page.getByRole('alertdialog');
    await question.getByText('The new schema does not have total.amount.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await question.getByRole('button', { name: 'Close' }).click();
    expect(await versions()).toHaveLength(4);
    await goBack.click();
    await question.getByRole('button', { name: 'Go back all the same' }).click();
    await page.getByText('Version 5 is in use.').waitFor();
    expect((await versions())[4]).toEqual(after);
  });
});

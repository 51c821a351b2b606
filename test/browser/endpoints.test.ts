import type { Locator, Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { axeViolations } from '../support/browser/axe.js';
import { browserTest } from '../support/browser/browser-test.js';
import { visit } from '../support/browser/visit.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { eventually } from '../support/eventually.js';

async function openStack(settings?: Record<string, string>): Promise<DashboardStack> {
  const stack = await DashboardStack.open(settings);
  onTestFinished(() => stack[Symbol.asyncDispose]());
  return stack;
}

/** An endpoint whose receiver is away, until ten failures in a row have disabled it. */
async function openDisabled(): Promise<{ stack: DashboardStack; id: number }> {
  const stack = await openStack();
  const { id } = await stack.delivery.webhook(stack.receiver.url);
  await stack.receiver.goAway();
  for (let count = 0; count < 10; count += 1) {
    await stack.delivery.emit();
  }
  await eventually(async () => !(await stack.delivery.webhookRow(id)).active);
  return { stack, id };
}

/** Notices are dialogs, too. */
const dialogOf = (page: Page) => page.locator('[role=dialog]:not([aria-modal=false])');
async function boxOf(shown: Locator) {
  const { x, y, width, height } = (await shown.boundingBox())!;
  return { x, y, right: x + width, bottom: y + height };
}
const openTab = (page: Page, name: 'Activity' | 'Settings') =>
  page.getByRole('navigation', { name: 'Endpoint', exact: true }).getByRole('link', { name }).click();
const urlOf = (page: Page) => page.getByRole('textbox', { name: 'Url' });

describe('a new endpoint', () => {
  browserTest(
    'is refused at the field that is wrong, then shows its secret once, and its first answer',
    async ({ open }) => {
      const stack = await openStack({ EGRESS_ADDRESSES: '203.0.113.0/28, 2001:db8::7' });
      const page = await visit(open, stack, '/endpoints');
      await page.getByText('No endpoints').waitFor();
      await page.getByRole('link', { name: 'Add an endpoint' }).first().click();

      await urlOf(page).fill('https://example.com:22/');
      await page.getByText('Use port 443 or 80, or a port from 1024').waitFor();
      await page.getByRole('searchbox', { name: 'Search event types' }).fill('booking');
      await page.getByRole('checkbox', { name: 'booking 2', exact: true }).check();
      expect(await page.getByRole('checkbox', { name: /^booking\.created/ }).isChecked()).toBe(true);
      await page.getByText('203.0.113.0/28\n2001:db8::7').waitFor();
      await page.getByRole('button', { name: 'Add the endpoint' }).click();
      await page.getByText('that no database or other internal service uses').waitFor();
      expect(await axeViolations(page)).toEqual([]);

      await urlOf(page).fill(stack.receiver.url);
      await page.getByRole('button', { name: 'More options' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Booking system');
      await page.getByRole('textbox', { name: 'Metadata' }).fill('team: payments\n\nsite: https://example.com');
      await page.getByRole('button', { name: 'Add the endpoint' }).click();
      const secret = await dialogOf(page)
        .getByText(/^whsec_[A-Za-z0-9+/]{44}$/)
        .textContent();
      expect(secret).not.toBeNull();
      await page.keyboard.press('Escape');
      await dialogOf(page).getByLabel('Language').selectOption('Python');
      await dialogOf(page).getByText('pip install standardwebhooks').waitFor();
      await dialogOf(page).getByRole('button', { name: 'Send a test' }).click();
      await dialogOf(page)
        .getByText(/The endpoint answered 200 OK in/)
        .waitFor();
      expect(stack.receiver.deliveries).toBe(1);
      expect(await axeViolations(page)).toEqual([]);

      await dialogOf(page).getByRole('button', { name: 'Go to the endpoint' }).click();
      await dialogOf(page).getByText('You have not copied it. It cannot be shown again.').waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await dialogOf(page).getByRole('button', { name: 'Close without copying' }).click();
      await page.getByText('Healthy: the last delivery arrived').waitFor();
      await page.getByRole('heading', { name: 'Booking system' }).waitFor();
      await openTab(page, 'Settings');
      await page.getByText('site: https://example.com, team: payments').waitFor();
      expect(await page.content()).not.toContain(secret);
      expect(await axeViolations(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'Endpoints' }).first().click();
      await page.getByRole('link', { name: 'Booking system' }).waitFor();
      await page.getByRole('button', { name: /^Find/ }).first().click();
      await dialogOf(page).getByRole('combobox').fill('booking');
      await page.getByRole('option', { name: 'Booking system' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Booking system' }).waitFor();
    },
  );
});

describe('an endpoint that ten failures in a row have disabled', () => {
  browserTest('says why and what is held, and is enabled, tested and released', async ({ open }) => {
    const { stack, id } = await openDisabled();
    const page = await visit(open, stack, '/endpoints');
    await page.getByText('ten failures in a row').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('table', { name: 'Endpoints' }).getByRole('link').click();

    await page.getByText('ten attempts in a row have failed, the latest because the connection is refused').waitFor();
    await page.getByText(/10 deliveries are held until/).waitFor();
    expect(await axeViolations(page)).toEqual([]);

    await stack.receiver.comeBack();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('radio', { name: /Keep all 10 held/ }).check();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Enable and keep' }).click();
    await page.getByText('10 deliveries are held until you release them').waitFor();

    await page.getByRole('alert').or(page.getByRole('status')).getByRole('button', { name: 'Send a test' }).click();
    await dialogOf(page).getByRole('button', { name: 'Send a test' }).click();
    await dialogOf(page)
      .getByText(/The endpoint answered 200 OK in/)
      .waitFor();
    // A notice may be there as well, which is a dialog too.
    await page.getByRole('dialog', { name: 'Send a test' }).getByRole('button', { name: 'Close' }).click();
    expect(stack.receiver.deliveries).toBe(1);

    await page.getByRole('button', { name: 'Release' }).click();
    await page.getByRole('button', { name: 'Release 10' }).click();
    await eventually(() => stack.receiver.deliveries === 11);
    await page.getByText(/It works, but \d+ of \d+ attempts in the last 24 hours have failed/).waitFor();
    await page.getByText(/^If it happens again: /).waitFor();
    expect((await stack.delivery.webhookRow(id)).active).toBe(true);
  });
});

describe('the page of an endpoint', () => {
  browserTest('shows what somebody else has changed, and saves over it on request', async ({ open }) => {
    const stack = await openStack();
    const { id } = await stack.delivery.webhook(stack.receiver.url);
    const page = await visit(open, stack, `/endpoints/${id}?do=edit`);
    await urlOf(page).fill(`${stack.receiver.url}/mine`);
    const theirs = `${stack.receiver.url}/theirs`;
    await stack.delivery.rows(
      `update hookwright.webhooks set url = '${theirs}', version = version + 1 where id = ${id}`,
    );
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Someone else changed this endpoint while you were editing it.').waitFor();
    await dialogOf(page).getByRole('cell', { name: theirs }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Overwrite with mine' }).click();
    await page.getByRole('heading', { name: '/mine' }).waitFor();
  });

  browserTest('tests with a payload of choice, and names the rule that it breaks', async ({ open }) => {
    const stack = await openStack();
    const { id } = await stack.delivery.webhook(stack.receiver.url);
    const page = await visit(open, stack, `/endpoints/${id}?do=test`, { theme: 'dark', width: 390 });
    await dialogOf(page).getByLabel('Event type').selectOption('coupon.applied');
    const payload = page.getByRole('textbox', { name: 'Payload' });
    await payload.fill('{"code": 7, "discount_type": "percent"}');
    await dialogOf(page).getByRole('button', { name: 'Send a test' }).click();
    await dialogOf(page).getByText('must be a string').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await payload.fill('{"code": "SUMMER", "discount_type": "percent"}');
    await dialogOf(page).getByRole('button', { name: 'Send a test' }).click();
    await dialogOf(page)
      .getByText(/The endpoint answered 200 OK in/)
      .waitFor();
  });

  browserTest('rotates the secret with an overlap, and once more only without', async ({ open }) => {
    const stack = await openStack();
    const { id } = await stack.delivery.webhook(stack.receiver.url);
    const page = await visit(open, stack, `/endpoints/${id}?do=rotate`);
    await page.getByRole('cell', { name: 'old and new' }).waitFor();
    await page.getByLabel('Overlap in hours').fill('169');
    await page.getByText('Enter a whole number of hours from 0 to 168.').waitFor();
    await page.getByLabel('Overlap in hours').fill('48');
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    await dialogOf(page)
      .getByText(/^whsec_/)
      .waitFor();
    await page.getByRole('button', { name: 'Copy the secret' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText('The previous one is valid too, and ends').waitFor();
    await page.getByRole('button', { name: 'Rotate' }).click();
    await page.getByText('A rotation is in progress').waitFor();
    await page.getByRole('button', { name: 'Rotate and end the old one' }).waitFor();
  });

  browserTest('says by which secret the signature of a former system is made in an overlap', async ({ open }) => {
    const stack = await openStack();
    const { id } = await stack.delivery.webhook(stack.receiver.url);
    await stack.delivery.change(id, { compat: 'svix' });
    const page = await visit(open, stack, `/endpoints/${id}?do=rotate`);
    await dialogOf(page).getByRole('row', { name: 'svix-signature old old and new new' }).waitFor();
    await dialogOf(page).getByText('A server that checks webhook-signature or svix-signature can switch').waitFor();
    await dialogOf(page).getByText('A server that checks X-Service-Signature must accept both').waitFor();
  });

  browserTest('shows the headers that prove the sender, and removes those of a former system', async ({ open }) => {
    const stack = await openStack();
    const { id } = await stack.delivery.webhook(stack.receiver.url);
    await stack.delivery.change(id, { compat: 'svix' });
    const page = await visit(open, stack, `/endpoints/${id}?tab=settings`);
    await page.getByRole('heading', { name: 'Signatures' }).waitFor();
    for (const name of ['X-Service-Signature', 'webhook-signature', 'svix-signature']) {
      await page.getByText(name, { exact: true }).waitFor();
    }
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Requests no longer have these headers.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove the signature' }).click();
    await eventually(async () => (await page.getByText('svix-signature', { exact: true }).count()) === 0);
    await page.getByText('webhook-signature', { exact: true }).waitFor();
  });

  browserTest('sends failed deliveries again after a count, as an operation', async ({ open }) => {
    const stack = await openStack();
    const { id } = await stack.delivery.webhook(stack.receiver.url);
    await stack.delivery.emit();
    await eventually(() => stack.receiver.deliveries === 1);
    await stack.delivery.rows(
      `update hookwright.deliveries set status = 'FAILED', last_error_code = 'HTTP_500' where webhook_id = ${id}`,
    );
    const page = await visit(open, stack, `/endpoints/${id}?do=recover`);
    await page.getByText('One delivery is sent again').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send 1 again' }).click();
    await page.getByRole('link', { name: 'Open the operation' }).click();
    await page.waitForURL(/\/operations\/\d+$/);
    await eventually(() => stack.receiver.arrivals.length === 2);
  });

  browserTest('is paused and deleted, with what that means in numbers', async ({ open }) => {
    const stack = await openStack({ ENDPOINT_OPTIONS: 'labels,pace' });
    const { id } = await stack.delivery.webhook(stack.receiver.url);
    const page = await visit(open, stack, `/endpoints/${id}?tab=settings`);
    await page.getByRole('heading', { name: 'Rate and retries' }).waitFor();
    // The operator keeps the parts beside these and the setup from tenants.
    expect(await page.getByRole('button', { name: 'Change' }).count()).toBe(2);
    expect(await page.getByRole('heading', { name: 'Filter and format' }).count()).toBe(0);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Pause' }).click();
    await page.getByText('No delivery is waiting.').waitFor();
    await page.getByRole('button', { name: 'Pause the endpoint' }).click();
    await openTab(page, 'Activity');
    await page.getByText('Paused since').waitFor();
    await stack.delivery.emit();
    await page.getByText('one delivery is held until').waitFor();
    expect(await axeViolations(page)).toEqual([]);

    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByText('One waiting or held delivery is canceled.').waitFor();
    await page.getByRole('button', { name: 'Delete the endpoint' }).click();
    await page.getByText('No endpoints').waitFor();
  });
});

describe('rate and retries', () => {
  browserTest(
    'are changed with a preset, which says what becomes of the retries; a check brings it back',
    async ({ open }) => {
      const { stack, id } = await openDisabled();
      const page = await visit(open, stack, `/endpoints/${id}?tab=settings`);
      await page.getByText('6 attempts over 62 min').waitFor();
      const rate = page.locator('section', { has: page.getByRole('heading', { name: 'Rate and retries' }) });
      await rate.getByRole('button', { name: 'Change' }).click();
      const dialog = dialogOf(page);
      await dialog.getByRole('textbox', { name: 'Timeout' }).fill('0.5');
      await dialog.getByRole('button', { name: 'Patient: 3 days' }).click();
      await dialog.getByText('6 attempts over 62 min → 9 attempts over 3 days').waitFor();
      await dialog.getByRole('combobox', { name: 'Recovery' }).selectOption('It comes back by itself');
      expect(await axeViolations(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText('must be a whole number, 1000 to 30000 ms').waitFor();
      await dialog.getByRole('textbox', { name: 'Timeout' }).fill('20');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('It comes back by itself.').waitFor();
      await page.getByText('9 attempts over 3 days').waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await stack.receiver.comeBack();
      await openTab(page, 'Activity');
      await page.getByRole('button', { name: 'Check the endpoint now' }).click();
      await eventually(async () => (await stack.delivery.webhookRow(id)).active);
    },
  );
});

describe('filter and format', () => {
  const setContent = (stack: DashboardStack, id: number, content: object) =>
    stack.api.graphql(`mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { id } } }`, {
      input: { id: `wh_${id}`, content },
    });

  browserTest('are tried on past events while they are written', async ({ open }) => {
    const stack = await openStack();
    await stack.delivery.emit('coupon.applied', { code: 'A', discount_type: 'fixed' });
    await stack.delivery.emit('coupon.applied', { code: '<B>', discount_type: 'percent' });
    const { id } = await stack.delivery.webhook(stack.receiver.url, ['coupon.applied']);
    await setContent(stack, id, { format: 'SLACK' });
    const page = await visit(open, stack, `/endpoints/${id}?do=content`);
    const dialog = dialogOf(page);
    await dialog.getByText('2 of your last 2 events match.').waitFor();
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Field');
    const field = dialog.getByRole('combobox', { name: 'Field' });
    await eventually(async () => (await dialog.locator('datalist option').count()) > 2);
    await field.fill('discount..type');
    await dialog.getByText('Enter a value, or "" for an empty text.').waitFor();
    await dialog.getByText('A condition lacks its field or its value.').waitFor();
    await dialog.getByText('This result is old. It lacks your last change.').waitFor();
    await dialog.getByText('2 of your last 2 events match.').waitFor();
    await dialog.getByRole('textbox', { name: 'Value' }).fill('percent');
    await dialog.getByText(/^must be 1 to 10 names/).waitFor();
    await dialog.getByText(/^Filter: must be 1 to 10 names/).waitFor();
    await dialog.getByText('2 of your last 2 events match.').waitFor();
    await field.fill('discount');
    await dialog.getByText('No subscribed type has this field in its schema.').waitFor();
    await field.fill('discount_type');
    await dialog.getByText('This is text.').waitFor();
    await dialog.getByText('1 of your last 2 events match.').waitFor();
    expect(await dialog.getByText('This result is old.').count()).toBe(0);
    const events = dialog.getByRole('combobox', { name: 'Event', exact: true });
    await events.selectOption({ index: 1 });
    await dialog.getByText(/^This event is not sent. It fails:/).waitFor();
    await events.selectOption({ index: 0 });

    const format = dialog.getByRole('combobox', { name: 'Format' });
    expect(await format.inputValue()).toBe('SLACK');
    await format.selectOption('JSON');
    const shape = dialog.getByRole('textbox', { name: 'Shape' });
    await shape.fill('subscription { event {\n ... on CouponApplied { cod');
    await dialog.getByText(/^is wrong in line 2, column/).waitFor();
    await dialog.getByRole('button', { name: 'line 2' }).waitFor();
    await dialog.getByRole('button', { name: 'code', exact: true }).click();
    expect(await shape.inputValue()).toMatch(/CouponApplied { code$/);
    await shape.press('End');
    await shape.pressSequentially(' } } }');
    await dialog.getByText('"<B>"').nth(1).waitFor();
    await shape.fill('');

    await format.selectOption('Slack message');
    const text = dialog.getByRole('textbox', { name: 'Text' });
    await text.fill('Coupon {{cod}}');
    await dialog.getByText('No subscribed type has cod in its schema.').waitFor();
    await text.fill('Coupon {{code}}');
    await dialog.getByText('"Coupon &lt;B&gt;"').waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await axeViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved. New events follow.').waitFor();
    await page.getByText('Slack message').waitFor();
  });

  browserTest('are found from the event that they kept back; a nested filter stays as it is', async ({ open }) => {
    const stack = await openStack();
    const { id } = await stack.delivery.webhook(stack.receiver.url, ['coupon.applied']);
    await setContent(stack, id, { filter: { field: { path: 'discount_type', op: 'EQ', value: 'percent' } } });
    const filtered = await stack.delivery.emit('coupon.applied', { code: 'C', discount_type: 'fixed' });
    const page = await visit(open, stack, `/events/${filtered}`);
    await page
      .getByText(/It fails:/)
      .locator('visible=true')
      .waitFor();
    expect(await axeViolations(page)).toEqual([]);
    const edit = page.getByRole('link', { name: 'Edit filter' });
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const [one, other] = [await boxOf(edit), await boxOf(page.getByRole('button', { name: 'Send it now' }))];
      expect(other.x - one.right >= 4 || other.y - one.bottom >= 4, `apart in ${width} pixels`).toBe(true);
      expect(other.right).toBeLessThan(width - 8);
    }
    await edit.click();
    const dialog = dialogOf(page);
    await dialog.getByText('0 of your last 1 event matches.').waitFor();
    expect(await dialog.getByRole('combobox', { name: 'Field' }).inputValue()).toBe('discount_type');
    await dialog.getByRole('button', { name: 'Own payload' }).click();
    const payload = dialog.getByRole('textbox', { name: 'Payload' });
    await eventually(async () => (await payload.inputValue()).includes('discount_type'));
    await payload.fill('{"code": "Z", "discount_type": "percent"}');
    await dialog.locator('bdi').getByText('"Z"', { exact: true }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    const nested = { not: { field: { path: 'code', op: 'EQ', value: 'B' } } };
    await setContent(stack, id, { filter: nested });
    await page.getByText('"not"').waitFor();
    await page.getByRole('button', { name: 'Change' }).nth(1).click();
    const text = dialog.getByRole('textbox', { name: 'Filter in JSON' });
    expect(JSON.parse(await text.inputValue())).toEqual(nested);
    await dialog.getByText('1 of your last 1 event matches.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Edit in rows' }).getAttribute('title')).toMatch(/cannot show/);
    await dialog.getByRole('button', { name: 'Remove the filter' }).click();
    await dialog.getByText('Each event of the subscribed types is sent.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    // What has changed is tried with a state before.
    await setContent(stack, id, { filter: { field: { path: 'code', op: 'CHANGED' } } });
    await page.reload();
    await page.getByRole('button', { name: 'Change' }).nth(1).click();
    await dialog.getByRole('button', { name: 'Own payload' }).click();
    await eventually(async () => (await payload.inputValue()) !== '');
    await payload.fill('{"code": "Z"}');
    await dialog.getByText(/^This event is not sent/).waitFor();
    const previous = dialog.getByRole('textbox', { name: 'State before the change' });
    await previous.fill('{"code": ');
    await dialog.getByText('The state before the change is not a JSON object.').waitFor();
    await previous.fill('{"code": "Y"}');
    await dialog.locator('bdi').getByText('"Z"', { exact: true }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });
});

describe('order', () => {
  browserTest('is asked in three questions; a blocked key is seen, explained and unblocked', async ({ open }) => {
    const stack = await openStack({ MAX_RETRIES: '0' });
    const { id } = await stack.delivery.webhook(stack.receiver.url, ['coupon.applied']);
    const page = await visit(open, stack, `/endpoints/${id}?do=order`, { theme: 'dark', width: 390 });
    const dialog = dialogOf(page);
    await dialog.getByRole('radio', { name: /^Deliveries with the same key/ }).check();
    await dialog.getByRole('combobox', { name: 'Key in the payload' }).fill('a..b');
    await dialog.getByRole('radio', { name: /^The key stops/ }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(/with dots between them/).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('combobox', { name: 'Key in the payload' }).fill('code');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved. New events follow.').waitFor();
    await page.getByText('Deliveries with the same key').waitFor();

    await stack.receiver.goAway();
    const first = await stack.delivery.emit('coupon.applied', { code: 'K1', discount_type: 'fixed' });
    await eventually(async () => (await stack.delivery.delivery(first)).status === 'FAILED');
    const second = await stack.delivery.emit('coupon.applied', { code: 'K1', discount_type: 'fixed' });
    await openTab(page, 'Activity');
    await page.getByText(/^Blocked for .+ by delivery \S+; 1 waiting\. It failed for good: /).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect((await boxOf(page.getByRole('button', { name: 'Unblock' }))).bottom).toBeLessThan(844);
    const [failed, waiting] = [await stack.delivery.delivery(first), await stack.delivery.delivery(second)];
    expect(waiting.status).toBe('WAITING');

    await page.goto(page.url().replace(/endpoints.*/, 'deliveries?status=WAITING'));
    await page.getByRole('table', { name: 'Deliveries' }).getByRole('link').first().click();
    await page.getByText(`Its key is blocked: delivery ${failed.id} has failed.`).waitFor();
    expect(await axeViolations(page)).toEqual([]);

    await stack.receiver.comeBack();
    await page.getByRole('button', { name: 'Retry the failed one' }).click();
    expect(await dialog.getByRole('radio', { name: /^Send it again/ }).isChecked()).toBe(true);
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Unblock' }).click();
    await page.getByText('The key is unblocked.').waitFor();
    await page.getByText(/^Delivered at the first attempt/).waitFor();
    await eventually(async () => (await stack.delivery.delivery(second)).status === 'SUCCEEDED');
    expect((await stack.delivery.delivery(first)).status).toBe('SUCCEEDED');
  });
});

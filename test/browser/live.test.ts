import { setInterval } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { browserTest } from '../support/browser/browser-test.js';
import { measurePageWork } from '../support/browser/page-work.js';
import { visit } from '../support/browser/visit.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { eventually } from '../support/eventually.js';
import { slowness } from '../support/machine-speed.js';

async function openStack(): Promise<DashboardStack> {
  const stack = await DashboardStack.open();
  onTestFinished(() => stack[Symbol.asyncDispose]());
  await stack.delivery.webhook(stack.receiver.url);
  return stack;
}

const rowsOf = (page: Page) => page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr[aria-rowindex]');
const light = (page: Page, text: string) =>
  page.getByRole('status').getByText(text, { exact: true }).waitFor({ timeout: 20_000 });

/** What a browser says when nobody listens, and of answers that end too early. */
const AWAY = [
  /ERR_CONNECTION_(REFUSED|RESET|CLOSED|ABORTED)/,
  /ERR_SOCKET_NOT_CONNECTED/,
  /ERR_EMPTY_RESPONSE/,
  /ERR_INCOMPLETE_CHUNKED_ENCODING/,
];

describe('a page whose service is started again', () => {
  for (const [when, before] of [
    ['after updates', 1],
    ['before any update', 0],
  ] as const) {
    browserTest(`${when} says so, goes on by itself, and has missed nothing`, async ({ open }) => {
      const stack = await openStack();
      const page = await visit((options) => open({ ...options, allow: AWAY }), stack, '/deliveries');
      await page.mouse.move(0, 0);
      await light(page, 'Live');
      await page.getByText('No deliveries').waitFor();
      for (let count = 0; count < before; count += 1) {
        await stack.delivery.emit();
        await rowsOf(page).filter({ hasText: 'Delivered' }).waitFor();
      }

      await stack.stopApi();
      await light(page, 'Reconnecting');
      await stack.delivery.emit();
      await stack.delivery.emit();
      await eventually(() => stack.receiver.deliveries === before + 2);
      await stack.delivery.noDeliveryJobs();
      await stack.startApi();
      await light(page, 'Live');
      await eventually(async () => (await rowsOf(page).filter({ hasText: 'Delivered' }).count()) === before + 2);
      await stack.delivery.emit();
      await eventually(async () => (await rowsOf(page).filter({ hasText: 'Delivered' }).count()) === before + 3);
    });
  }
});

const BATCHES = 50;
const BATCH_EVENTS = 10;
const BATCH_EVERY_MS = 100;

/** From 50 ms on people see that something is late. */
const TASK_MS_MAX = 100;

describe('the list of deliveries', () => {
  browserTest('follows 100 a second, lets the page answer, and misses none', async ({ open }) => {
    const stack = await openStack();
    const page = await visit(open, stack, '/deliveries');
    await page.mouse.move(0, 0);
    await light(page, 'Live');
    const figures = await measurePageWork(page, async () => {
      let emitted = 0;
      for await (const _ of setInterval(BATCH_EVERY_MS)) {
        const event = { event: 'coupon.applied', payload: { code: 'X', discount_type: 'fixed' } };
        const input = { events: Array.from({ length: BATCH_EVENTS }, () => event) };
        await stack.api.graphql(
          'mutation ($input: EmitEventsInput!) { emitEvents(input: $input) { results { event { id } } } }',
          { input },
        );
        emitted += 1;
        if (emitted === BATCHES) {
          break;
        }
      }
      await eventually(() => stack.receiver.deliveries === BATCHES * BATCH_EVENTS, 20_000);
      const { id: newest } = (await stack.delivery.deliveries()).at(-1)!;
      await rowsOf(page)
        .first()
        .filter({ has: page.locator(`a[href$="/deliveries/${newest}"]`) })
        .filter({ hasText: 'Delivered' })
        .waitFor();
    });
    console.log('At 100 deliveries a second:', figures);
    expect(figures.longestTaskMs / (await slowness())).toBeLessThan(TASK_MS_MAX);

    const expected = (await stack.delivery.deliveries()).toReversed().map(({ id, status }) => `${id} ${status}`);
    expect(expected).toHaveLength(BATCHES * BATCH_EVENTS);
    expect(await readAll(page, expected.length)).toEqual(expected.map((row) => row.replace('SUCCEEDED', 'Delivered')));
  });
});

/** Scrolls through the list, past rows that are delivered. @returns the number and state of each row, as they stand */
async function readAll(page: Page, count: number): Promise<string[]> {
  const seen = new Set<string>();
  await eventually(async () => {
    const rows = await page.evaluate<string[]>(`(() => {
      const table = document.querySelector('table[aria-label="Deliveries"]');
      const rows = [...table.querySelectorAll('tbody tr[aria-rowindex]')].map((row) => {
        const { href = 'unread' } = row.querySelector('a[href*="/deliveries/"]') ?? {};
        return href.split('/').at(-1) + ' ' + row.querySelector('td:nth-child(2)')?.innerText.trim();
      });
      if (rows.every((row) => row.endsWith(' Delivered'))) {
        table.parentElement.scrollBy(0, 300);
      }
      return rows;
    })()`);
    for (const row of rows.filter((text) => text.endsWith(' Delivered'))) {
      seen.add(row);
    }
    return seen.size >= count || Promise.reject(`${seen.size} of ${count} are delivered, then ${rows}`);
  });
  return [...seen];
}

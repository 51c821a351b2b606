import type { CDPSession, Page } from 'playwright-core';
import { expect, onTestFinished, vi } from 'vitest';
import { browserTest } from '../support/browser/browser-test.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { eventually } from '../support/eventually.js';

/** `ROWS=100000` scrolls through more of them, for minutes. */
const ROWS = Number(process.env['ROWS'] ?? 5_000);
vi.setConfig({ testTimeout: 30_000 + ROWS * 10 });
const UPDATES = 1_000;
const UPDATES_PER_SECOND = 100;
/** The processor time of the page's thread, as a part of the time that passes. */
const BUSY_PART_MAX = 0.5;

const deliveryOf = (number: number, status = 'SUCCEEDED') => ({
  __typename: 'Delivery',
  id: `dl_${number}`,
  databaseId: number,
  status,
  eventType: 'booking.created',
  eventId: `ev_${number}`,
  webhookId: 'wh_1',
  attemptCount: 1,
  lastStatusCode: 200,
  lastErrorCode: null,
  nextAttemptAt: null,
  createdAt: '2026-01-31T12:00:00+00:00',
  finishedAt: null,
  cancelReason: null,
  path: null,
  webhook: {
    __typename: 'Webhook',
    id: 'wh_1',
    databaseId: 1,
    name: null,
    url: 'https://example.com/hook',
    externalId: null,
  },
});

/** Opens the list over the real service, which only its deliveries do not come from: there are `rows` of them. */
async function openList(page: Page, stack: DashboardStack, rows: number): Promise<void> {
  await page.route('**/graphql', async (route) => {
    const { query, variables } = route.request().postDataJSON();
    if (!/\bquery Deliveries\b/.test(query)) {
      return route.fallback();
    }
    const from = variables.after === null ? rows : Number(variables.after) - 1;
    const nodes = Array.from({ length: Math.min(100, from) }, (_, at) => deliveryOf(from - at));
    const pageInfo = { hasNextPage: from > 100, endCursor: String(nodes.at(-1)?.databaseId) };
    return route.fulfill({
      json: { data: { deliveries: { edges: nodes.map((node) => ({ node })), pageInfo } } },
    });
  });
  await page.goto(`/console/tenants/${stack.delivery.tenantId}/deliveries`);
  await page.getByLabel('API key').fill(stack.key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.mouse.move(0, 0);
  await page.getByText('loaded; scroll for more').waitFor();
}

async function openStack(): Promise<DashboardStack> {
  const stack = await DashboardStack.open();
  onTestFinished(() => stack[Symbol.asyncDispose]());
  return stack;
}

/** Runs in the page, before its own scripts: a stream of updates in place of the service's. */
const streamUpdates = `{
  const ask = window.fetch;
  window.fetch = (input, init) => {
    if (!String(input).endsWith('/graphql/stream') || !String(init.body).includes('DeliveryUpdates')) {
      return ask(input, init);
    }
    const body = new ReadableStream({ start: (controller) => (window.sendUpdate = (delivery) => controller.enqueue(
      new TextEncoder().encode('event: next\\ndata: ' + JSON.stringify({ id: '0', payload: { data: { deliveryUpdated: {
        __typename: 'DeliveryUpdate', cursor: 'c' + delivery.databaseId, resync: false, delivery } } } }) + '\\n\\n'))) });
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  };
}`;

browserTest(
  'a hundred updates a second are shown ten times a second, and keep the page busy less than half of the time',
  async ({ open }) => {
    const stack = await openStack();
    const { page } = await open({ origin: stack.origin, height: 2_000 });
    await page.addInitScript(streamUpdates);
    await openList(page, stack, 1_000);
    await eventually(async () => await page.evaluate('window.sendUpdate !== undefined'));
    const updates = Array.from({ length: UPDATES }, (_, at) =>
      at % 2 === 0 ? deliveryOf(1_001 + at, 'PENDING') : deliveryOf(1_000 + at),
    );
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
    const workedMs = await threadMs(devtools);
    const began = performance.now();
    await page.evaluate(`new Promise((resolve) => {
    const updates = ${JSON.stringify(updates)};
    window.renders = 0;
    new MutationObserver(() => renders += 1).observe(document.querySelector('tbody'), { childList: true });
    const timer = setInterval(() => {
      for (const update of updates.splice(0, ${UPDATES_PER_SECOND / 50})) sendUpdate(update);
      if (updates.length === 0) { clearInterval(timer); resolve(); }
    }, 20);
  })`);
    const seconds = (performance.now() - began) / 1_000;
    const renders = await page.evaluate<number>('renders');
    const busyMs = (await threadMs(devtools)) - workedMs;
    console.info(
      `${UPDATES} updates in ${seconds.toFixed(1)} s: ${renders} renders, ${(busyMs / renders).toFixed(1)} ms for each`,
    );
    expect(await page.getByRole('table', { name: 'Deliveries' }).locator('tr[aria-rowindex]').count()).toBeGreaterThan(
      35,
    );
    // Updates are collected for 100 ms.
    expect(renders).toBeLessThan(seconds * 12);
    expect(renders).toBeGreaterThan(seconds * 3);
    expect(busyMs / 1_000).toBeLessThan(seconds * BUSY_PART_MAX);
  },
);

browserTest('rows without end are scrolled through in bounded memory', async ({ open }) => {
  const stack = await openStack();
  const { page } = await open({ origin: stack.origin });
  await openList(page, stack, ROWS);
  const devtools = await page.context().newCDPSession(page);
  const table = page.getByRole('table', { name: 'Deliveries' });
  await scrollTo(page, 2_500);
  const early = await heapOf(devtools);
  await scrollTo(page, ROWS);
  const late = await heapOf(devtools);
  await page.getByText(`${ROWS.toLocaleString('en')} in total.`).waitFor();
  console.info(`after 2,500 rows ${early.toFixed(1)} MB, after ${ROWS} rows ${late.toFixed(1)} MB`);
  expect(late).toBeLessThan(early + 3);
  expect(await table.locator('tr').count()).toBeLessThan(60);
  await page.evaluate(`document.querySelector('table').parentElement.scrollTop = 30 * 1000`);
  await table.locator(`a[href$="/deliveries/${ROWS - 1_005}"]`).waitFor();
});

/** Scrolls to the end of what is read, until so many rows are. */
async function scrollTo(page: Page, rows: number): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const box = document.querySelector('table').parentElement;
    const step = () => {
      box.scrollTop = box.scrollHeight;
      if (box.scrollHeight >= ${rows} * 30) resolve(); else setTimeout(step, 4);
    };
    step();
  })`);
}

async function heapOf(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage');
  return (await devtools.send('Runtime.getHeapUsage')).usedSize / 1e6;
}

/** How long the page's thread has worked so far. */
async function threadMs(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000;
}

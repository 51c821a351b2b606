import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { BUILT_FOLDER } from '../../src/api/dashboard/pages.js';
import { PLATFORM_ADMIN, SCOPES } from '../../src/domain/keys/scopes.js';
import { seed } from '../seed/seed.js';
import { axeViolations } from '../support/browser/axe.js';
import { browserTest } from '../support/browser/browser-test.js';
import { DashboardSite } from '../support/dashboard-site.js';
import { eventually } from '../support/eventually.js';
import { makeKey } from '../support/factories.js';

let site: DashboardSite;
let tenantId: number;
let keys: { platform: string; tenant: string };

beforeAll(async () => {
  site = await DashboardSite.open({
    folder: BUILT_FOLDER,
    fill: async (services) => {
      const { tenants } = await seed(services);
      tenantId = tenants[0]!.id;
      const key = async (id: number | null) =>
        (await makeKey(services, id, id === null ? [PLATFORM_ADMIN] : SCOPES)).key;
      keys = { platform: await key(null), tenant: await key(tenantId) };
    },
  });
});
afterAll(() => site[Symbol.asyncDispose]());

async function show(page: Page, path: string): Promise<void> {
  const isPortal = path.startsWith('/portal');
  const session = JSON.stringify({ token: isPortal ? keys.tenant : keys.platform, expiresAt: null });
  const name = `hookwright.${isPortal ? 'portal-session' : 'session'}`;
  await page.addInitScript(`sessionStorage.setItem('${name}', ${JSON.stringify(session)})`);
  await page.goto(path);
}

const figuresIn = async (table: Locator, column: string) =>
  (await table.locator(`td[data-name="${column}"]`).allInnerTexts()).map((text) => Number(text.replaceAll(/\D/g, '')));
const isFalling = (figures: readonly number[]) => figures.every((one, at) => at === 0 || one <= figures[at - 1]!);

describe('the headings of a ranking', () => {
  browserTest('order the endpoints of all tenants, and the address keeps it', async ({ open }) => {
    const { page } = await open({ origin: site.origin });
    await show(page, '/console/worst');
    const table = page.getByRole('table', { name: 'Endpoint ranking' });
    const heading = (name: string) => table.getByRole('columnheader', { name });
    await table.locator('tbody tr').nth(2).waitFor();
    expect(await heading('Failed').getAttribute('aria-sort')).toBe('descending');
    expect(isFalling(await figuresIn(table, 'Failed'))).toBe(true);
    await table
      .getByRole('img', { name: /attempts, [\d,]+ failed/ })
      .first()
      .waitFor();

    await heading('Attempts').getByRole('button').click();
    await page.waitForURL(/by=ATTEMPTS/);
    await eventually(async () => isFalling(await figuresIn(table, 'Attempts')));
    await heading('Oldest wait').getByRole('button').click();
    await page.waitForURL(/by=WAIT/);
    await page.getByText(/ordered by the 500 worst endpoints/).waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  browserTest('order tenants, and the same heading again shows the failing ones first', async ({ open }) => {
    const { page } = await open({ origin: site.origin });
    await show(page, '/console/tenants');
    const table = page.getByRole('table', { name: 'Tenants' });
    const attempts = table.getByRole('columnheader', { name: 'Attempts' });
    await attempts.getByRole('button').click();
    await page.waitForURL(/by=ATTEMPTS/);
    await page.getByText(/ordered by the 500 worst endpoints/).waitFor();
    expect(await attempts.getAttribute('aria-sort')).toBe('descending');
    expect(isFalling(await figuresIn(table, 'Attempts'))).toBe(true);
    await attempts.getByRole('button').click();
    await page.getByText(/\d+ in total\./).waitFor();
    expect(page.url()).not.toContain('by=');
  });
});

describe('operations', () => {
  browserTest('say that they are about all endpoints, how fast they are and what is left', async ({ open }) => {
    const { rows } = await site.owner.query<{ id: number }>(
      `insert into hookwright.bulk_operations (tenant_id, kind, filter, from_id, cursor_id, to_id, total, processed, affected, actor)
       values ($1, 'RECOVER_DELIVERIES', '{}', 1, 1, 2, 10000, 1000, 1000, 'TENANT_KEY') returning id`,
      [tenantId],
    );
    const { page } = await open({ origin: site.origin });
    await show(page, '/portal/operations');
    const row = page.getByRole('table', { name: 'Operations' }).locator('tbody tr').first();
    await row.getByText('All endpoints').waitFor();
    await site.owner.query(
      'update hookwright.bulk_operations set processed = processed + 1000, affected = affected + 1000 where id = $1',
      [rows[0]!.id],
    );
    await row.getByText(/^\d+.* left$/).waitFor();
    await row.getByRole('link').first().click();
    await page.getByText('2,000 of 10,000 processed: 2,000 done, 0 skipped').waitFor();
    await site.owner.query('update hookwright.bulk_operations set processed = 3000, affected = 3000 where id = $1', [
      rows[0]!.id,
    ]);
    await page.getByText(/^[\d,]+ a minute · \d+.* left$/).waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });
});

describe('the settings of a tenant', () => {
  browserTest('use the whole width, and have a section of what cannot be undone', async ({ open }) => {
    const { page } = await open({ origin: site.origin });
    await show(page, `/console/tenants/${tenantId}/settings`);
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    const danger = page.getByRole('region', { name: 'Danger' });
    await danger.getByRole('heading', { name: 'Delete this tenant' }).waitFor();
    const [section, main] = await Promise.all([danger.boundingBox(), page.locator('main').boundingBox()]);
    expect(section!.width).toBeGreaterThan(0.9 * main!.width);
  });
});

describe('on a phone', () => {
  /** Nobody scrolls further than this for the first figure. */
  const SCREENS_MAX = 1.5;
  const HEIGHT_PX = 844;

  browserTest('a finger finds the boxes of rows, and a whole card opens', async ({ open }) => {
    const { page } = await open({ origin: site.origin, width: 390 });
    await show(page, '/portal/deliveries');
    const row = page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr[aria-rowindex]').first();
    const box = await row.locator('label').first().boundingBox();
    expect([box!.width, box!.height].every((side) => side >= 44)).toBe(true);
    const card = (await row.boundingBox())!;
    await page.mouse.click(card.x + card.width - 6, card.y + card.height - 6);
    await page.waitForURL(/\/deliveries\/\d+/);
  });

  for (const [path, figure] of [
    ['/portal/overview', 'Delivered'],
    ['/console/', 'Longest wait'],
  ] as const) {
    browserTest(`the first figure is near: ${path}`, async ({ open }) => {
      const { page } = await open({ origin: site.origin, width: 390, height: HEIGHT_PX });
      await show(page, path);
      const shown = page.locator('dl').getByText(figure, { exact: true }).first();
      // Parts that come later may hide it for a moment.
      const found = await eventually(() => shown.boundingBox());
      expect(found.y).toBeLessThan(SCREENS_MAX * HEIGHT_PX);
    });
  }
});

describe('at the width of a screen', () => {
  browserTest('German words keep the icons of the console, and the buttons of its tenants', async ({ open }) => {
    const { page } = await open({ origin: site.origin, locale: 'de-DE' });
    await show(page, '/console/tenants');
    const table = page.getByRole('table', { name: 'Mandanten' });
    await table.getByRole('button', { name: 'Bremsen' }).first().waitFor();
    const icons = page.getByRole('navigation').locator('svg');
    const widths = await icons.evaluateAll((all) => all.map((icon) => icon.getBoundingClientRect().width));
    expect(new Set(widths)).toEqual(new Set([16]));
    const cut = await table.evaluate((whole) => whole.scrollWidth - (whole.parentElement?.clientWidth ?? 0));
    expect(cut).toBeLessThanOrEqual(0);
  });

  browserTest('a phone shows the tab of the screen that was opened', async ({ open }) => {
    const { page } = await open({ origin: site.origin, width: 390, height: 844 });
    await show(page, '/portal/overview');
    const tab = page.getByRole('link', { name: 'Audit log' });
    await tab.press('Enter');
    await page.waitForURL(/audit/);
    await eventually(async () => {
      const { x = 0, width = 0 } = (await tab.boundingBox()) ?? {};
      return x >= 0 && width > 0 && x + width <= 390 && (await tab.getAttribute('aria-current')) === 'page';
    });
  });
});

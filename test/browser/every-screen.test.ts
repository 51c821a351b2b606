import { readFileSync } from 'node:fs';
import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { BUILT_FOLDER } from '../../src/api/dashboard/pages.js';
import { PLATFORM_ADMIN, SCOPES } from '../../src/domain/keys/scopes.js';
import { PORTAL_SCREENS } from '../../src/domain/portal/portal-paths.js';
import { seed } from '../seed/seed.js';
import { axeViolations } from '../support/browser/axe.js';
import { browserTest } from '../support/browser/browser-test.js';
import { answerOneByOne, layoutShift } from '../support/browser/layout-shift.js';
import { lowColumns, wastefulColumns } from '../support/browser/room.js';
import { untilStill } from '../support/browser/until-still.js';
import { DashboardSite } from '../support/dashboard-site.js';
import { eventually } from '../support/eventually.js';
import { makeKey } from '../support/factories.js';

const screens = readFileSync(new URL('../../dashboard/screens/screens.ts', import.meta.url), 'utf8');

/** The paths of a map of screens: `'/events/$number': () => …`. */
function routesIn(map: string): string[] {
  const [, text = ''] = new RegExp(`const ${map}\\b[^{]*{([^}]*)}`).exec(screens) ?? [];
  return [...text.matchAll(/'([^']+)': \(\)/g)].map(([, path = '']) => path);
}
const consoleRoutes = routesIn('consoleScreens');
const supportRoutes = routesIn('tenantSettingsScreens');

/** The endpoint that has most: it filters, shapes, and orders by a key that is blocked. */
const fullest = `(select webhook_id from hookwright.webhook_options where tenant_id = $1 and ordering_by = 'KEY')`;

/** Of the paths that name something: what there is, as SQL that gets the tenant's number. */
const examples: Record<string, string> = {
  '/events/$number': `select max(event_id) from hookwright.deliveries
    where tenant_id = $1 and event_type = 'payment.captured'`,
  '/catalogue/$name': `select 'payment.captured' where $1 > 0`,
  '/endpoints/$number': `select ${fullest}`,
  '/deliveries/$number': `select d.id from hookwright.deliveries d
    where d.tenant_id = $1 and d.webhook_id = ${fullest} and d.attempt_count > 1 order by d.id desc limit 1`,
  '/operations/$id': 'select max(id) from hookwright.bulk_operations where tenant_id = $1',
  '/event-types/$name': `select 'payment.captured' where $1 > 0`,
  '/event-types/$name/edit': `select 'payment.captured' where $1 > 0`,
};

let site: DashboardSite;
let keys: { platform: string; main: string; hostile: string };
let mainTenant: number;
let hostileTenant: number;

beforeAll(async () => {
  site = await DashboardSite.open({
    folder: BUILT_FOLDER,
    fill: async (services) => {
      const { tenants, hostileTenantId } = await seed(services);
      mainTenant = tenants[0]!.id;
      hostileTenant = hostileTenantId!;
      const key = async (tenantId: number | null) =>
        (await makeKey(services, tenantId, tenantId === null ? [PLATFORM_ADMIN] : SCOPES)).key;
      keys = { platform: await key(null), main: await key(mainTenant), hostile: await key(hostileTenant) };
    },
  });
});
afterAll(() => site[Symbol.asyncDispose]());

async function pathOf(route: string): Promise<string> {
  if (!route.includes('$')) {
    return route;
  }
  const sql = examples[route];
  if (sql === undefined) {
    throw new Error(`No test opens the route ${route}: add to the examples of this file what it can show.`);
  }
  const { rows } = await site.owner.query({ text: sql, values: [mainTenant], rowMode: 'array' });
  return route.replace(/\$\w+/, String(rows[0]?.[0]));
}

/** As somebody who is signed in with this key. */
async function show(page: Page, key: string, path: string): Promise<void> {
  const session = JSON.stringify({ token: key, expiresAt: null });
  const name = `hookwright.${path.startsWith('/portal') ? 'portal-session' : 'session'}`;
  await page.addInitScript(`sessionStorage.setItem('${name}', ${JSON.stringify(session)})`);
  await goTo(page, path);
}

/** Waits until all is there that the screen asks for. */
async function goTo(page: Page, path: string): Promise<void> {
  const asked = new Set<Request>();
  const ask = (request: Request) => request.url().endsWith('/graphql') && asked.add(request);
  const end = (request: Request) => asked.delete(request);
  page.on('request', ask).on('requestfinished', end).on('requestfailed', end);
  await page.goto(path);
  await page.locator('h1').first().waitFor();
  await eventually(() => asked.size === 0);
  await untilStill(page, 150);
  page.off('request', ask).off('requestfinished', end).off('requestfailed', end);
}

/** What reaches beyond the window, in a page that would have to be scrolled sideways, and cards that cut their content. */
async function overflow(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(`(() => {
    const { documentElement: root } = document;
    const width = root.clientWidth;
    const cut = [...document.querySelectorAll('main section')].filter((card) => card.scrollWidth > card.clientWidth + 1);
    if (root.scrollWidth <= width) {
      return cut.map((card) => card.scrollWidth + ' of ' + card.clientWidth + ' pixels in ' + card.innerText.slice(0, 60));
    }
    const reaching = [...document.querySelectorAll('body *')].filter((element) => {
      const { left, right } = element.getBoundingClientRect();
      return right > width + 1 || left < -1;
    });
    return [root.scrollWidth + ' of ' + width + ' pixels', ...reaching.slice(0, 6).map((element) =>
      element.tagName.toLowerCase() + '.' + String(element.className.baseVal ?? element.className).replaceAll(' ', '.')
        + ' ' + (element.textContent ?? '').slice(0, 40))];
  })()`);
}

/** Texts whose column has room for a word of at most 11 letters. */
async function cramped(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(`(() => {
    const found = [];
    const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { data, parentElement } = texts.currentNode;
      let column = parentElement;
      while (getComputedStyle(column).display.startsWith('inline')) {
        column = column.parentElement;
      }
      const { width, height } = column.getBoundingClientRect();
      const { fontSize } = getComputedStyle(parentElement);
      const isSeen = width > 1 && parentElement.checkVisibility({ visibilityProperty: true });
      if (isSeen && data.trim().length > 12 && width < 12 * parseFloat(fontSize) * 0.5) {
        found.push(Math.round(width) + ' pixels for ' + data.trim().slice(0, 40));
      }
    }
    return found;
  })()`);
}

async function turnAround(page: Page): Promise<void> {
  await page.evaluate(`document.documentElement.dir = 'rtl'`);
  await untilStill(page, 100);
}

const places = [
  { place: 'the portal', at: () => '/portal', key: () => keys.main, routes: PORTAL_SCREENS },
  { place: 'the console', at: () => '/console', key: () => keys.platform, routes: consoleRoutes },
  {
    // Its other screens are those of the portal, within the same frame.
    place: "the console's tenant",
    at: () => `/console/tenants/${mainTenant}`,
    key: () => keys.platform,
    routes: ['/overview', ...supportRoutes],
  },
];

describe.each(places)('of $place', ({ at, key, routes }) => {
  for (const route of routes) {
    browserTest(`the screen ${route} is sound, light and dark, wide and narrow`, async ({ open }) => {
      const { page } = await open({ origin: site.origin });
      const path = at() + (await pathOf(route));
      await show(page, key(), path);
      expect(await page.locator('h1').allInnerTexts()).toEqual([expect.stringMatching(/\S/)]);
      expect(await page.title()).not.toMatch(/^(Webhooks|Hookwright)?$/);
      expect(await axeViolations(page), 'light and wide').toEqual([]);
      expect(await overflow(page), 'light and wide').toEqual([]);
      expect(await lowColumns(page), 'wide').toEqual([]);
      expect(await wastefulColumns(page), 'wide').toEqual([]);

      await page.emulateMedia({ colorScheme: 'dark' });
      await page.setViewportSize({ width: 390, height: 844 });
      await untilStill(page, 100);
      expect(await axeViolations(page), 'dark and narrow').toEqual([]);
      expect(await overflow(page), 'narrow').toEqual([]);
      for (const width of [320, 360]) {
        await page.setViewportSize({ width, height: 740 });
        await untilStill(page, 100);
        expect(await overflow(page), `in ${width} pixels`).toEqual([]);
      }
      expect(await cramped(page), 'in 360 pixels').toEqual([]);
      await turnAround(page);
      expect(await overflow(page), 'narrow, from right to left').toEqual([]);

      await goTo(page, `${path}?locale=de`);
      expect(await page.locator('html').getAttribute('lang')).toBe('de');
      expect(await overflow(page), 'narrow, in German').toEqual([]);
      await turnAround(page);
      expect(await overflow(page), 'narrow, in German, from right to left').toEqual([]);
    });
  }
});

/** How much of a screen may move while it loads, in the unit of the Layout Instability API. */
const SHIFT_MAX = 0.05;
/** The longer search for what moves now and then loads each screen ten times: `LOADS=10`. */
const LOADS = Number(process.env['LOADS'] ?? 1);

describe.each([1280, 390])('while it loads in %d pixels, nothing moves on', { timeout: 90_000 * LOADS }, (width) => {
  async function expectStill(page: Page, key: string, path: string, loads: number) {
    for (let load = 1; load <= loads; load += 1) {
      await show(page, key, path);
      const { sum, moved } = await layoutShift(page);
      expect.soft(sum, `${path}, load ${load}\n${moved.join('\n')}`).toBeLessThanOrEqual(SHIFT_MAX);
    }
  }

  browserTest('the screens of the portal', async ({ open }) => {
    const { page } = await open({ origin: site.origin, width });
    await answerOneByOne(page);
    for (const route of [...PORTAL_SCREENS, '/endpoints/4']) {
      await expectStill(page, keys.main, `/portal${await pathOf(route)}`, LOADS);
    }
  });

  browserTest('the list of deliveries, in ten loads', async ({ open }) => {
    const { page } = await open({ origin: site.origin, width });
    await answerOneByOne(page);
    await expectStill(page, keys.main, '/portal/deliveries', 10);
  });

  browserTest('the screens of the console', async ({ open }) => {
    const { page } = await open({ origin: site.origin, width });
    await answerOneByOne(page);
    for (const route of [...consoleRoutes, ...supportRoutes.map((route) => `/tenants/${mainTenant}${route}`)]) {
      await expectStill(page, keys.platform, `/console${await pathOf(route)}`, LOADS);
    }
  });
});

/** Directions that nobody sees, in text nodes: what is in fields is shown as it is. */
const hiddenCharacters = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const found = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      if (/[\\u202A-\\u202E\\u2066-\\u2069\\u200B\\uFEFF]/.test(texts.currentNode.data)) {
        found.push(texts.currentNode.parentElement.outerHTML.slice(0, 200));
      }
    }
    return found;
  })()`);

/** What the hostile texts would be, if they were taken for markup. */
const INJECTED = 'img[src="x"], body script:not([src^="/dashboard/"]), [onerror], a[href^="javascript:"]';
const OPENS_WITHIN_MS = 5_000;

describe('what an attacker has chosen is shown as text, and runs nowhere', () => {
  const expectText = async (page: Page) => {
    expect(await page.locator(INJECTED).count()).toBe(0);
    expect(await hiddenCharacters(page)).toEqual([]);
    expect(await overflow(page)).toEqual([]);
  };
  const numbers = async (sql: string): Promise<number[]> => {
    const { rows } = await site.owner.query<{ id: number }>(sql, [hostileTenant]);
    expect(rows.length).toBeGreaterThan(1);
    return rows.map(({ id }) => id);
  };

  browserTest('in lists', async ({ open }) => {
    const { page } = await open({ origin: site.origin, width: 390 });
    const lists = ['overview', 'endpoints', 'deliveries', 'events', 'catalogue', 'keys', 'audit', 'operations'];
    for (const list of lists) {
      await show(page, keys.hostile, `/portal/${list}`);
      await page.getByText('<img src=x onerror=').first().waitFor();
      await page.getByText('U+202E').first().waitFor();
      await expectText(page);
    }
    expect(await page.title()).toMatch(/<img src=x.*U\+202E/);
  });

  browserTest('in the console', async ({ open }) => {
    const { page } = await open({ origin: site.origin, width: 390 });
    for (const path of ['/tenants', '/worst', '/audit', `/tenants/${hostileTenant}/settings`]) {
      await show(page, keys.platform, `/console${path}`);
      await expectText(page);
    }
    await page.getByText('<img src=x onerror=').first().waitFor();
  });

  browserTest('in endpoints and their addresses', async ({ open }) => {
    const { page } = await open({ origin: site.origin, width: 390 });
    for (const id of await numbers('select id from hookwright.webhooks where tenant_id = $1')) {
      await show(page, keys.hostile, `/portal/endpoints/${id}`);
      await expectText(page);
    }
  });

  browserTest('in payloads, of 256 KiB too', async ({ open }) => {
    const { page } = await open({ origin: site.origin, width: 390 });
    const oneOfEach = `select max(id) as id from hookwright.events where tenant_id = $1 group by body::text order by max(length(body::text))`;
    for (const id of await numbers(oneOfEach)) {
      const startedAt = performance.now();
      await show(page, keys.hostile, `/portal/events/${id}`);
      expect(performance.now() - startedAt).toBeLessThan(OPENS_WITHIN_MS);
      await expectText(page);
    }
  });

  browserTest('in the answers of receivers, bodies and headers', async ({ open }) => {
    const { page } = await open({ origin: site.origin });
    const oneOf = (each: string) =>
      `select max(delivery_id) as id from hookwright.attempts where tenant_id = $1 group by ${each}`;
    const shown: string[] = [];
    for (const id of await numbers(`${oneOf('md5(response_body)')} union ${oneOf('md5(response_headers::text)')}`)) {
      const startedAt = performance.now();
      await show(page, keys.hostile, `/portal/deliveries/${id}`);
      expect(performance.now() - startedAt).toBeLessThan(OPENS_WITHIN_MS);
      await expectText(page);
      shown.push(await page.locator('main').innerText());
    }
    const most = (text: string) => Math.max(...shown.map((page) => page.split(text).length - 1));
    expect(most('<img src=x onerror=')).toBeGreaterThan(40);
    expect(most('U+202E')).toBeGreaterThan(90);
  });
});

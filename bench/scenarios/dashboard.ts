import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { cpuPer, heapMiB, launch, tasksDuring } from '../browser.js';
import { firstVisit } from '../first-visit.js';
import { median } from '../histogram.js';
import type { Service } from '../installation.js';
import type { Rig } from '../rig.js';
import { type Measurement, nothingDelivered, type Scenario } from '../scenario.js';
import { OTHER_TENANTS, seedHistory } from '../seed-history.js';

const WEBHOOKS = 5;
const DAYS = 5;
/** Something over half of them are the measured tenant's. */
const DELIVERIES = 200_000;
const ROWS = 100_000;
/** By then the list keeps as many pages as it ever does. */
const ROWS_BEFORE = 5_000;
const LOADS = 5;
/** Each delivery is two updates: it is there, and it has arrived. */
const EMITS_PER_SECOND = 50;
/** The page collects updates for this long before it shows them. */
const FLUSH_MS = 100;
const SETTLE_MS = 2_000;
const FIRST_ROW_TIMEOUT_MS = 30_000;
const PATH = '/portal/deliveries';
const GROUP = 'live';

/** A person's browser on the list of deliveries: how soon it is there, what updates cost, and what it keeps. */
export const dashboard: Scenario = {
  name: 'dashboard',
  title: `the list of deliveries in a browser: first screen, ${2 * EMITS_PER_SECOND} updates/s, ${ROWS.toLocaleString('en')} rows`,
  runs: 1,
  delivers: false,
  // It scrolls faster than a person does.
  settings: { MANAGEMENT_RATE_MAX: '100000', MANAGEMENT_BURST_MAX: '100000' },
  async prepare(rig) {
    await (await launch()).close(); // rather than to find out after the preparations
    const { installation } = rig;
    const database = await installation.stopAllInOne(await installation.start());
    const { rows } = await database.pool.query<{ id: string }>('select min(id) as id from hookwright.tenants');
    for (let i = 0; i < OTHER_TENANTS; i++) {
      await installation.makeTenant(`other ${i + 1}`);
    }
    const tenantId = Number(rows[0]!.id);
    await seedHistory(database, { tenantId, deliveries: DELIVERIES, days: DAYS, webhooks: WEBHOOKS });
    // So that the daemon has nothing to do but what is measured.
    await database.pool.query(`update hookwright.webhooks set event_types = '{booking.canceled}'`);
    await database.pool.query(
      `update hookwright.deliveries set status = 'SUCCEEDED', finished_at = now() where status = 'PENDING'`,
    );
    const service = await installation.startApi();
    await installation.startDaemon();
    await rig.subscribe(service, GROUP, 1);
    const platformKey = await installation.makePlatformKey();

    return async (): Promise<Measurement> => {
      const browser = await launch();
      try {
        const details = {
          ...(await firstScreens(browser, service)),
          ...(await slowVisits(browser, service, platformKey)),
          ...(await updateCost(browser, service, rig)),
          ...(await memoryOfRows(browser, service)),
        };
        return { ...nothingDelivered, details };
      } finally {
        await browser.close();
      }
    };
  },
};

/** A page as in a window of its own, signed in, that notes when the first row of its list is painted. */
async function newPage(browser: Browser, { apiKey }: Service): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 1400 } });
  const session = JSON.stringify({ token: apiKey, expiresAt: null });
  await context.addInitScript(`
    sessionStorage.setItem('hookwright.portal-session', ${JSON.stringify(session)});
    new MutationObserver((_, observer) => {
      if (document.querySelector('tbody tr[aria-rowindex]') !== null) {
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => { globalThis.firstRowAt = performance.now(); }));
      }
    }).observe(document, { subtree: true, childList: true });`);
  return await context.newPage();
}

/** Goes to the list. @returns ms from the start of the navigation until its first row is painted */
async function open(page: Page, { origin }: Service): Promise<number> {
  await page.goto(origin + PATH);
  return await page.evaluate<number>(`new Promise((resolve, reject) => {
    const look = () => {
      if (globalThis.firstRowAt !== undefined) {
        resolve(globalThis.firstRowAt);
      } else if (performance.now() > ${FIRST_ROW_TIMEOUT_MS}) {
        reject(new Error('No row came: ' + document.body.innerText.slice(0, 200)));
      } else {
        setTimeout(look, 20);
      }
    };
    look();
  })`);
}

async function firstScreens(browser: Browser, service: Service): Promise<Record<string, number>> {
  const cold: number[] = [];
  const warm: number[] = [];
  for (let i = 0; i < LOADS; i++) {
    const page = await newPage(browser, service);
    cold.push(await open(page, service));
    warm.push(await open(page, service));
    await page.context().close();
  }
  return { firstRowColdMs: median(cold)!, firstRowWarmMs: median(warm)! };
}

/** The first screens of portal and console over a slow line. */
async function slowVisits(browser: Browser, service: Service, platformKey: string): Promise<Record<string, number>> {
  const visit = async (path: string, kept: string, token: string) => {
    const visits: Awaited<ReturnType<typeof firstVisit>>[] = [];
    for (let i = 0; i < LOADS; i++) {
      visits.push(await firstVisit(browser, service.origin + path, [kept, { token, expiresAt: null }]));
    }
    const middle = (figure: 'scripts' | 'bytes' | 'lcpMs') => median(visits.map((one) => one[figure]))!;
    return { scripts: middle('scripts'), kilobytes: middle('bytes') / 1000, lcpMs: middle('lcpMs') };
  };
  const portal = await visit('/portal/overview', 'hookwright.portal-session', service.apiKey);
  const console = await visit('/console/', 'hookwright.session', platformKey);
  return {
    portalScripts: portal.scripts,
    portalKilobytes: portal.kilobytes,
    portalSlowLcpMs: portal.lcpMs,
    consoleScripts: console.scripts,
    consoleKilobytes: console.kilobytes,
    consoleSlowLcpMs: console.lcpMs,
  };
}

async function updateCost(browser: Browser, service: Service, rig: Rig): Promise<Record<string, number>> {
  const page = await newPage(browser, service);
  await open(page, service);
  const load = rig.emitSteadily(service, EMITS_PER_SECOND, 600);
  await delay(SETTLE_MS);
  const tasks = await tasksDuring(page, () => delay(rig.seconds * 1000));
  await load.stop();
  await page.context().close();
  const perFlush = cpuPer(FLUSH_MS, tasks).sort((a, b) => a - b);
  const at = (part: number) => perFlush[Math.min(perFlush.length - 1, Math.floor(perFlush.length * part))]!;
  return {
    flushes: perFlush.length,
    flushMedianMs: at(0.5),
    flushP95Ms: at(0.95),
    longestTaskMs: Math.max(...tasks.map(({ cpu }) => cpu)),
  };
}

async function memoryOfRows(browser: Browser, service: Service): Promise<Record<string, number>> {
  const page = await newPage(browser, service);
  await open(page, service);
  await scrollTo(page, ROWS_BEFORE);
  const before = await heapMiB(page);
  const startedAt = performance.now();
  await scrollTo(page, ROWS);
  const scrollSeconds = (performance.now() - startedAt) / 1000;
  const after = await heapMiB(page);
  await page.context().close();
  return {
    heapBeforeMiB: before,
    heapAfterMiB: after,
    heapGrowthMiB: after - before,
    scrollSeconds,
  };
}

/** @throws Error when the list ends before */
async function scrollTo(page: Page, rows: number): Promise<void> {
  const reached = await page.evaluate<number>(`(async () => {
    const list = document.querySelector('table[aria-rowcount]');
    const last = () => Math.max(...[...list.querySelectorAll('tr[aria-rowindex]')].map((row) => Number(row.getAttribute('aria-rowindex'))));
    let reached = 0;
    for (let at = performance.now(); reached < ${rows} && performance.now() < at + 10_000;) {
      list.parentElement.scrollTop = list.parentElement.scrollHeight;
      await new Promise(requestAnimationFrame);
      if (last() > reached) {
        reached = last();
        at = performance.now();
      }
    }
    return reached;
  })()`);
  if (reached < rows) {
    throw new Error(`The list ended, or stopped, at row ${reached}; ${rows} were to be scrolled through.`);
  }
}

import { get } from 'node:http';
import type { FrameLocator, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { axeViolations } from '../support/browser/axe.js';
import { browserTest } from '../support/browser/browser-test.js';
import { otherBuild } from '../support/browser/other-build.js';
import { ParentSite } from '../support/browser/parent-site.js';
import { DashboardStack } from '../support/dashboard-stack.js';
import { eventually } from '../support/eventually.js';
import { heard, startProgram } from '../support/program.js';

let stack: DashboardStack;
let parent: ParentSite;
let stranger: ParentSite;
beforeAll(async () => {
  [stack, parent, stranger] = await Promise.all([DashboardStack.open(), ParentSite.open(), ParentSite.open()]);
  await stack.delivery.webhook(stack.receiver.url);
});
afterAll(() => Promise.all([stack, parent, stranger].map((part) => part[Symbol.asyncDispose]())));

const ALL = ['MANAGE_ENDPOINTS', 'SEND', 'SEE_SECRETS', 'BULK', 'MANAGE_KEYS'];

/** What `createPortalSession` gives; by default for frames of the parent site. */
async function createSession(input: Record<string, unknown> = {}): Promise<{ url: string; id: string }> {
  const { body } = await stack.api.graphql(
    `mutation ($input: CreatePortalSessionInput!) { createPortalSession(input: $input) { url session { id } } }`,
    { input: { capabilities: ALL, parentOrigins: [parent.origin], ...input } },
  );
  expect(body.errors).toBeUndefined();
  const { url, session } = body.data.createPortalSession;
  return { url, id: session.id };
}

const revoke = (id: string) =>
  stack.api.graphql(`mutation ($id: ID!) { revokePortalSession(input: { id: $id }) { session { id } } }`, {
    id,
  });

/** How many sessions were opened so far. */
const opened = async () =>
  (await stack.delivery.rows(`select id from hookwright.api_keys where portal_exchanged_at is not null`)).length;

/** All sessions that are open now end now, though their page does not know. */
const expireAll = () =>
  stack.delivery.rows(
    `update hookwright.api_keys set expires_at = now() where portal_exchanged_at is not null and expires_at > now()`,
  );

/** A page of the parent site, in which Hookwright's script shows the portal with sessions of `nextSession`. */
const embedding = (options = '{}', head = '') =>
  parent.page(
    '/',
    `${head}<div id="webhooks"></div><script src="${stack.origin}/portal/embed.js"></script>
     <script>
       const ended = [];
       const mounted = Hookwright.mount(webhooks, { session: nextSession, onEnded: (why) => ended.push(why), ...${options} });
     </script>`,
  );

/** Answers the page's questions for a session. @returns says how many it was given */
async function giveSessions(page: Page): Promise<() => number> {
  let given = 0;
  await page.exposeFunction('nextSession', async () => {
    given += 1;
    return (await createSession()).url;
  });
  return () => given;
}

/** Opens that page, with sessions that `next` makes. */
async function embed(page: Page, next: () => Promise<string>, options = '{}'): Promise<FrameLocator> {
  await page.exposeFunction('nextSession', next);
  await page.goto(embedding(options));
  const frame = page.frameLocator('iframe');
  await frame.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  return frame;
}

const portalFrame = (page: Page) => page.frames().find((frame) => frame.url().startsWith(stack.origin))!;

const isViewer = (body: string | null) => body?.includes('"operationName":"Viewer"') ?? false;

/** Marks what is shown: the mark goes when it is made anew. */
const mark = (page: Page) => portalFrame(page).evaluate('document.getElementById("screen").id = "marked"');
const marked = (frame: FrameLocator) => frame.locator('#marked');

/** Where a server on this machine leads somebody who opened it by another name. */
const ledTo = (url: URL, host: string) =>
  new Promise<string | undefined>((resolve, reject) => {
    get(url, { headers: { host } }, ({ headers }) => resolve(headers.location)).on('error', reject);
  });

describe('the example page', () => {
  browserTest('shows the portal of its customer, as high as its content, and closes it', async ({ open }) => {
    const example = startProgram(
      ['examples/embedding/server.mjs'],
      { HOOKWRIGHT_URL: stack.origin, HOOKWRIGHT_KEY: stack.key, PORT: '0' },
      { program: process.execPath },
    );
    try {
      const said = heard(example);
      const url = await eventually(() => /http:\S+/.exec(said.output)?.[0] ?? Promise.reject(said.errors));
      // Sessions name one origin as that of the page, so every other one shows an empty frame.
      expect(await ledTo(new URL(url), new URL(url).host.replace('localhost', '127.0.0.1'))).toBe(url);
      const { page } = await open({ height: 2_000, allow: [/401/] });
      await page.goto(url);
      const frame = page.frameLocator('iframe');
      await frame.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      expect(await page.locator('iframe').getAttribute('title')).toBe('Webhooks');
      expect(await axeViolations(page)).toEqual([]);
      const height = () => page.evaluate<number>('document.querySelector("iframe").clientHeight');
      expect(await height()).toBe(600);
      for (let made = 0; made < 30; made += 1) {
        await stack.delivery.webhook(stack.receiver.url);
      }
      await frame.getByRole('link', { name: 'Endpoints' }).click();
      await eventually(async () => (await height()) > 1_000);

      await page.getByLabel('Theme').selectOption('dark');
      await frame.locator('html[data-theme=dark]').waitFor();
      await page.getByLabel('Language').selectOption('de');
      await frame.locator('html[lang=de]').waitFor();

      const { body } = await stack.api.graphql('{ portalSessions(first: 1) { edges { node { id } } } }');
      await revoke(body.data.portalSessions.edges[0].node.id);
      await page.getByRole('button', { name: 'Open them again' }).click();
      await frame.getByRole('heading', { level: 1 }).waitFor();
    } finally {
      example.kill();
    }
  });
});

describe('a framed portal', () => {
  browserTest('is renewed by its parent page, and its screen stays as it is', async ({ open }) => {
    const { page } = await open();
    await page.clock.install();
    const frame = await embed(page, async () => (await createSession()).url);
    const before = await opened();
    await mark(page);
    // With each token it is asked whose it is, and again when it has taken the place of the one before.
    const renewed = () => {
      let asked = 0;
      return page.waitForResponse((answer) => isViewer(answer.request().postData()) && ++asked === 2);
    };
    await page.clock.fastForward('57:50');
    expect(await opened()).toBe(before);
    await Promise.all([renewed(), page.clock.fastForward('00:20')]);
    await Promise.all([renewed(), page.clock.fastForward('58:10')]);
    expect(await opened()).toBe(before + 2);
    await marked(frame).waitFor();
  });

  browserTest('that slept through its end is renewed when it wakes, as its streams are', async ({ open }) => {
    const { page } = await open({ allow: [/401/] });
    await page.clock.install();
    const frame = await embed(page, async () => (await createSession()).url);
    const before = await opened();
    await mark(page);
    await page.clock.setSystemTime(Date.now() + 3_700_000);
    await expireAll();
    await eventually(async () => (await opened()) === before + 1, 20_000);
    await frame
      .getByRole('status', { name: 'Live' })
      .or(frame.getByText('Live', { exact: true }))
      .first()
      .waitFor();
    await marked(frame).waitFor();
  });

  browserTest('is shown anew with the rights of another session', async ({ open }) => {
    const { page } = await open();
    await page.clock.install();
    let capabilities = ALL;
    const frame = await embed(page, async () => (await createSession({ capabilities })).url);
    await frame.getByRole('link', { name: 'Keys' }).waitFor();
    await mark(page);
    capabilities = ['VIEW'];
    await page.clock.fastForward('58:10');
    await marked(frame).waitFor({ state: 'detached' });
    await frame.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    expect(await frame.getByRole('link', { name: 'Keys' }).count()).toBe(0);
  });

  browserTest('ends when nobody renews it', async ({ open }) => {
    const { page } = await open({ allow: [/no more/] });
    await page.clock.install();
    const links = [(await createSession()).url];
    const frame = await embed(page, () => Promise.resolve(links.shift() ?? Promise.reject(new Error('no more'))));
    await page.clock.fastForward('59:30');
    await frame.getByText('Your session ends within a minute.').waitFor();
    await page.clock.fastForward('01:00');
    await eventually(async () => {
      await page.clock.runFor(5_000);
      return (await page.evaluate<string[]>('ended'))[0] === 'expired';
    });
    await frame.getByText('Your session has expired.').waitFor();
  });

  browserTest('says so within seconds when it was revoked, and what to do', async ({ open }) => {
    const { page } = await open({ allow: [/401/] });
    const { url, id } = await createSession();
    const frame = await embed(page, async () => url);
    await revoke(id);
    await frame.getByText('Your session was revoked.').waitFor({ timeout: 6_000 });
    await frame.getByText('Reload this page to open').waitFor();
    await eventually(async () => (await page.evaluate<string[]>('ended'))[0] === 'refused');
  });

  browserTest('keeps nothing in the browser', async ({ open }) => {
    const { page } = await open();
    const frame = await embed(page, async () => (await createSession()).url);
    await frame.getByRole('button', { name: 'Preferences' }).click();
    await frame.getByRole('menuitem', { name: 'Dark' }).click();
    await frame.locator('html[data-theme=dark]').waitFor();
    const kept = '[sessionStorage.length, localStorage.length, document.cookie]';
    expect(await portalFrame(page).evaluate(kept)).toEqual([0, 0, '']);
    expect(await page.context().cookies()).toEqual([]);
  });
});

const heading = (frame: FrameLocator, name: string) => frame.getByRole('heading', { name, level: 1 }).waitFor();

let isNext = false;
/** The script of a screen, in the version that runs now. */
const scriptNow = () => (isNext ? /assets\/deliveries-[\w-]{8}_next\.js/ : /assets\/deliveries-[\w-]{8}\.js/);

/** Another version takes the place of the service: all its files have other names. */
async function upgrade(): Promise<void> {
  await stack.stopApi();
  isNext = !isNext;
  await stack.startApi(isNext ? otherBuild() : undefined);
}

/** Whether the frame has all screens and the fonts, which come last. */
const hasAll = (page: Page) =>
  portalFrame(page).evaluate<boolean>(`['keys-', 'delivery-', 'uPlot', 'toast-viewport-'].every((name) =>
    performance.getEntriesByType('resource').some((entry) => entry.name.includes('/' + name)))
    && [...document.fonts].every((font) => font.status === 'loaded')`);

describe('a framed portal whose service is upgraded', () => {
  const allow = [/CONNECTION|SOCKET_NOT_CONNECTED|INCOMPLETE|Failed to fetch|40[134]|503/];

  browserTest('goes on, because it has all screens', async ({ open }) => {
    const { page } = await open({ allow: [/CONNECTION|SOCKET_NOT_CONNECTED|INCOMPLETE|401|503/] });
    const frame = await embed(page, async () => (await createSession()).url);
    await eventually(() => hasAll(page), 30_000);
    await mark(page);
    await upgrade();
    for (const name of ['Endpoints', 'Deliveries', 'Operations', 'Keys']) {
      await frame.getByRole('link', { name, exact: true }).click();
      await heading(frame, name);
    }
    await marked(frame).waitFor();
    expect(await page.evaluate('ended')).toEqual([]);
  });

  browserTest('opens again at the same screen with a new session, where it lacks one', async ({ open }) => {
    const { page } = await open({ allow });
    await page.route(scriptNow(), (route) => route.fulfill({ status: 404 }));
    let isAway = false;
    const places: string[] = [];
    await page.exposeFunction('seen', (path: string) => places.push(path));
    const next = async () => (isAway ? Promise.reject(new Error('503')) : (await createSession()).url);
    const frame = await embed(page, next, '{ onPlace: seen }');
    const before = await opened();
    await upgrade();
    isAway = true;
    await frame.getByRole('link', { name: 'Deliveries', exact: true }).click();
    await frame.getByText('This page was updated').waitFor();
    isAway = false;
    await heading(frame, 'Deliveries');
    expect(await opened()).toBe(before + 1);
    expect(await page.evaluate('ended')).toEqual([]);
    await eventually(() => places.at(-1) === '/deliveries');
    expect(places[0]).toBe('/overview');
  });

  browserTest('asks again for a script while the network is away for a second', async ({ open }) => {
    const { page } = await open({ allow: [/FAILED/] });
    let failures = 2;
    await page.route(scriptNow(), (route) => (failures-- > 0 ? route.abort('failed') : route.continue()));
    const frame = await embed(page, async () => (await createSession()).url);
    await mark(page);
    await frame.getByRole('link', { name: 'Deliveries', exact: true }).click();
    await heading(frame, 'Deliveries');
    await marked(frame).waitFor();
  });

  browserTest('asks again for the files of its page that a process of another version lacks', async ({ open }) => {
    const { page } = await open({ allow });
    const asked = new Set<string>();
    await page.route(/assets\/(portal|main|library|styles)-/, (route) => {
      const isFirst = !asked.has(route.request().url());
      asked.add(route.request().url());
      return isFirst ? route.fulfill({ status: 404 }) : route.continue();
    });
    const before = await opened();
    const frame = await embed(page, async () => (await createSession()).url);
    expect([asked.size, (await opened()) - before]).toEqual([4, 1]);
    await frame
      .locator('body')
      .evaluate((body) => getComputedStyle(body).fontFamily.includes('Inter') || Promise.reject());
  });

  browserTest('is opened by another link, and then given up, where its first script is missing', async ({ open }) => {
    const { page } = await open({ allow: [...allow, /shows nothing in the frame/] });
    await page.clock.install();
    await page.route(/assets\/portal-/, (route) => route.fulfill({ status: 404 }));
    const links = await giveSessions(page);
    await page.goto(embedding());
    await page.frameLocator('iframe').getByText('If this stays, load the page again.').waitFor();
    await page.clock.fastForward('00:08');
    await eventually(() => links() === 2);
    await eventually(async () => {
      await page.clock.runFor(8_000);
      return (await page.evaluate<string[]>('ended'))[0] === 'failed';
    });
    expect(links()).toBeLessThanOrEqual(3);
  });
});

/** Lets time pass in a page, second by second: what it asks for meanwhile is answered within the second. */
async function passSeconds(page: Page, seconds: number, enough: () => boolean | Promise<boolean>): Promise<void> {
  const asked = new Set<Request>();
  page.on('request', (request) => request.headers()['accept']?.includes('event-stream') || asked.add(request));
  page.on('requestfinished', (request) => asked.delete(request));
  page.on('requestfailed', (request) => asked.delete(request));
  for (let second = 0; second < seconds && !(await enough()); second += 1) {
    await page.clock.runFor(1_000);
    await eventually(async () => {
      await Promise.all(page.frames().map((frame) => frame.evaluate('0').catch(() => {}))); // its scripts have run
      return asked.size === 0;
    });
  }
}

const MISSING = [/404|Failed to fetch/];

describe('a page around a portal that lacks a script for five minutes', () => {
  const lacking: [script: string, pattern: RegExp][] = [
    ['of its screen', /assets\/deliveries-/],
    ['that starts it', /assets\/portal-/],
  ];
  for (const [script, pattern] of lacking) {
    browserTest(`${script} has at most 8 sessions, and comes back by itself`, async ({ open }) => {
      // Beside a busy processor the faked clock of the page may pass the time after which a frame counts as silent.
      const { page } = await open({ allow: [...MISSING, /shows nothing in the frame/, /^uncaught: $/] });
      await page.clock.install();
      let isMissing = true;
      await page.route(pattern, (route) => (isMissing ? route.fulfill({ status: 404 }) : route.continue()));
      const sessions = await giveSessions(page);
      const places: string[] = [];
      await page.exposeFunction('seen', (path: string) => places.push(path));
      await page.goto(embedding('{ path: "/deliveries", onPlace: seen }'));
      await passSeconds(page, 300, () => false);
      expect(places).toEqual([]);
      expect(sessions()).toBeGreaterThan(2);
      expect(sessions()).toBeLessThanOrEqual(8);
      expect(await page.evaluate('ended')).toEqual(['failed']);
      isMissing = false;
      const frame = page.frameLocator('iframe');
      await passSeconds(page, 120, () => frame.getByRole('heading', { name: 'Deliveries', level: 1 }).isVisible());
      await heading(frame, 'Deliveries');
      expect(sessions()).toBeLessThanOrEqual(10);
      await eventually(() => places.length === 1 && places[0] === '/deliveries');
    });
  }

  browserTest('hears once that it failed, also where the frame was silent before', async ({ open }) => {
    const { page } = await open({ allow: [...MISSING, /shows nothing in the frame/, /^uncaught: $/] });
    await page.clock.install();
    let isMissing = true;
    const links = await giveSessions(page);
    await page.route(/assets\/(portal|deliveries)-/, (route) => {
      const isStart = route.request().url().includes('/portal-');
      return isMissing && (!isStart || links() < 3) ? route.fulfill({ status: 404 }) : route.continue();
    });
    const places: string[] = [];
    await page.exposeFunction('seen', (path: string) => places.push(path));
    await page.goto(embedding('{ path: "/deliveries", onPlace: seen }'));
    await passSeconds(page, 200, () => links() === 4);
    expect(links()).toBe(4);
    expect(await page.evaluate('ended')).toEqual(['failed']);
    isMissing = false;
    await passSeconds(page, 120, () => places.length > 0);
    expect(await page.evaluate('ended')).toEqual(['failed']);
  });

  browserTest('says so in its language, and tries again when the person wants it', async ({ open }) => {
    const { page } = await open({ allow: MISSING, width: 390 });
    await page.clock.install();
    let isMissing = true;
    await page.route(/assets\/deliveries-/, (route) => (isMissing ? route.fulfill({ status: 404 }) : route.continue()));
    await page.exposeFunction('nextSession', async () => (await createSession({ locale: 'de' })).url);
    await page.goto(embedding('{ path: "/deliveries" }'));
    const frame = page.frameLocator('iframe');
    const said = frame.getByText('Diese Ansicht lässt sich gerade nicht laden.');
    await passSeconds(page, 30, () => said.isVisible());
    expect(await axeViolations(page, 'iframe')).toEqual([]);
    isMissing = false;
    await frame.getByRole('button', { name: 'Erneut versuchen' }).click();
    await heading(frame, 'Zustellungen');
  });

  browserTest('says so on a phone, where nothing opens another link, and goes on when asked', async ({ open }) => {
    for (const script of [/assets\/portal-/, /assets\/main-/]) {
      const { page } = await open({ allow: [...MISSING, /^uncaught/], width: 390 });
      let isMissing = true;
      await page.route(script, (route) => (isMissing ? route.fulfill({ status: 404 }) : route.continue()));
      await page.goto(parent.page('/', `<iframe title="Webhooks" src="${(await createSession()).url}"></iframe>`));
      const frame = page.frameLocator('iframe');
      await frame.getByText('A part of this page is missing.').waitFor();
      expect(await axeViolations(page, 'iframe')).toEqual([]);
      isMissing = false;
      await frame.getByRole('button', { name: 'Load it again' }).click();
      await heading(frame, 'Overview');
    }
  });

  browserTest('stays where the person goes meanwhile', async ({ open }) => {
    const { page } = await open({ allow: MISSING });
    await page.clock.install();
    await page.route(/assets\/deliveries-/, (route) => route.fulfill({ status: 404 }));
    const sessions = await giveSessions(page);
    await page.goto(embedding('{ path: "/deliveries" }'));
    const frame = page.frameLocator('iframe');
    await passSeconds(page, 30, () => frame.getByRole('button', { name: 'Try again' }).isVisible());
    await frame.getByRole('link', { name: 'Endpoints', exact: true }).click();
    await heading(frame, 'Endpoints');
    const before = sessions();
    await mark(page);
    await passSeconds(page, 120, () => false);
    await marked(frame).waitFor();
    expect(sessions()).toBe(before);
  });
});

describe('a page that takes the portal away before its link has come', () => {
  browserTest('hears nothing of it', async ({ open }) => {
    const { page } = await open();
    await page.clock.install();
    let links = 0;
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.exposeFunction('nextSession', async () => {
      links += 1;
      await held;
      return (await createSession()).url;
    });
    await page.goto(embedding());
    await page.evaluate('mounted.unmount()');
    release();
    for (let passed = 0; passed < 3; passed += 1) {
      await createSession();
      await page.clock.runFor(8_000);
    }
    expect(links).toBe(1);
    expect(await page.evaluate('ended')).toEqual([]);
  });
});

describe('a page that blocks the frame', () => {
  browserTest('by its policy, or cut off from the service, hears that nothing is shown', async ({ open }) => {
    const policy = `<meta http-equiv="content-security-policy" content="frame-src 'none'">`;
    for (const [blocked, says] of [
      [policy, /frame-src/],
      ['', /ERR_FAILED|frame/],
    ] as const) {
      const { page, problems } = await open({ allow: [says, /shows nothing in the frame/] });
      await page.clock.install();
      await page.exposeFunction('nextSession', async () => (await createSession()).url);
      if (blocked === '') {
        await page.route('**/portal/s/*', (route) => route.abort());
      }
      await page.goto(embedding('{}', blocked));
      await eventually(() => problems.some((problem) => says.test(problem)));
      await eventually(async () => {
        await page.clock.runFor(8_000);
        return (await page.evaluate<string[]>('ended'))[0] === 'failed';
      });
    }
  });
});

describe('how a framed portal looks', () => {
  browserTest('is what its session says, then the parent page, then the person', async ({ open }) => {
    const { page } = await open();
    const next = async () => (await createSession({ theme: 'DARK', locale: 'de-CH' })).url;
    await page.exposeFunction('nextSession', next);
    await page.goto(
      parent.page(
        '/element',
        `<script type="module" src="${stack.origin}/portal/embed.js"></script>
         <script>window.fetch = async () => Response.json({ url: await nextSession() });</script>
         <hookwright-portal session-url="/sessions" path="/deliveries?status=FAILED"></hookwright-portal>`,
      ),
    );
    const frame = page.frameLocator('iframe');
    await frame.locator('html[data-theme=dark][lang=de]').waitFor();
    await frame.getByText('Fehlgeschlagen').first().waitFor();
    const set = (name: string, value: string) =>
      page.evaluate(`document.querySelector('hookwright-portal').setAttribute('${name}', '${value}')`);
    await set('theme', 'light');
    await frame.locator('html[data-theme=light]').waitFor();
    await set('locale', 'en');
    await frame.locator('html[lang=en]').waitFor();
    await frame.getByRole('button', { name: 'Preferences' }).click();
    await frame.getByRole('menuitem', { name: 'Dark' }).click();
    await frame.locator('html[data-theme=dark]').waitFor();
    await set('theme', 'light');
    await set('locale', 'de');
    await frame.locator('html[lang=de][data-theme=dark]').waitFor();
  });
});

const ACCENTS = { accent: '#5b21b6', accentDark: '#c4b5fd' };

describe('the colours and forms of a framed portal', () => {
  browserTest('are those of its session, then of the page around it, and none that is refused', async ({ open }) => {
    const { page, problems } = await open({ allow: [/contrast of|path of the portal/] });
    const look = { ...ACCENTS, font: 'SERIF', radius: 0, header: false, transparent: true };
    const next = async () => (await createSession({ theme: 'DARK', look })).url;
    const frame = await embed(page, next, '{ path: "/nothing" }');
    await eventually(() => problems.some((problem) => problem.includes('must be a path of the portal')));
    await frame.locator('section').first().waitFor();
    const seen = () =>
      portalFrame(page).evaluate<string[]>(`[
        getComputedStyle(document.querySelector('[aria-current=page]')).borderBottomColor,
        getComputedStyle(document.documentElement).backgroundColor,
        getComputedStyle(document.querySelector('section')).borderTopLeftRadius,
        getComputedStyle(document.body).fontFamily.split(',')[0]]`);
    expect(await seen()).toEqual(['rgb(196, 181, 253)', 'rgba(0, 0, 0, 0)', '0px', 'Charter']);
    expect(await page.locator('iframe').evaluate((one) => (one as HTMLElement).style.colorScheme)).toBe('dark');
    expect(await frame.getByText('tenant', { exact: true }).count()).toBe(0);
    await frame.getByRole('button', { name: 'Preferences' }).click();
    await frame.getByRole('menuitem', { name: 'Deutsch' }).waitFor();
    expect(await frame.getByRole('menuitem', { name: 'Light' }).count()).toBe(0); // the ground is not the portal's
    await page.keyboard.press('Escape');
    expect(await axeViolations(page, 'iframe')).toEqual([]);

    await page.evaluate(`mounted.update({ theme: 'light', radius: 16, header: true, accent: '#f59e0b' })`);
    await eventually(() => problems.some((problem) => problem.includes('accent has a contrast of 1.9')));
    expect(await seen()).toEqual(['rgb(91, 33, 182)', 'rgba(0, 0, 0, 0)', '0px', 'Charter']);
    await page.evaluate(`mounted.update({ transparent: false, accent: '#0f766e' })`);
    await frame.getByText('tenant', { exact: true }).waitFor();
    await frame.locator('html[data-ground=own]').waitFor();
    expect((await seen()).filter((_, at) => at !== 1)).toEqual(['rgb(15, 118, 110)', '16px', 'Charter']);
    expect(await axeViolations(page, 'iframe')).toEqual([]);
  });
});

describe('a page that no session names', () => {
  browserTest('cannot frame the portal, and the link still works', async ({ open }) => {
    const { page, problems } = await open({ allow: [/frame-ancestors/, /ERR_BLOCKED_BY_RESPONSE/] });
    const { url } = await createSession();
    const before = await opened();
    await page.goto(stranger.page('/', `<iframe src="${url}"></iframe>`));
    await eventually(() => problems.some((problem) => problem.includes('frame-ancestors')));
    expect(await opened()).toBe(before);
    await embed(page, async () => url);
  });

  browserTest('is heard neither by the portal nor by the page around it', async ({ open }) => {
    const { page } = await open();
    const frame = await embed(page, async () => (await createSession({ theme: 'LIGHT' })).url);
    await frame.first().getByText('Get started').waitFor();
    await eventually(async () => (await page.evaluate('document.querySelector("iframe").clientHeight')) === 600);
    const intrusion = `<script>
      parent.frames[0].postMessage({ type: 'hookwright:look', theme: 'dark' }, '*');
      parent.postMessage({ type: 'hookwright:ended', why: 'refused' }, '*');
      parent.postMessage({ type: 'hookwright:height', height: 700 }, '*');
      parent.postMessage('said', '*');
    </script>`;
    // Another window of the parent page's own origin is not the parent page.
    for (const url of [stranger, parent].map((site) => site.page('/intruder', intrusion))) {
      await page.evaluate(`new Promise((resolve) => {
        addEventListener('message', ({ data }) => data === 'said' && resolve());
        const second = document.createElement('iframe');
        second.title = 'Intruder';
        second.src = ${JSON.stringify(url)};
        document.body.append(second);
      })`);
    }
    await page.evaluate(`mounted.update({ locale: 'de' })`);
    await frame.first().locator('html[lang=de]').waitFor();
    expect(await frame.first().locator('html').getAttribute('data-theme')).toBe('light');
    expect(await page.evaluate('[ended, document.querySelector("iframe").clientHeight]')).toEqual([[], 600]);
  });
});

describe('at top level', () => {
  browserTest('a portal whose script stays missing is loaded again, once at first', async ({ open }) => {
    const { page } = await open({ allow: [/./] }); // nothing of this page works
    await page.addInitScript(
      `const wait = setTimeout; window.setTimeout = (work, ms) => wait(work, ms < 60000 ? 10 : ms);`,
    );
    let [loads, asked] = [0, 0];
    page.on('request', (request) => {
      loads += request.isNavigationRequest() ? 1 : 0;
    });
    await page.route(/assets\/portal-/, (route) => {
      asked += 1;
      return route.fulfill({ status: 404 });
    });
    await page.goto(`${stack.origin}/portal`);
    await eventually(() => asked === 14 || Promise.reject(new Error(`${loads} loads, ${asked} requests`)));
    // Of each load: its element, and six imports.
    for (let waits = 0; waits < 10; waits += 1) {
      await page.evaluate('new Promise((resolve) => setTimeout(resolve))'); // fails where the page is loaded again
    }
    expect([loads, asked]).toEqual([2, 14]);
  });

  browserTest('a portal without a session, which lacks its page, says so', async ({ open }) => {
    const { page } = await open({ allow: MISSING, width: 390 });
    let isMissing = true;
    await page.route(/assets\/signed-out-/, (route) => (isMissing ? route.fulfill({ status: 404 }) : route.continue()));
    await page.goto(`${stack.origin}/portal`);
    await page.getByText('This page was updated').waitFor();
    isMissing = false;
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await page.getByRole('heading', { name: 'Link required' }).waitFor();
  });

  browserTest('a portal that a reload did not give its screen comes back by itself', async ({ open }) => {
    const { page } = await open({ allow: MISSING });
    // `page.clock` hides that a page was loaded again. Here a minute is two seconds.
    await page.addInitScript(`const wait = setTimeout; window.setTimeout = (work, ms) => wait(work, ms / 30);`);
    let isMissing = true;
    await page.route(/assets\/deliveries-/, (route) => (isMissing ? route.fulfill({ status: 404 }) : route.continue()));
    const { url } = await createSession({ path: '/deliveries' });
    await page.goto(url);
    await page.getByText('This page was updated').waitFor();
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await page.getByText('This screen cannot be loaded just now.').waitFor();
    await page.getByText('This page tries again by itself.').waitFor();
    isMissing = false;
    await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor();
  });

  browserTest('a portal says that its session ends, and leads back to where it came from', async ({ open }) => {
    const { page } = await open();
    await page.clock.install();
    const { url } = await createSession({ returnUrl: 'https://app.example.com/settings' });
    await page.goto(url);
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    expect(await page.title()).toBe('Overview · tenant');
    await page.reload();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.clock.fastForward('56:00');
    await page.getByText('Your session ends in 4 minutes.').waitFor();
    const back = page.getByRole('link', { name: 'Back to app.example.com' });
    expect(await back.getAttribute('href')).toBe('https://app.example.com/settings');
    expect(await axeViolations(page, 'aside')).toEqual([]);
    await page.clock.fastForward('04:01');
    await page.getByText('Your session has expired.').waitFor();
    expect(await back.getAttribute('href')).toBe('https://app.example.com/settings');
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });
});

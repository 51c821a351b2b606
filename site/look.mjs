// Opens the built site in a browser. Prints `ok …` or `FAILED …` for each check.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { chromium } from 'playwright-core';
import { browserPath, skipsBrowserTests } from '../test/support/browser/find-browser.ts';

if (skipsBrowserTests()) {
  console.log('skipped site: no browser');
  process.exit(0);
}

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
const server = createServer(({ url }, response) => {
  const { pathname } = new URL(url, 'http://site');
  const file = join(import.meta.dirname, 'dist', pathname.endsWith('/') ? `${pathname}index.html` : pathname);
  if (!existsSync(file)) {
    response.writeHead(404).end();
    return;
  }
  response.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream');
  response.end(readFileSync(file));
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({ executablePath: browserPath(), args: ['--no-sandbox'] });

async function check(name, options, look) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const faults = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('response', (response) => response.ok() || faults.push(`${response.status()} ${response.url()}`));
  page.setDefaultTimeout(20_000);
  await look(page).catch(({ message }) => faults.push(message));
  await context.close();
  console.log(faults.length === 0 ? `ok site: ${name}` : `FAILED site: ${name}: ${faults.join('; ')}`);
  process.exitCode ||= faults.length === 0 ? 0 : 1;
}

// Errors on the console are also violations of the policy that each page has.
await check('search leads to a heading', { viewport: { width: 1280, height: 900 } }, async (page) => {
  await page.goto(origin);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('searchbox').fill('systemd');
  await page.locator('#localsearch-list a').first().click();
  await page.waitForURL(/#/);
});
await check(
  'a phone shows pages, pictures and the menu',
  { viewport: { width: 390, height: 800 }, colorScheme: 'dark' },
  async (page) => {
    await page.goto(`${origin}/dashboard.html`);
    await page
      .locator('img')
      .first()
      .evaluate((picture) => picture.decode());
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (width > 390) {
      throw new Error(`settings.html is ${width} wide`);
    }
  },
);
await check('a link into the repository shows the file', {}, async (page) => {
  await page.goto(`${origin}/graphql.html`);
  const link = page.locator('a[href^="/repository/"]').first();
  const answer = await page.request.get(new URL(await link.getAttribute('href'), origin).href);
  if (!answer.ok()) {
    throw new Error(`${answer.status()} ${answer.url()}`);
  }
});
await browser.close();
server.close();

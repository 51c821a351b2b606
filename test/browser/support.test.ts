import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { axeViolations } from '../support/browser/axe.js';
import { browserTest } from '../support/browser/browser-test.js';
import { eventually } from '../support/eventually.js';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; require-trusted-types-for 'script'";

const pages: Record<string, string> = {
  '/good': '<title>Good</title><main><h1>Good</h1></main>',
  '/uncaught': '<script src="/throw.js"></script>',
  '/injecting': '<p id="place"></p><script src="/inject.js"></script>',
  '/inline': '<p style="color: red">red</p>',
  '/missing': '<img src="/nothing.png">',
  '/unreachable': '<script src="/unreachable.js"></script>',
  '/aborting': '<script src="/abort.js"></script>',
  '/inaccessible': '<title>Bad</title><main><h1>Bad</h1><input><img src="/good.png"></main>',
};
const scripts: Record<string, string> = {
  '/throw.js': `setTimeout(() => { throw new Error('nobody caught me') })`,
  '/inject.js': `place.innerHTML = '<b>bold</b>'`,
  '/unreachable.js': `fetch('/cut').catch(() => {})`,
  '/abort.js': `const c = new AbortController(); fetch('/never', { signal: c.signal }).catch(() => { document.title = 'aborted' }); setTimeout(() => c.abort())`,
};

const site = createServer((request, response) => {
  const { url = '' } = request;
  if (url === '/cut') {
    request.socket.destroy();
  } else if (url in scripts) {
    response.setHeader('content-type', 'text/javascript').end(scripts[url]);
  } else if (url in pages) {
    response.setHeader('content-type', 'text/html').setHeader('content-security-policy', POLICY);
    response.end(`<!doctype html><html lang="en"><link rel="icon" href="data:,">${pages[url]}`);
  } else if (url !== '/never') {
    response.writeHead(404).end();
  }
});
let origin = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});
afterAll(() => {
  site.closeAllConnections();
  site.close();
});

describe('what goes wrong in a page', () => {
  const cases: [path: string, sentence: string, problem: RegExp][] = [
    ['/uncaught', 'an exception that nobody caught', /uncaught: .*nobody caught me/],
    ['/injecting', 'HTML that a script injects past Trusted Types', /policy: require-trusted-types-for forbids/],
    ['/inline', 'a style that the content security policy forbids', /policy: style-src-attr forbids inline/],
    ['/missing', 'an answer of 404', /console: .*404.*nothing\.png/],
    ['/unreachable', 'a request that got no answer', /request: GET .*\/cut failed: net::ERR_EMPTY_RESPONSE/],
  ];
  for (const [path, sentence, problem] of cases) {
    browserTest(`is collected: ${sentence}`, async ({ open }) => {
      const { page, problems } = await open({ origin, allow: [/./] });
      await page.goto(path);
      await eventually(() => problems.some((line) => problem.test(line)) || Promise.reject(problems.join('\n')));
    });
  }

  browserTest('is nothing, where a page is good or breaks a request off itself', async ({ open }) => {
    const { page, problems } = await open({ origin });
    await page.goto('/good');
    await page.goto('/aborting');
    await page.waitForFunction('document.title === "aborted"');
    expect(problems).toEqual([]);
  });
});

describe('a page', () => {
  browserTest('has the size, theme, language and time zone that the test asks for', async ({ open }) => {
    const { page } = await open({
      origin,
      theme: 'dark',
      width: 390,
      height: 700,
      locale: 'de-DE',
      timeZone: 'Asia/Tokyo',
    });
    await page.goto('/good');
    const seen = await page.evaluate(`({
      size: [innerWidth, innerHeight],
      dark: matchMedia('(prefers-color-scheme: dark)').matches,
      language: navigator.language,
      time: new Date(0).toLocaleTimeString(),
    })`);
    expect(seen).toEqual({ size: [390, 700], dark: true, language: 'de-DE', time: '09:00:00' });
  });

  browserTest('is asked by axe, under Trusted Types too, who cannot use it', async ({ open }) => {
    const { page } = await open({ origin, allow: [/404/] });
    await page.goto('/good');
    expect(await axeViolations(page)).toEqual([]);
    await page.goto('/inaccessible');
    const violations = await axeViolations(page);
    expect(violations.map((text) => text.split(':', 1)[0])).toEqual(['image-alt', 'label']);
    expect(violations.join('\n')).toContain('  input: ');
  });
});

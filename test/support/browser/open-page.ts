import { type Browser, chromium, type Page } from 'playwright-core';
import { browserPath } from './find-browser.js';

/** Below vitest's limit of a test, so that what did not come is named, and a screenshot is taken. */
const WAIT_TIMEOUT_MS = 10_000;

export interface PageOptions {
  /** Default: light. */
  theme?: 'light' | 'dark';
  /** Size of the window, in CSS pixels. Default: 1280 × 800. */
  width?: number;
  height?: number;
  /** BCP 47. Default: en-US. */
  locale?: string;
  /** IANA. Default: UTC. */
  timeZone?: string;
  /** The person has fingers alone. */
  touch?: boolean;
  /** The origin of relative paths, such as http://127.0.0.1:8080. */
  origin?: string;
}

/** A page in a context of its own: no cookie, no storage, no cache of another page. */
export interface OpenedPage {
  page: Page;
  /**
   * What went wrong in the page so far, one line each: errors on its console, uncaught exceptions, violations of its
   * content security policy (Trusted Types included), requests that failed. A request that the page itself broke off, as
   * it does with streams, has not failed.
   */
  problems: string[];
  close(): Promise<void>;
}

/**
 * A name of this machine that browsers do not trust as they trust localhost: over http its pages have no locks and no
 * `crypto.subtle`, like those of an internal network.
 */
export const INSECURE_HOST = 'hookwright.test';

/** Starts the browser of this machine. @throws Error when there is none, with what to do */
export async function launchBrowser(): Promise<Browser> {
  const isRoot = process.getuid?.() === 0;
  return await chromium.launch({
    executablePath: browserPath(),
    args: [
      ...(isRoot ? ['--no-sandbox'] : []),
      '--disable-dev-shm-usage',
      '--font-render-hinting=none',
      `--host-resolver-rules=MAP ${INSECURE_HOST} 127.0.0.1`,
    ],
  });
}

export async function openPage(browser: Browser, options: PageOptions = {}): Promise<OpenedPage> {
  const {
    theme = 'light',
    width = 1280,
    height = 800,
    locale = 'en-US',
    timeZone = 'UTC',
    origin,
    touch = false,
  } = options;
  const context = await browser.newContext({
    colorScheme: theme,
    viewport: { width, height },
    locale,
    timezoneId: timeZone,
    reducedMotion: 'reduce',
    hasTouch: touch,
    ...(origin === undefined ? {} : { baseURL: origin }),
  });
  context.setDefaultTimeout(WAIT_TIMEOUT_MS);
  const problems: string[] = [];
  await context.exposeBinding('reportViolationToTest', (_, violation: string) => {
    problems.push(`policy: ${violation.trim()}`);
  });
  await context.addInitScript(reportViolations);
  context.on('weberror', (error) => problems.push(`uncaught: ${error.error().stack ?? error.error().message}`));
  context.on('console', (message) => {
    if (message.type() === 'error') {
      const { url, lineNumber } = message.location();
      problems.push(`console: ${message.text()}${url === '' ? '' : ` (${url}:${lineNumber})`}`);
    }
  });
  context.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? '';
    if (why !== 'net::ERR_ABORTED') {
      problems.push(`request: ${request.method()} ${request.url()} failed: ${why}`);
    }
  });
  return { page: await context.newPage(), problems, close: () => context.close() };
}

/** Runs in the page, before its own scripts. A text, as all that runs there: our types are those of Node. */
const reportViolations = `
  document.addEventListener('securitypolicyviolation', (event) => {
    const { effectiveDirective, blockedURI, sourceFile, lineNumber, sample } = event;
    reportViolationToTest(effectiveDirective + ' forbids ' + blockedURI + ' (' + sourceFile + ':' + lineNumber + ') ' + sample);
  });`;

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { test } from 'vitest';
import { skipsBrowserTests } from './find-browser.js';
import { launchBrowser, type OpenedPage, openPage, type PageOptions } from './open-page.js';

/** One browser for all files of this process; it ends with the process. */
let launched: Promise<Browser> | undefined;

interface BrowserTest {
  /**
   * Opens an empty page in a context of its own.
   *
   * @param options.allow problems that the test expects: those of which one of these matches the line
   */
  open(options?: PageOptions & { allow?: readonly RegExp[] }): Promise<OpenedPage>;
}

/**
 * A test in a real browser. It fails, too, when something went wrong in one of its pages
 * (see `OpenedPage.problems`). The message of a test that failed names a screenshot of each of its pages.
 */
export function browserTest(sentence: string, body: (context: BrowserTest) => Promise<void>): void {
  test.skipIf(skipsBrowserTests())(sentence, async () => {
    launched ??= launchBrowser();
    const browser = await launched;
    const pages: (OpenedPage & { allow: readonly RegExp[] })[] = [];
    try {
      await body({
        async open({ allow = [], ...options } = {}) {
          const opened = await openPage(browser, options);
          pages.push({ ...opened, allow });
          return opened;
        },
      });
      requireNoProblems(pages);
    } catch (error) {
      throw await withScreenshots(error, sentence, pages);
    } finally {
      await Promise.all(pages.map((page) => page.close()));
    }
  });
}

function requireNoProblems(pages: readonly { problems: string[]; allow: readonly RegExp[] }[]): void {
  const problems = pages.flatMap(({ problems, allow }) =>
    problems.filter((problem) => !allow.some((pattern) => pattern.test(problem))),
  );
  if (problems.length > 0) {
    throw new Error(`In the page something went wrong:\n  ${problems.join('\n  ')}`);
  }
}

async function withScreenshots(error: unknown, sentence: string, pages: readonly OpenedPage[]): Promise<unknown> {
  if (!(error instanceof Error) || pages.length === 0) {
    return error;
  }
  const folder = mkdtempSync(join(tmpdir(), 'hookwright-screenshots-'));
  const name = sentence.replaceAll(/[^\p{L}\p{N}]+/gu, '-').slice(0, 80);
  for (const [index, { page }] of pages.entries()) {
    const path = join(folder, `${name}-${index + 1}.png`);
    const taken = await page.screenshot({ path }).then(
      () => `${page.url()} looked like this: ${path}`,
      (why: Error) => `there is no screenshot: ${why.message.split('\n', 1)[0]}`,
    );
    error.message += `\n${taken}`;
  }
  return error;
}

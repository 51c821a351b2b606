import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { openPage } from '../support/browser/open-page.js';
import { untilStill } from '../support/browser/until-still.js';
import { eventually } from '../support/eventually.js';
import { heard, startProgram } from '../support/program.js';
import type { Installation } from './installation.js';
import type { Picture } from './list.js';
import type { Objects } from './running.js';

const BYTES_MAX = 150_000;

/** The pictures, and where the service is. */
interface Shoot {
  browser: Browser;
  /** Where pages are served: the installation, or the dashboard's development server before it. */
  origin: string;
  installation: Pick<Installation, 'keys'>;
  objects: Objects;
  folder: string;
}

/** Starts the example of a product that embeds the portal. @returns the url of its page */
async function embeddingPage(origin: string, key: string, closings: (() => void)[]): Promise<string> {
  const example = startProgram(
    ['examples/embedding/server.mjs'],
    { HOOKWRIGHT_URL: origin, HOOKWRIGHT_KEY: key, PORT: '0' },
    { program: process.execPath },
  );
  closings.push(() => example.kill());
  const said = heard(example);
  return await eventually(() => /http:\S+/.exec(said.output)?.[0] ?? Promise.reject(said.errors));
}

/**
 * Writes `<folder>/<name>.png`.
 *
 * @returns the file, and what is wrong: problems of the page, and a picture that is too large
 */
export async function shoot(
  { browser, origin, installation, objects, folder }: Shoot,
  { name, path, width = 1280, height = width < 600 ? 844 : 800, theme = 'light', before }: Picture,
): Promise<{ file: string; bytes: number; faults: string[] }> {
  const closings: (() => void)[] = [];
  const { page, problems, close } = await openPage(browser, { origin, theme, width, height });
  try {
    const key = /^(\/portal|embedding)/.test(path) ? installation.keys.tenant : installation.keys.platform;
    // As the sign-in page keeps it for its tab.
    const session = JSON.stringify({ token: key, expiresAt: null });
    const kept = `hookwright.${path.startsWith('/portal') ? 'portal-session' : 'session'}`;
    await page.addInitScript(`sessionStorage.setItem('${kept}', ${JSON.stringify(session)})`);
    await page.goto(
      path === 'embedding'
        ? await embeddingPage(origin, key, closings)
        : path.replace(':delivery', objects.delivery).replace(':event', objects.event),
    );
    await untilStill(page);
    await before?.(page);
    await untilStill(page);
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${name}.png`);
    await page.screenshot({ path: file });
    const { size: bytes } = statSync(file);
    const size = bytes > BYTES_MAX ? [`it has ${bytes} bytes; at most ${BYTES_MAX} are allowed`] : [];
    return { file, bytes, faults: [...problems, ...size] };
  } finally {
    await close();
    for (const end of closings) {
      end();
    }
  }
}

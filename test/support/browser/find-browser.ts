import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const USUAL_PLACES = [
  ...['/usr/bin', '/usr/local/bin', '/snap/bin', '/opt/google/chrome'],
  ...['/Applications/Google Chrome.app/Contents/MacOS', '/Applications/Chromium.app/Contents/MacOS'],
];
/** The usual places on macOS, and in /opt. */
const NAMES_IN_PLACES = [...NAMES, 'chrome', 'Google Chrome', 'Chromium'];

const HOW_TO_GET_ONE =
  'Install one (on Debian: apt-get install chromium-headless-shell), or set CHROMIUM to the path of a Chromium or Chrome.';

/** Where there is no browser people go on without the tests that need one; CI does not. */
export const skipsBrowserTests = (): boolean => process.env['CI'] !== 'true' && findBrowser() === null;

export const BROWSER_TESTS_SKIPPED = `The browser tests are skipped: no Chromium was found. ${HOW_TO_GET_ONE}`;

/**
 * The Chromium or Chrome of this machine: `CHROMIUM`, or else one on PATH or in the usual places.
 *
 * @throws Error when there is none, or `CHROMIUM` names none
 */
export function browserPath(): string {
  const found = findBrowser();
  if (found === null) {
    throw new Error(`No Chromium was found. ${HOW_TO_GET_ONE}`);
  }
  return found;
}

/** @returns null where there is none. @throws Error when `CHROMIUM` names a file that cannot be run */
function findBrowser(): string | null {
  const named = process.env['CHROMIUM'];
  if (named) {
    if (!isProgram(named)) {
      throw new Error(`CHROMIUM is ${named}, which is not a program. ${HOW_TO_GET_ONE}`);
    }
    return named;
  }
  const onPath = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const candidates = [
    ...NAMES.flatMap((name) => onPath.map((folder) => join(folder, name))),
    ...USUAL_PLACES.flatMap((folder) => NAMES_IN_PLACES.map((name) => join(folder, name))),
  ];
  return candidates.find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const found = findPackage();

/** The folder of package.json: two folders up from `dist/program`, three in the sources, four in `dist/src`. */
export const packageFolder: string = found.folder;

/** The version in package.json. */
export const version: string = found.version;

function findPackage(): { folder: string; version: string } {
  const require = createRequire(import.meta.url);
  for (const up of ['../..', '../../..', '../../../..']) {
    try {
      const { name, version } = require(`${up}/package.json`) as { name?: string; version?: string };
      if (name === 'hookwright' && version !== undefined) {
        return { folder: resolve(import.meta.dirname, up), version };
      }
    } catch {
      // Not at this level.
    }
  }
  throw new Error('package.json of hookwright was not found beside its code.');
}

/** Sent with all requests to receivers. */
export const USER_AGENT = `Hookwright/${version}`;

import { createRequire } from 'node:module';

/** The version in package.json, which lies three folders up in the sources and four in `dist/`. */
export const version: string = packageVersion();

function packageVersion(): string {
  const require = createRequire(import.meta.url);
  for (const path of ['../../../package.json', '../../../../package.json']) {
    try {
      const found = require(path) as { name?: string; version?: string };
      if (found.name === 'hookwright' && found.version !== undefined) {
        return found.version;
      }
    } catch {
      // Not at this level.
    }
  }
  throw new Error('package.json of hookwright was not found beside its code.');
}

/** Sent with all requests to receivers. */
export const USER_AGENT = `Hookwright/${version}`;

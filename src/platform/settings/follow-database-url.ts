import { statSync } from 'node:fs';
import type { Logger } from 'pino';
import { Primary } from '../database/driver/primary.js';
import type { Config } from './config.js';
import { readSecretFile } from './secret-files.js';
import { table } from './settings.js';

/**
 * Lets each new connection read the file of DATABASE_URL again, if it comes from one: a changed password, or changed
 * hosts, need no restart. While the file gives no good url, the last good one counts. Changes are logged once.
 */
export function followDatabaseUrl(
  { databaseUrl, secretFiles }: Pick<Config, 'databaseUrl' | 'secretFiles'>,
  log?: Logger,
): void {
  const { DATABASE_URL: file } = secretFiles;
  if (databaseUrl === undefined || file === undefined || isPipe(file)) {
    return;
  }
  let good = databaseUrl;
  let loggedFault: string | null = null;
  Primary.of(databaseUrl).follow(() => {
    const { url, fault } = readAgain(file);
    if (fault !== null && fault !== loggedFault) {
      log?.warn({ file, fault }, 'DATABASE_URL cannot be read again: the last good one is used');
    }
    if (url !== null && (url !== good || loggedFault !== null)) {
      log?.info({ file }, 'DATABASE_URL was read again: new connections use it');
    }
    loggedFault = fault;
    good = url ?? good;
    return good;
  });
}

/** Shells make pipes of `<(…)`: they have their text once. */
const isPipe = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFIFO() ?? false;

function readAgain(file: string): { url: string; fault: null } | { url: null; fault: string } {
  const read = readSecretFile(file);
  if ('fault' in read) {
    return { url: null, fault: `it ${read.fault}` };
  }
  try {
    return { url: table.databaseUrl.parse({ ...read, file })!, fault: null };
  } catch (error) {
    return { url: null, fault: (error as Error).message };
  }
}

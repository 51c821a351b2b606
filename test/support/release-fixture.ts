import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type pg from 'pg';
import { shiftTime } from './shift-time.js';
import { temporaryFolder } from './temporary-folder.js';

/** What was shown once while a fixture was made. The first secret of a webhook is the newest. */
export interface Release {
  encryptionKeys: string;
  keys: Record<string, string>;
  webhooks: Record<string, { id: number; secrets: string[] }>;
}

/** The installation looks this old: the first retries are due, and sessions of an hour have not ended. */
const ageMs = 600_000;

/** Restores the installation of a release (test/fixtures/README.md). @param origin host and port of all endpoints */
export async function restoreRelease(client: pg.ClientBase, version: string, origin: string): Promise<Release> {
  const file = `test/fixtures/${version}`;
  const dump = gunzipSync(readFileSync(`${file}.sql.gz`)).toString();
  const { madeAt, ...release } = JSON.parse(readFileSync(`${file}.json`, 'utf8')) as Release & { madeAt: string };
  await client.query(dump.replaceAll('receiver.invalid', origin));
  await client.query('reset all');
  await shiftTime(client, Date.now() - ageMs - Date.parse(madeAt));
  return release;
}

/** Unpacks the build of a release. It runs with the packages of this checkout. @returns its folder */
export function unpackRelease(version: string): string {
  const folder = temporaryFolder();
  execFileSync('tar', ['--extract', '--gzip', '--file', `test/fixtures/${version}.tgz`, '--directory', folder]);
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));
  return folder;
}

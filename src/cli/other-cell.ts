import { requireMigrated } from '../operations/installation/check-readiness.js';
import { reachDatabase } from '../operations/installation/reach-database.js';
import { openPool } from '../platform/database/database.js';
import { readSecretFile } from '../platform/settings/secret-files.js';

/**
 * Reads the url of another cell's database from a file, so that no password is in the list of processes, and reaches it
 * as the owner of its tables.
 *
 * @throws Error with a sentence
 */
export async function otherCellUrl(urlFile: string): Promise<string> {
  const read = readSecretFile(urlFile);
  if ('fault' in read) {
    throw new Error(`The file ${urlFile} ${read.fault}. It has to hold the other cell's DATABASE_URL.`);
  }
  if (!/^postgres(ql)?:\/\//.test(read.text)) {
    throw new Error(`The file ${urlFile} has to hold a url that begins with postgres://, and nothing else.`);
  }
  await reachDatabase(read.text, 'owner').catch(sayWhich);
  return read.text;
}

function sayWhich(error: Error): never {
  throw new Error(`The other cell: ${error.message}`);
}

/** Works over one connection to another cell, which has this version's schema. */
export async function withOtherCell<Result>(
  url: string,
  work: (pool: ReturnType<typeof openPool>) => Promise<Result>,
): Promise<Result> {
  const pool = openPool(url, 1, () => {});
  try {
    await requireMigrated({ pool }).catch(sayWhich);
    return await work(pool);
  } finally {
    await pool.end();
  }
}

import { requireMigrated } from '../operations/installation/check-readiness.js';
import { reachDatabase } from '../operations/installation/reach-database.js';
import { copyKey } from '../operations/keys/copy-key.js';
import { openPool } from '../platform/database/database.js';
import { readSecretFile } from '../platform/settings/secret-files.js';
import { administer } from './administer.js';
import { print } from './print.js';

/** `hookwright key copy`. @param urlFile so that no password is in the list of processes */
export async function copyKeyCommand(id: number, urlFile: string): Promise<void> {
  const read = readSecretFile(urlFile);
  if ('fault' in read) {
    throw new Error(`The file ${urlFile} ${read.fault}. It has to hold the other cell's DATABASE_URL.`);
  }
  if (!/^postgres(ql)?:\/\//.test(read.text)) {
    throw new Error(`The file ${urlFile} has to hold a url that begins with postgres://, and nothing else.`);
  }
  await administer(async ({ db }) => {
    await reachDatabase(read.text, 'owner').catch((error: Error) => {
      throw new Error(`The other cell: ${error.message}`);
    });
    const pool = openPool(read.text, 1, () => {});
    try {
      await requireMigrated({ pool });
      const { name, to, isNew, isRevoked } = await copyKey(db, { pool }, id);
      const state = isRevoked ? 'is revoked' : 'works';
      print(`Key ${id} "${name}" ${isNew ? 'is copied: it' : 'was there already. It'} ${state} in cell ${to} too.`);
    } finally {
      await pool.end();
    }
  });
}

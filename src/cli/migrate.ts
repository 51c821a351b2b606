import { OUTBOX_ROLE } from '../operations/emits/outbox.js';
import { MIGRATED_BY_ANOTHER, migrate } from '../operations/installation/migrate.js';
import { readConfig } from '../platform/settings/config.js';
import { withDatabaseUrl } from './database-url.js';
import { print } from './print.js';

export async function migrateCommand(): Promise<void> {
  await withDatabaseUrl(readConfig(process.env, { needsEncryptionKeys: false }), async (url) => {
    const { outboxRole } = await migrate(url, () => process.stderr.write(`${MIGRATED_BY_ANOTHER}\n`));
    print('The database has the newest schema.');
    if (!outboxRole) {
      print(
        `The role ${OUTBOX_ROLE} is not there, and this login may not make it. Only applications that emit inside their own transactions need it: docs/outbox.md.`,
      );
    }
  });
}

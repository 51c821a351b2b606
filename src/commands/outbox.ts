import { formatTimestamp } from '../domain/timestamp.js';
import { commandLine } from '../operations/audit.js';
import { grantOutbox, listOutbox, revokeOutbox } from '../operations/outbox.js';
import { administer } from './administer.js';

/** `hookwright outbox grant <role> --tenant <id>` */
export async function grantOutboxCommand(role: string, { tenant }: { tenant: number }): Promise<void> {
  await administer(async ({ db }) => {
    const isNew = await grantOutbox(db, { role, tenantId: tenant }, commandLine);
    print(`The role ${role} ${isNew ? 'may now' : 'might before'} emit for tenant ${tenant}.`);
  });
}

/** `hookwright outbox revoke <role> --tenant <id>` */
export async function revokeOutboxCommand(role: string, { tenant }: { tenant: number }): Promise<void> {
  await administer(async ({ db }) => {
    await revokeOutbox(db, { role, tenantId: tenant }, commandLine);
    print(`The role ${role} can no longer emit for tenant ${tenant}.`);
  });
}

/** `hookwright outbox list` */
export async function listOutboxCommand(): Promise<void> {
  await administer(async ({ db }) => {
    for (const { role, tenantId, grantedAt, roleExists } of await listOutbox(db)) {
      const columns = [role, `tenant ${tenantId}`, formatTimestamp(grantedAt)];
      print([...columns, ...(roleExists ? [] : ['(there is no such role any more)'])].join('\t'));
    }
  });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

import { formatTimestamp } from '../domain/text/timestamp.js';
import { grantOutbox, listOutbox, revokeOutbox } from '../operations/emits/outbox.js';
import { commandLine } from '../operations/rows/audit.js';
import { administer, administerTenant } from './administer.js';
import { print, printList } from './print.js';
import type { TenantNamed } from './tenant-named.js';

export async function grantOutboxCommand(role: string, { tenant }: { tenant: TenantNamed }): Promise<void> {
  await administerTenant(tenant, async (tenantId, { db }) => {
    const isNew = await grantOutbox(db, { role, tenantId }, commandLine);
    print(`The role ${role} ${isNew ? 'may now' : 'could already'} emit for tenant ${tenantId}.`);
  });
}

export async function revokeOutboxCommand(role: string, { tenant }: { tenant: TenantNamed }): Promise<void> {
  await administerTenant(tenant, async (tenantId, { db }) => {
    await revokeOutbox(db, { role, tenantId }, commandLine);
    print(`The role ${role} can no longer emit for tenant ${tenantId}.`);
  });
}

export async function listOutboxCommand(): Promise<void> {
  await administer(async ({ db }) => {
    const grants = await listOutbox(db);
    printList(
      ['ROLE', 'FOR', 'SINCE', ''],
      grants.map(({ role, tenantId, grantedAt, roleExists }) => [
        ...[role, `tenant ${tenantId}`, formatTimestamp(grantedAt)],
        ...(roleExists ? [] : ['(there is no such role any more)']),
      ]),
      'No role may emit inside its own transactions.',
    );
  });
}

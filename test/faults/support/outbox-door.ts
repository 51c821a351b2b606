import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Site } from './site.js';

interface OutboxDoor {
  /** A session of it, not yet connected. */
  session(): pg.Client;
  close(): Promise<void>;
}

/** A login of an application, which may wait for a key as long as it likes. */
export async function openOutboxDoor(site: Site, databaseUrl: string): Promise<OutboxDoor> {
  const url = new URL(databaseUrl);
  url.username = `shop_${randomBytes(4).toString('hex')}`;
  url.password = 'shop';
  await site.rows(`
    create role ${url.username} login password 'shop';
    grant hookwright_outbox to ${url.username};
    insert into hookwright.outbox_grants (role_name, tenant_id)
    select '${url.username}', id from hookwright.tenants`);
  return {
    session: () => new pg.Client({ connectionString: url.href, types: { getTypeParser: () => Number } }),
    close: async () => {
      await site.rows(`drop role ${url.username}`);
    },
  };
}

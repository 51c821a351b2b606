import type pg from 'pg';
import type { HasPool } from '../../../platform/database/database.js';
import { query, type Statement } from '../../../platform/database/database.js';
import { thisProgram } from '../../../platform/node/this-program.js';
import type { EncryptionKey } from '../../../platform/settings/config.js';
import { opensDataKey } from '../../secrets/secret-vault.js';
import { tryEncryptionKeys } from '../../secrets/try-encryption-keys.js';
import { cellOfMissing } from '../own-cell.js';
import { differingDefinitions } from './compare-definitions.js';
import { keysThatActed } from './tables.js';

/** How many open deliveries may be copied while the tenant is closed without anybody allowing the time. */
const OPEN_MAX = 30_000;

interface Tenant {
  name: string;
  externalId: string | null;
  dataKey: Buffer;
  dataKeyKid: string;
  isHere: boolean;
}

const tenantStatement: Statement = {
  text: `
    select name, external_id as "externalId", data_key as "dataKey", data_key_kid as "dataKeyKid",
           deleted_at is null and moving is distinct from 'GONE' as "isHere"
    from hookwright.tenants where id = $1`,
};

const presentStatement: Statement = {
  text: `
    select case when deleted_at > now() + interval '1000 years' then 'COPIED' when moving = 'GONE' then 'LEFT'
                else 'OPEN' end as state,
           exists (select from hookwright.webhooks w where w.tenant_id = $1)
           or exists (select from hookwright.api_keys k where k.tenant_id = $1)
           or exists (select from hookwright.events e where e.tenant_id = $1) as rows
    from hookwright.tenants where id = $1`,
};

const takenStatement: Statement = {
  text: `
    select case when name = $2 then 'the name "' || $2 || '"' else 'the external id "' || $3 || '"' end as what, id::float8 as id
    from hookwright.tenants where id <> $1 and deleted_at is null and (name = $2 or external_id = $3) limit 1`,
};

const grantsStatement: Statement = {
  text: `select role_name as role from hookwright.outbox_grants where tenant_id = $1 order by 1`,
};

const keysStatement: Statement = {
  text: `
    select k.id::float8 as id from hookwright.api_keys k
    where k.tenant_id is null and k.revoked_at is null and coalesce(k.expires_at > now(), true)
      and not k.console_session and k.made_in is null and k.id in (${keysThatActed('$1', '$2::timestamptz')})
    order by k.id`,
};
const knownKeysStatement: Statement = {
  text: `select id::float8 as id from hookwright.api_keys where id = any($1::bigint[])`,
};

const sizeStatement: Statement = {
  text: `
    select (select count(*)::integer from hookwright.deliveries d where d.tenant_id = $1 and d.finished_at is null) as open,
           (select count(*)::integer from hookwright.deliveries d where d.tenant_id = $1) as deliveries,
           (select count(*)::integer from hookwright.scheduled_events s where s.tenant_id = $1) as scheduled`,
};

/** The rows a second that are copied, or only read, while a tenant is closed. */
const PER_SECOND = { open: 15_000, scheduled: 30_000, deliveries: 500_000 };

export interface Asked {
  tenantId: number;
  /** The cell of the target. */
  to: number;
  encryptionKeys: readonly EncryptionKey[];
  /** The longest time that the tenant may be closed, in seconds; undefined: nobody has said. */
  closedFor: number | undefined;
}

/**
 * Whether a tenant can be moved, before anything is copied.
 *
 * @returns how many seconds the tenant will be closed for, by its size
 * @throws Error with a sentence for the first reason that it cannot, with what to do
 */
export async function requireMovable(source: pg.Client, target: pg.Client, asked: Asked): Promise<number> {
  await requireHere(source, asked.tenantId);
  await requireAbsent(target, asked);
  await requireFits(source, target, asked);
  return await requireSmall(source, asked);
}

/**
 * Whether the other cell has all that the tenant needs. What the tenant uses may change while it is copied.
 *
 * @throws Error with a sentence for the first reason that it has not, with what to do
 */
export async function requireFits(source: pg.Client, target: pg.Client, asked: Asked): Promise<void> {
  const { tenantId, to } = asked;
  const tenant = await requireHere(source, tenantId);
  const [taken] = await query<{ what: string; id: number }>(target, takenStatement, [
    tenantId,
    tenant.name,
    tenant.externalId,
  ]);
  if (taken !== undefined) {
    throw new Error(`Cell ${to} has a tenant ${taken.id} with ${taken.what}. Give one of the two another one.`);
  }
  const grants = await query<{ role: string }>(source, grantsStatement, [tenantId]);
  if (grants.length > 0) {
    const roles = grants.map(({ role }) => role).join(', ');
    throw new Error(
      `Roles of this database may emit for the tenant in their transactions (${roles}), which another database cannot take part in. Have them emit over the API, then: ${thisProgram} outbox revoke <role> --tenant ${tenantId}`,
    );
  }
  await requireKey(target, tenant, asked);
  await requireKeysThere(source, target, asked);
  const differing = await differingDefinitions(source, target, tenantId);
  if (differing.length > 0) {
    throw new Error(
      `Cell ${to} lacks what the tenant uses, or has another content of it: ${differing.slice(0, 10).join(', ')}. Register the same there first (${thisProgram} types push <folder>), in the same order.`,
    );
  }
}

/** Rows that a tenant has left here are never moved: it would be open in two cells. */
async function requireHere(source: pg.Client, tenantId: number): Promise<Tenant> {
  const [tenant] = await query<Tenant>(source, tenantStatement, [tenantId]);
  if (tenant?.isHere && tenantId > 0) {
    return tenant;
  }
  const cell = await cellOfMissing(source, tenantId);
  throw new Error(
    cell === null
      ? `There is no tenant ${tenantId} (${thisProgram} tenant list shows them).`
      : `Tenant ${tenantId} belongs to cell ${cell}. DATABASE_URL has to be the one of that cell.`,
  );
}

async function requireAbsent(target: pg.Client, { tenantId, to }: Asked): Promise<void> {
  const [present] = await query<{ state: string; rows: boolean }>(target, presentStatement, [tenantId]);
  const command = `${thisProgram} tenant move ${tenantId}`;
  if (present?.state === 'COPIED') {
    throw new Error(`Cell ${to} has rows of a former try: run "${command} --to-url-file <file> --abort" first.`);
  }
  if (present?.state === 'LEFT' && present.rows) {
    throw new Error(
      `Cell ${to} still has the rows from when the tenant left it. They go by themselves when its days are over, or now: run "${command} --forget" there.`,
    );
  }
  if (present?.state === 'OPEN') {
    throw new Error(`Cell ${to} has a tenant ${tenantId} already: the two databases are not cells of one address.`);
  }
}

async function requireKey(target: pg.Client, { dataKey, dataKeyKid }: Tenant, { tenantId, to, encryptionKeys }: Asked) {
  const own = encryptionKeys.find(({ kid }) => kid === dataKeyKid);
  if (own === undefined || !opensDataKey(own.key, tenantId, dataKey)) {
    throw new Error(
      `ENCRYPTION_KEYS has no key "${dataKeyKid}" that opens the tenant's secrets. Give this command the service's own.`,
    );
  }
  const tried = await tryEncryptionKeys({ pool: target } as unknown as HasPool, encryptionKeys);
  if (tried.length > 0 && !tried.some(({ kid, verdict }) => kid === dataKeyKid && verdict === 'OPENS')) {
    throw new Error(
      `The secrets of cell ${to} are not protected by the encryption key "${dataKeyKid}", which protects the tenant's. Give the processes of both cells the same ENCRYPTION_KEYS, and run "${thisProgram} keys rewrap" in both.`,
    );
  }
}

/**
 * A key that is not there would be written as a revoked one, as the tenant's rows refer to it, and is revoked for ever.
 *
 * @param since keys of entries from before were looked at already
 * @throws Error with a sentence
 */
export async function requireKeysThere(
  source: pg.Client,
  target: pg.Client,
  { tenantId, to }: Asked,
  since = '-infinity',
): Promise<void> {
  const named = (await query<{ id: number }>(source, keysStatement, [tenantId, since])).map(({ id }) => id);
  const known = new Set((await query<{ id: number }>(target, knownKeysStatement, [named])).map(({ id }) => id));
  const missing = named.filter((id) => !known.has(id));
  if (missing.length > 0) {
    throw new Error(
      `Platform keys have acted for the tenant that cell ${to} has not: ${missing.join(', ')}. Copy each of them: ${thisProgram} key copy ${missing[0]} --to-url-file <file>`,
    );
  }
}

async function requireSmall(source: pg.Client, { tenantId, closedFor }: Asked): Promise<number> {
  const [size] = await query<Record<keyof typeof PER_SECOND, number>>(source, sizeStatement, [tenantId]);
  const { open, scheduled, deliveries } = size!;
  const seconds = Math.ceil(
    1 + open / PER_SECOND.open + scheduled / PER_SECOND.scheduled + deliveries / PER_SECOND.deliveries,
  );
  if (closedFor === undefined ? open > OPEN_MAX : closedFor < seconds) {
    throw new Error(
      `The tenant has ${open} open deliveries, and would take no events for about ${seconds} s. Wait until there are fewer, or allow that: --closed-for ${seconds}`,
    );
  }
  return seconds;
}

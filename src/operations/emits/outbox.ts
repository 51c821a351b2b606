import pg from 'pg';
import { Tenant } from '../../entities/tenant.js';
import { notFound } from '../../errors.js';
import { type HasOrm, type HasPool, query, type SqlTarget } from '../../platform/database/database.js';
import { SQL_STATE, sqlStateOf } from '../../platform/database/driver/sql-state.js';
import { API_ROLE } from '../../platform/database/tenant-database.js';
import { thisProgram } from '../../platform/node/this-program.js';
import type { Config } from '../../platform/settings/config.js';
import { type Actor, audit } from '../rows/audit.js';
import { managementTransaction } from '../rows/unit-of-work.js';

/** Applications that emit inside their own transactions are members of this role (docs/outbox.md). */
export const OUTBOX_ROLE = 'hookwright_outbox';

const EMIT = 'hookwright.emit(bigint, text, text, text, boolean, text, integer, integer, text, jsonb)';

const isForbidden = (error: unknown) => sqlStateOf(error) === SQL_STATE.INSUFFICIENT_PRIVILEGE;

/** Makes the outbox's role if this login may, and lets it call the functions. @returns whether the role exists */
export async function prepareOutboxRole(client: pg.ClientBase, role = OUTBOX_ROLE): Promise<boolean> {
  const name = pg.escapeIdentifier(role);
  if (!(await roleOf(client, role))) {
    try {
      await client.query(`create role ${name} nologin`);
    } catch (error) {
      if (isForbidden(error)) {
        return false;
      }
      throw error;
    }
  }
  await client.query(`
    grant usage on schema hookwright to ${name};
    grant execute on function
      ${EMIT},
      hookwright.emit_events(bigint[], text[], text[], text[], bigint[], integer[], boolean, text[], integer[], text[],
                             integer[], text[], jsonb),
      hookwright.schedule(bigint, text, text, timestamptz, text, boolean, text, integer, integer, text, jsonb),
      hookwright.unschedule(bigint, bigint),
      hookwright.tenant_id(text)
      to ${name}`);
  return true;
}

interface Role {
  isTrusted: boolean;
  isMember: boolean;
}

const roleStatement = {
  text: `select pg_has_role(rolname, $2, 'member') as "isTrusted",
                coalesce((select pg_has_role(r.rolname, o.rolname, 'member')
                          from pg_roles o where o.rolname = $3), false) as "isMember"
         from pg_roles r where rolname = $1`,
};

async function roleOf(sql: SqlTarget, role: string): Promise<Role | null> {
  const [found] = await query<Role>(sql, roleStatement, [role, API_ROLE, OUTBOX_ROLE]);
  return found ?? null;
}

interface OutboxGrant {
  role: string;
  tenantId: number;
}

/**
 * Lets a database role emit for a tenant.
 *
 * @returns false when it could do so before
 * @throws Error when there is no such role, when it may do everything anyway, or when this login cannot grant it;
 *   ApiError not_found for an unknown tenant
 */
export async function grantOutbox(db: HasOrm, { role, tenantId }: OutboxGrant, by: Actor): Promise<boolean> {
  return await managementTransaction(db, tenantId, async ({ em, sql }) => {
    await requireOutboxMember(sql, role);
    const granted = await query(sql, grantStatement, [role, tenantId]);
    if (granted.length === 0 && (await em.count(Tenant, { deletedAt: null })) === 0) {
      throw notFound('tenant', tenantId);
    }
    if (granted.length > 0) {
      const change = { action: 'OUTBOX_GRANTED', target: 'TENANT', after: { role } } as const;
      audit(em, by, { tenantId, targetId: tenantId, ...change });
    }
    return granted.length > 0;
  });
}

const grantStatement = {
  text: `insert into hookwright.outbox_grants (role_name, tenant_id)
         select $1, id from hookwright.tenants where id = $2 and deleted_at is null
         on conflict do nothing returning role_name`,
};

async function requireOutboxMember(sql: SqlTarget, role: string): Promise<void> {
  const found = await roleOf(sql, role);
  const name = pg.escapeIdentifier(role);
  if (found === null) {
    throw new Error(`There is no database role ${name}. First: create role ${name} login password '…';`);
  }
  if (found.isTrusted || role === OUTBOX_ROLE) {
    throw new Error(
      `The role ${name} is not the login of an application: it is the outbox's own role, or may emit for every tenant anyway. Give the application a role of its own.`,
    );
  }
  if (found.isMember) {
    return;
  }
  try {
    await query(sql, { text: `grant ${OUTBOX_ROLE} to ${name}` }, []);
  } catch (error) {
    if (sqlStateOf(error) === SQL_STATE.UNDEFINED_OBJECT) {
      throw new Error(
        `The role ${OUTBOX_ROLE} is not there. Have an administrator run: create role ${OUTBOX_ROLE} nologin; then run "${thisProgram} migrate" and this again.`,
      );
    }
    if (isForbidden(error)) {
      throw new Error(
        `This login may not grant ${OUTBOX_ROLE}. Have an administrator run: grant ${OUTBOX_ROLE} to ${name}; and run this again.`,
      );
    }
    throw error;
  }
}

/** @throws Error when there is no such grant */
export async function revokeOutbox(db: HasOrm, { role, tenantId }: OutboxGrant, by: Actor): Promise<void> {
  await managementTransaction(db, tenantId, async ({ em, sql }) => {
    const revoked = await query(sql, revokeStatement, [role, tenantId]);
    if (revoked.length === 0) {
      throw new Error(`The role ${pg.escapeIdentifier(role)} may not emit for tenant ${tenantId} anyway.`);
    }
    const change = { action: 'OUTBOX_REVOKED', target: 'TENANT', before: { role } } as const;
    audit(em, by, { tenantId, targetId: tenantId, ...change });
  });
}

const revokeStatement = {
  text: 'delete from hookwright.outbox_grants where role_name = $1 and tenant_id = $2 returning role_name',
};

const listStatement = {
  name: 'list_outbox_grants',
  text: `select role_name as role, tenant_id as "tenantId", granted_at as "grantedAt",
                exists (select from pg_roles where rolname = role_name) as "roleExists"
         from hookwright.outbox_grants g
         where exists (select from hookwright.tenants t where t.id = g.tenant_id and t.deleted_at is null)
         order by role_name, tenant_id`,
};

export function listOutbox(db: HasPool): Promise<(OutboxGrant & { grantedAt: Date; roleExists: boolean })[]> {
  return query(db.pool, listStatement, []);
}

const DOORS_SHOWN = 100;

/** Leaps from login to login: each may have grants for all tenants. */
const closedDoorsStatement = {
  name: 'closed_outbox_doors',
  text: `with recursive login(role) as (
           select min(role_name) from hookwright.outbox_grants
           union all
           select (select min(g.role_name) from hookwright.outbox_grants g where g.role_name > login.role)
           from login where login.role is not null),
         closed as (
           select login.role, array(
             select g.tenant_id::float8 from hookwright.outbox_grants g
             join hookwright.tenants t on t.id = g.tenant_id and t.deleted_at is null
             where g.role_name = login.role order by g.tenant_id limit ${DOORS_SHOWN}) as "tenantIds"
           from login left join pg_roles r on r.rolname = login.role
           where login.role is not null
             and not coalesce(has_schema_privilege(r.oid, 'hookwright', 'usage')
                              and has_function_privilege(r.oid, '${EMIT}', 'execute'), false))
         select role, "tenantIds" from closed where cardinality("tenantIds") > 0 order by role`,
};

/**
 * The logins that have grants and may not call the function, as after a restore on a server that lacks them, each with
 * its first tenants.
 */
export function listClosedDoors(sql: SqlTarget): Promise<{ role: string; tenantIds: number[] }[]> {
  return query(sql, closedDoorsStatement, []);
}

const keepLimitsStatement = {
  name: 'keep_outbox_limits',
  text: `update hookwright.outbox_limits set payload_bytes_max = $1, previous_allowed = $2, keep_hours_max = $3
         where (payload_bytes_max, previous_allowed, keep_hours_max) is distinct from ($1, $2, $3)`,
};

/** Stores limits for the SQL functions, which see no settings. The daemon that started last decides. */
export async function keepOutboxLimits(
  db: HasPool,
  { payloadBytesMax, previous, retentionDays }: Pick<Config, 'payloadBytesMax' | 'previous' | 'retentionDays'>,
): Promise<void> {
  await query(db.pool, keepLimitsStatement, [payloadBytesMax, previous === 'on', keepHoursMax(retentionDays)]);
}

/** An event that is kept for a time of its own is kept for less than the others. */
export const keepHoursMax = (retentionDays: number): number => retentionDays * 24 - 1;

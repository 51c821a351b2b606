import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type AuditAction, type AuditActor, AuditEntry, type AuditTarget } from '../../entities/audit-entry.js';
import { query, type SqlTarget, type Statement } from '../../platform/database/database.js';

/** The one who changes something. */
export interface Actor {
  kind: `${AuditActor}`;
  /** The API key that was used, if any. */
  keyId: number | null;
  requestId: string | null;
}

const withoutKey = (kind: Actor['kind']): Actor => ({ kind, keyId: null, requestId: null });

export const commandLine = withoutKey('COMMAND_LINE');
export const service = withoutKey('SERVICE');

interface Audited {
  target: AuditTarget | `${AuditTarget}`;
  /** Null: the installation itself. */
  tenantId: number | null;
  /** An event type's name. */
  targetId: number | string;
}

interface AuditedChange extends Audited {
  action: AuditAction | `${AuditAction}`;
  /** The changed values, without secrets: readers of the log need not know any. */
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
}

/** The target of an AuditedChange. @param tenantId null: the installation itself */
export const about = (
  target: Audited['target'],
  tenantId: Audited['tenantId'],
  targetId: Audited['targetId'],
): Audited => ({ target, tenantId, targetId });

/** Notes a change in the audit log, at the flush. */
export function audit(em: EntityManager, by: Actor, change: AuditedChange): void {
  em.create(AuditEntry, entryOf(by, change));
}

function entryOf(by: Actor, { tenantId, action, target, targetId, before, after }: AuditedChange) {
  const text = (value: Record<string, unknown> | undefined) => (value === undefined ? null : JSON.stringify(value));
  return {
    tenantId,
    actor: by.kind as AuditActor,
    apiKeyId: by.keyId,
    action: action as AuditAction,
    targetType: target as AuditTarget,
    targetId: String(targetId),
    before: text(before),
    after: text(after),
    requestId: by.requestId,
  };
}

/** The values that differ, as they were and as they are; null when all are the same. */
export function differences<Values extends object>(
  before: Values,
  after: Values,
): { before: Partial<Values>; after: Partial<Values> } | null {
  const names = (Object.keys(after) as (keyof Values)[]).filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );
  return names.length === 0 ? null : { before: picked(before, names), after: picked(after, names) };
}

export function picked<Values extends object, Name extends keyof Values>(
  values: Values,
  names: readonly Name[],
): Pick<Values, Name> {
  return Object.fromEntries(names.map((name) => [name, values[name]])) as Pick<Values, Name>;
}

const insertStatement: Statement = {
  name: 'write_audit_entry',
  text: `insert into hookwright.audit_log
           (tenant_id, actor, api_key_id, action, target_type, target_id, before, after, request_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
};

/** `audit` for the daemon, which writes many outcomes at once and has no entities. */
export async function auditBySql(client: SqlTarget, by: Actor, change: AuditedChange): Promise<void> {
  await query(client, insertStatement, Object.values(entryOf(by, change)));
}

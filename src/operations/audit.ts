import type pg from 'pg';
import { query, type Statement } from '../database/database.js';
import type { AuditAction, AuditActor, AuditTarget } from '../entities/audit-entry.js';

/** Who does something, and in which request. */
export interface Actor {
  kind: `${AuditActor}`;
  /** The API key that was used, if any. */
  keyId: number | null;
  requestId: string | null;
}

const withoutKey = (kind: Actor['kind']): Actor => ({ kind, keyId: null, requestId: null });

/** Whoever may run `hookwright …`, and so holds the database's password anyway. */
export const commandLine = withoutKey('COMMAND_LINE');
/** The service itself, as when it disables a webhook. */
export const service = withoutKey('SERVICE');

/** What was changed. */
interface Audited {
  target: AuditTarget | `${AuditTarget}`;
  /** Null: a matter of the installation itself. */
  tenantId: number | null;
  /** The name, for an event type. */
  targetId: number | string;
}

interface AuditedChange extends Audited {
  action: AuditAction | `${AuditAction}`;
  /** What changed, as it was and as it is. Never a secret: whoever may read the log need not know any. */
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
}

const statement: Statement = {
  name: 'write_audit_entry',
  text: `insert into hookwright.audit_log
           (tenant_id, actor, api_key_id, action, target_type, target_id, before, after, request_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
};

/** For an AuditedChange: what was changed. @param tenantId null: a matter of the installation itself */
export const about = (
  target: Audited['target'],
  tenantId: Audited['tenantId'],
  targetId: Audited['targetId'],
): Audited => ({ target, tenantId, targetId });

/** Notes a change in the audit log, in the transaction of the change: both are there, or neither. */
export async function audit(
  client: pg.PoolClient,
  by: Actor,
  { tenantId, action, target, targetId, before, after }: AuditedChange,
): Promise<void> {
  const text = (value: Record<string, unknown> | undefined) =>
    value === undefined ? null : JSON.stringify(value);
  await query(client, statement, [
    tenantId,
    by.kind,
    by.keyId,
    action,
    target,
    targetId,
    text(before),
    text(after),
    by.requestId,
  ]);
}

import type { VerificationMethod, VerificationStatus } from '../../domain/challenges/challenge.js';
import type { HasPool, Statement } from '../../platform/database/database.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';

interface StoredVerification {
  status: VerificationStatus;
  checkedAt: Date | null;
  detail: string | null;
  optionsCode: string | null;
  challengeCode: string | null;
  method: VerificationMethod | null;
  nextAt: Date | null;
}

const statement: Statement = {
  name: 'read_verifications',
  text: `
    select webhook_id as id, status, checked_at as "checkedAt", detail, options_code as "optionsCode",
           challenge_code as "challengeCode", method, next_at as "nextAt"
    from hookwright.verifications where tenant_id = $1 and webhook_id = any($2::bigint[])
      and (status <> 'VERIFIED' or method is not null)`,
};

/** @returns by webhook; one that nobody has asked for a proof, or whose proof was waived, has none */
export async function readVerifications(
  { pool }: HasPool,
  tenantId: number,
  webhookIds: readonly number[],
): Promise<ReadonlyMap<number, StoredVerification>> {
  const values = [tenantId, [...webhookIds]];
  const rows = await tenantQuery<StoredVerification & { id: number }>(pool, tenantId, statement, values);
  return new Map(rows.map(({ id, ...verification }) => [id, verification]));
}

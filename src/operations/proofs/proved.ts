/**
 * SQL: whether nobody waits for a proof of a webhook's endpoint (docs/decisions/0088). Without one it gets nothing but
 * challenges, whatever else is known of the webhook. A scalar subquery, so that Postgres looks the row up by its key.
 *
 * @param webhook a row of `webhooks`
 */
export const isProvedSql = (webhook: string): string =>
  `coalesce((select v.status from hookwright.verifications v where v.webhook_id = ${webhook}.id), 'VERIFIED') = 'VERIFIED'`;

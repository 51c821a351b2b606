import type pg from 'pg';
import { FETCHING_MS, type TokenRow, type TokenUse } from '../../domain/oauth/access-token.js';
import { query, type SqlTarget, type Statement } from '../../platform/database/database.js';

/** A webhook with the options that a delivery was loaded with. */
interface Named extends TokenUse {
  tenantId: number;
  webhookId: number;
}

/** The row, and its mark: the id of the transaction that wrote it. Every change gives it another one. */
export interface MarkedRow {
  row: TokenRow;
  mark: string;
}

/** Where there is no row, all is null. */
interface ReadRow {
  version: number;
  client: string | null;
  sealed: Buffer | null;
  ageMs: number | null;
  leftMs: number | null;
  fetchingForMs: number | null;
  failedAgoMs: number | null;
  failure: string | null;
  mark: string | null;
}

const inMs = (interval: string) => `extract(epoch from ${interval})::float8 * 1000`;

const readStatement: Statement = {
  name: 'read_endpoint_token',
  text: `
    select t.options_version as version, t.client, t.sealed, ${inMs('now() - t.got_at')} as "ageMs",
           ${inMs('t.expires_at - now()')} as "leftMs", ${inMs('t.fetching_until - now()')} as "fetchingForMs",
           ${inMs('now() - t.failed_at')} as "failedAgoMs", t.failure, t.xmin::text as mark
    from hookwright.webhooks w left join hookwright.endpoint_tokens t on t.webhook_id = w.id
    where w.id = $1 and w.deleted_at is null`,
};

/** @returns null: there is no row; GONE: the webhook was deleted */
export async function readToken(pool: pg.Pool, webhookId: number): Promise<MarkedRow | null | 'GONE'> {
  const [read] = await query<ReadRow>(pool, readStatement, [webhookId]);
  if (read === undefined) {
    return 'GONE';
  }
  if (read.mark === null) {
    return null;
  }
  const { version, client, sealed, ageMs, leftMs, fetchingForMs, failedAgoMs, failure, mark } = read;
  const row = {
    version,
    client,
    token: sealed === null ? null : { sealed, ageMs: ageMs ?? 0, leftMs: leftMs ?? 0 },
    fetchingForMs,
    failed: failedAgoMs === null ? null : { agoMs: failedAgoMs, failure: failure ?? '' },
  };
  return { row, mark };
}

/** A token of a webhook that was deleted would stay behind. */
const isLiving = 'exists (select from hookwright.webhooks w where w.id = $1 and w.deleted_at is null)';

const fetchingUntil = `now() + interval '${FETCHING_MS} milliseconds'`;

const beginFirstStatement: Statement = {
  name: 'begin_first_token',
  text: `
    insert into hookwright.endpoint_tokens (webhook_id, tenant_id, options_version, client, fetching_until)
    select $1::bigint, $2::bigint, $3::bigint, $4, ${fetchingUntil} where ${isLiving}
    on conflict (webhook_id) do nothing
    returning xmin::text as mark`,
};

/** A column that keeps its value only while the client is the same. */
const ofSame = (column: string) => `${column} = case when options_version = $3 or client = $4 then ${column} end`;
const beginStatement: Statement = {
  name: 'begin_token',
  text: `
    update hookwright.endpoint_tokens
    set options_version = greatest(options_version, $3), client = $4, fetching_until = ${fetchingUntil},
        ${['sealed', 'got_at', 'expires_at', 'failed_at', 'failure'].map(ofSame).join(', ')}
    where webhook_id = $1 and tenant_id = $2 and xmin::text = $5 and ${isLiving}
    returning xmin::text as mark`,
};

/**
 * Takes the row for a question to the token server, if it is still as it was read.
 *
 * @param mark of the row that was read; null: there was none
 * @returns the mark with which the question ends; null: somebody else was first, or the webhook was deleted
 */
export async function beginToken(
  pool: pg.Pool,
  { webhookId, tenantId, version, client }: Named,
  mark: string | null,
): Promise<string | null> {
  const [taken] =
    mark === null
      ? await query<{ mark: string }>(pool, beginFirstStatement, [webhookId, tenantId, version, client])
      : await query<{ mark: string }>(pool, beginStatement, [webhookId, tenantId, version, client, mark]);
  return taken?.mark ?? null;
}

/** Nobody asks. A time far ahead is from before Postgres's clock was set back. */
const isFree = `(fetching_until is null or fetching_until not between now() and ${fetchingUntil} + interval '1 second')`;

const followStatement: Statement = {
  name: 'follow_options',
  text: `
    update hookwright.endpoint_tokens set options_version = $3
    where webhook_id = $1 and xmin::text = $2 and options_version < $3
      and ${isFree}
    returning webhook_id as "webhookId"`,
};

/**
 * Keeps the row of options before for those with the same client, unless it was changed since it was read, or somebody
 * asks: the mark of a question would be another one.
 *
 * @returns whether it is theirs
 */
export async function followOptions(
  pool: pg.Pool,
  { webhookId, version }: Pick<Named, 'webhookId' | 'version'>,
  mark: string,
): Promise<boolean> {
  return (await query(pool, followStatement, [webhookId, mark, version])).length > 0;
}

const endStatement: Statement = {
  name: 'end_token',
  text: `
    update hookwright.endpoint_tokens
    set fetching_until = null, failed_at = null, failure = null,
        sealed = $3, got_at = now() - $4 * interval '1 millisecond', expires_at = now() + $5 * interval '1 millisecond'
    where webhook_id = $1 and xmin::text = $2 and ${isLiving}
    returning webhook_id as "webhookId"`,
};

/**
 * Writes a new token, unless the row was changed since the question began: then another daemon's is newer.
 *
 * @param ageMs since the question began
 * @returns whether it was written
 */
export async function endToken(
  pool: pg.Pool,
  webhookId: number,
  mark: string,
  { sealed, ageMs, leftMs }: NonNullable<TokenRow['token']>,
): Promise<boolean> {
  return (await query(pool, endStatement, [webhookId, mark, sealed, ageMs, leftMs])).length > 0;
}

const failStatement: Statement = {
  name: 'fail_token',
  text: `
    update hookwright.endpoint_tokens
    set fetching_until = null, failed_at = case when $3::text is null then failed_at else now() end,
        failure = coalesce($3, failure)
    where webhook_id = $1 and xmin::text = $2`,
};

/** Ends a question without a token. @param failure its code; null: the fault was our own, so anybody may ask at once */
export async function failToken(pool: pg.Pool, webhookId: number, mark: string, failure: string | null): Promise<void> {
  await query(pool, failStatement, [webhookId, mark, failure]);
}

const voidStatement: Statement = {
  name: 'void_token',
  text: `
    update hookwright.endpoint_tokens set sealed = null, got_at = null, expires_at = null
    where webhook_id = $1 and sealed = $2 and ${isFree}`,
};

/** Removes a token that is no good, if the row still has it and nobody asks for another one. */
export async function voidToken(pool: pg.Pool, webhookId: number, sealed: Buffer): Promise<void> {
  await query(pool, voidStatement, [webhookId, sealed]);
}

const eraseStatement: Statement = {
  name: 'erase_tokens',
  text: `
    update hookwright.endpoint_tokens set sealed = null, fetching_until = null
    where webhook_id = any($1::bigint[])`,
};

/** Erases the tokens of webhooks, and keeps tokens that are on their way from being written. */
export async function eraseTokens(sql: SqlTarget, webhookIds: readonly number[]): Promise<void> {
  await query(sql, eraseStatement, [[...webhookIds]]);
}

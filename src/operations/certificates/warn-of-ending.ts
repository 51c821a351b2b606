import type pg from 'pg';
import {
  CERTIFICATE_LAST_DAYS,
  CERTIFICATE_WARN_DAYS,
  type CertificateOf,
} from '../../domain/notices/certificate-ends.js';
import { formatTimestamp } from '../../domain/text/timestamp.js';
import { inChunks } from '../../platform/concurrency/in-chunks.js';
import { query, type Statement, transaction } from '../../platform/database/database.js';
import { type OperationalEvent, originOf, raiseEvents } from '../attempts/raise-events.js';

const days = (count: number) => `interval '${count} days'`;

/** SQL condition: the certificate ends soon, or has ended. @param endsAt a time */
export const isEndingSql = (endsAt: string) => `${endsAt} <= now() + ${days(CERTIFICATE_WARN_DAYS)}`;

/** Each chunk is a transaction. */
const CHUNK_WEBHOOKS = 30;
/** One authority may have signed the certificates of all; the next hour goes on. */
const RUN_WEBHOOKS = 10_000;

/**
 * A warning from before the last days does not count within them, nor does one of a certificate that ended earlier. A
 * row that somebody changes meanwhile is left to the next time.
 */
const endingStatement: Statement = {
  name: 'read_ending_certificates',
  text: `
    select o.webhook_id as id, w.tenant_id as "tenantId", w.url, o.certificate_ends_at as "endsAt",
           case when (o.tls #>> '{client,endsAt}')::timestamptz <= o.certificate_ends_at then 'CLIENT' else 'CA' end
             as certificate
    from hookwright.webhook_options o join hookwright.webhooks w on w.id = o.webhook_id
    where o.certificate_ends_at > now() and ${isEndingSql('o.certificate_ends_at')} and w.deleted_at is null
      and not w.moving
      and (o.certificate_warned_at is null or o.certificate_warned_at < o.certificate_ends_at - case
             when o.certificate_ends_at <= now() + ${days(CERTIFICATE_LAST_DAYS)} then ${days(CERTIFICATE_LAST_DAYS)}
             else ${days(CERTIFICATE_WARN_DAYS)} end)
    order by o.certificate_ends_at, o.webhook_id limit ${CHUNK_WEBHOOKS}
    for no key update of o skip locked`,
};

interface EndingRow {
  id: number;
  tenantId: number;
  url: string;
  endsAt: Date;
  certificate: CertificateOf;
}

const warnedStatement: Statement = {
  name: 'note_certificate_warnings',
  text: 'update hookwright.webhook_options set certificate_warned_at = now() where webhook_id = any($1::bigint[])',
};

/**
 * Raises `webhook.certificate_ending` for webhooks of which a certificate ends within 14 days, and once more within 3.
 *
 * @returns how many webhooks that were
 */
export async function warnOfEndingCertificates(pool: pg.Pool): Promise<number> {
  return await inChunks(CHUNK_WEBHOOKS, () => warnOfChunk(pool), RUN_WEBHOOKS);
}

async function warnOfChunk(pool: pg.Pool): Promise<number> {
  return await transaction(pool, async (client, withCommit) => {
    const ending = await query<EndingRow>(client, endingStatement, []);
    if (ending.length > 0) {
      withCommit(query(client, warnedStatement, [ending.map(({ id }) => id)]));
      withCommit(raiseEvents(client, ending.map(eventOf)));
    }
    return ending.length;
  });
}

function eventOf({ id, tenantId, url, endsAt, certificate }: EndingRow): OperationalEvent {
  const facts = {
    webhook_id: String(id),
    origin: originOf(url),
    certificate,
    ends_at: formatTimestamp(endsAt),
  };
  return { tenantId, webhookId: id, type: 'webhook.certificate_ending', facts, count: 1 };
}

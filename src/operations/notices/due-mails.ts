import type pg from 'pg';
import { WARN_FROM_FAILURES } from '../../domain/deliveries/health-limits.js';
import { CERTIFICATE_WARN_DAYS } from '../../domain/notices/certificate-ends.js';
import {
  countMail,
  type MailRhythm,
  MERGED_MS,
  planMail,
  remindAtMs,
  tryAgainInMs,
  type WaitingNotice,
} from '../../domain/notices/plan-mail.js';
import { query, type Statement, transaction } from '../../platform/database/database.js';
import type { MailResult } from '../../platform/mail/mailer.js';
import { staysSql } from '../cells/moving.js';
import { hashOf, newSecret } from './links.js';

interface RecipientRow extends MailRhythm {
  id: number;
  tenantId: number;
  address: string;
  locale: string | null;
}

export interface DueNotice extends WaitingNotice {
  recipientId: number;
  /** The payload of the operational event, as JSON. */
  body: string;
}

export interface DueMail {
  recipient: RecipientRow;
  /** At least one. */
  notices: DueNotice[];
  /** The secret of the link in a mail that asks for a confirmation; null: it is another mail. */
  confirmSecret: Buffer | null;
}

const CONFIRM_HOURS = 24;
const HOUR_MS = 3_600_000;
/** A mail whose last try is under way waits for its end; after a crash it is given up then. */
const LAST_TRY_MS = HOUR_MS;

const ms = (column: string) => `extract(epoch from ${column})::float8 * 1000`;
const atMs = (value: string) => `to_timestamp(${value} / 1000.0)`;

/** References of new notices wait for no such lock. */
const recipientsStatement: Statement = {
  text: `
    select id, tenant_id as "tenantId", address, digest, locale, time_zone as "timeZone",
           deleted_at is null and confirmed_at is not null and unsubscribed_at is null as "wantsNotices",
           ${ms('hour_began_at')} as "hourBeganMs", mails_in_hour as "mailsInHour"
    from hookwright.notice_recipients
    where id in (select recipient_id from hookwright.notices where send_after <= ${atMs('$1')} and ${staysSql('tenant_id')}
                 order by send_after limit 1000)
    order by id limit $2 for no key update skip locked`,
};

/** Writing a mail of so many notices takes some 10 ms. The others are the next mail. */
const NOTICES_IN_MAIL_MAX = 1_000;

const noticesStatement: Statement = {
  text: `
    select n.id, n.recipient_id as "recipientId", n.topic, n.body, n.tries, n.reminders,
           ${ms('n.happened_at')} as "happenedMs", ${ms('n.send_after')} as "sendAfterMs",
           n.webhook_id is null or coalesce(w.deleted_at is null and case
             when n.topic = 'FAILING' then w.active and w.consecutive_failures >= ${WARN_FROM_FAILURES}
             when n.topic = 'KEY_BLOCKED' then exists (
               select from hookwright.ordering_queue q where q.webhook_id = w.id and q.blocked_at is not null)
             when n.topic = 'CERTIFICATE' then exists (
               select from hookwright.webhook_options o
               where o.webhook_id = w.id
                 and o.certificate_ends_at <= n.happened_at + interval '${CERTIFICATE_WARN_DAYS} days')
             when n.reminders > 0 then not w.active and w.disabled_at <= n.happened_at
               and exists (select from hookwright.deliveries d where d.webhook_id = w.id and d.status = 'HELD')
             else true end, false) as "isCurrent"
    from unnest($1::bigint[]) as r(id)
    cross join lateral (
      select * from hookwright.notices
      where recipient_id = r.id and send_after <= ${atMs('$2')}
      order by topic = 'CONFIRM' desc, id limit ${NOTICES_IN_MAIL_MAX}) n
    left join hookwright.webhooks w on w.id = n.webhook_id and w.tenant_id = n.tenant_id
    order by n.id`,
};

const postponeStatement: Statement = {
  text: `
    update hookwright.notices n
    set send_after = ${atMs('later.until')}, tries = later.tries, reminders = later.reminders
    from unnest($1::bigint[], $2::float8[], $3::integer[], $4::integer[]) as later(id, until, tries, reminders)
    where n.id = later.id`,
};

const dropStatement: Statement = { text: 'delete from hookwright.notices where id = any($1::bigint[])' };

const countStatement: Statement = {
  text: `
    update hookwright.notice_recipients
    set hour_began_at = ${atMs('$2')}, mails_in_hour = $3, confirm_hash = coalesce($4, confirm_hash),
        confirm_until = case when $4::bytea is null then confirm_until else ${atMs('$5')} end
    where id = $1`,
};

interface Postponed {
  id: number;
  untilMs: number;
  tries: number;
  reminders: number;
}

async function postpone(sql: pg.PoolClient, notices: readonly Postponed[]): Promise<void> {
  if (notices.length > 0) {
    const column = (name: keyof Postponed) => notices.map((notice) => notice[name]);
    await query(sql, postponeStatement, [column('id'), column('untilMs'), column('tries'), column('reminders')]);
  }
}

async function drop(sql: pg.PoolClient, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) {
    await query(sql, dropStatement, [[...ids]]);
  }
}

/**
 * Takes the mails that are due now, one for each recipient. Before they are sent, their notices get the time of the
 * next try, so no other process sends them meanwhile, and a mail whose process ends is sent again.
 *
 * @param recipientsMax at most this many; with fewer there may still be some whose rows are locked
 * @returns how many recipients were looked at, and their mails
 */
export async function takeDueMails(
  pool: pg.Pool,
  random: (bytes: number) => Buffer,
  nowMs: number,
  recipientsMax: number,
): Promise<{ recipients: number; mails: DueMail[] }> {
  return await transaction(pool, async (client) => {
    const recipients = await query<RecipientRow>(client, recipientsStatement, [nowMs, recipientsMax]);
    const ids = recipients.map(({ id }) => id);
    const waiting = ids.length === 0 ? [] : await query<DueNotice>(client, noticesStatement, [ids, nowMs + MERGED_MS]);
    const ofRecipients = Map.groupBy(waiting, ({ recipientId }) => recipientId);
    const mails: DueMail[] = [];
    for (const recipient of recipients) {
      const mail = await takeMail(client, random, recipient, ofRecipients.get(recipient.id) ?? [], nowMs);
      mails.push(...(mail === null ? [] : [mail]));
    }
    return { recipients: recipients.length, mails };
  });
}

async function takeMail(
  client: pg.PoolClient,
  random: (bytes: number) => Buffer,
  recipient: RecipientRow,
  waiting: readonly DueNotice[],
  nowMs: number,
): Promise<DueMail | null> {
  const isDeleted = recipient.address === '';
  const plan = isDeleted ? { send: [], drop: waiting, later: [] } : planMail(recipient, waiting, nowMs);
  await drop(
    client,
    plan.drop.map(({ id }) => id),
  );
  await postpone(client, [
    ...plan.later.map(({ notice: { id, tries, reminders }, untilMs }) => ({ id, untilMs, tries, reminders })),
    ...plan.send.map(({ id, tries, reminders }) => ({
      id,
      untilMs: nowMs + (tryAgainInMs(tries + 1) ?? LAST_TRY_MS),
      tries: tries + 1,
      reminders,
    })),
  ]);
  if (plan.send.length === 0) {
    return null;
  }
  const { hourBeganMs, mailsInHour } = countMail(recipient, nowMs);
  const confirmSecret = plan.send[0]!.topic === 'CONFIRM' ? newSecret(random) : null;
  const hash = confirmSecret && hashOf(confirmSecret);
  await query(client, countStatement, [recipient.id, hourBeganMs, mailsInHour, hash, nowMs + CONFIRM_HOURS * HOUR_MS]);
  return { recipient, notices: plan.send as DueNotice[], confirmSecret };
}

const resultStatement: Statement = {
  text: `
    update hookwright.notice_recipients
    set last_error = $2, confirmed_at = case when $3::boolean then null else confirmed_at end
    where id = $1 and deleted_at is null`,
};

const LAST_ERROR_LENGTH_MAX = 300;

/**
 * Records what became of a mail. A disabling is sent again after some days; after the last try the notices of a mail
 * that failed are dropped. An address that does not exist gets nothing more until it is confirmed again.
 */
export async function recordMail(pool: pg.Pool, { recipient, notices }: DueMail, result: MailResult): Promise<void> {
  await transaction(pool, async (client) => {
    const isTaken = result.verdict === 'TAKEN';
    const isGone = result.verdict === 'GONE';
    await query(client, resultStatement, [recipient.id, isTaken ? null : errorText(result), isGone]);
    const reminders = isTaken ? notices.flatMap((notice) => reminderOf(notice)) : [];
    await postpone(client, reminders);
    const isOver = ({ tries }: DueNotice) => isTaken || isGone || tryAgainInMs(tries + 1) === null;
    const over = notices.filter(isOver).map(({ id }) => id);
    await drop(
      client,
      over.filter((id) => reminders.every((reminder) => reminder.id !== id)),
    );
  });
}

function reminderOf(notice: DueNotice): Postponed[] {
  const untilMs = remindAtMs(notice);
  return untilMs === null ? [] : [{ id: notice.id, untilMs, tries: 0, reminders: notice.reminders + 1 }];
}

/** The answer to the mail itself; our own troubles with the server are for the operator's log. */
const errorText = (result: MailResult & { answer: string | null }): string =>
  (result.answer ?? 'The mail server of this service could not be used.')
    .replaceAll(/[\p{Cc}\p{Cs}]+/gu, ' ')
    .slice(0, LAST_ERROR_LENGTH_MAX);

/** Whether anybody is to get notices. */
export async function hasRecipients(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query(
    'select from hookwright.notice_recipients where deleted_at is null and unsubscribed_at is null limit 1',
  );
  return rows.length > 0;
}

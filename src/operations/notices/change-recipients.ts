import type { EntityManager } from '@mikro-orm/postgresql';
import { NoticeRecipient } from '../../entities/notice-recipient.js';
import { ApiError, found } from '../../errors.js';
import { type HasOrm, type HasPool, query, type SqlTarget } from '../../platform/database/database.js';
import { allocateId } from '../rows/allocate-id.js';
import { type Actor, about, audit, differences, picked } from '../rows/audit.js';
import { lockRows, lockTenant } from '../rows/lock-for-change.js';
import { managementTransaction } from '../rows/unit-of-work.js';

export const RECIPIENTS_MAX = 20;

type Settings = Pick<NoticeRecipient, 'topics' | 'digest' | 'locale' | 'timeZone'>;
const SETTINGS = ['topics', 'digest', 'locale', 'timeZone'] as const;

interface NewRecipient extends Settings {
  tenantId: number;
  address: string;
  /** A platform key says that the address belongs to somebody who wants the notices. */
  confirmed: boolean;
  by: Actor;
}

/**
 * Adds a recipient of notices. One that is not confirmed gets a mail with a link.
 *
 * @throws ApiError notice_recipient_limit_reached, notice_recipient_exists, rate_limited
 */
export async function createRecipient(
  db: HasPool & HasOrm,
  { tenantId, confirmed, by, ...settings }: NewRecipient,
): Promise<NoticeRecipient> {
  const id = await allocateId(db.pool, 'notice_recipients');
  return await managementTransaction(db, tenantId, async ({ em, sql, now }) => {
    await lockTenant(em, tenantId);
    await requireRoom(em, settings.address);
    const after = { ...settings, confirmed };
    audit(em, by, { ...about('NOTICE_RECIPIENT', tenantId, id), action: 'NOTICE_RECIPIENT_CREATED', after });
    const recipient = em.create(NoticeRecipient, {
      id,
      tenantId,
      ...settings,
      confirmedAt: confirmed ? now : null,
      unsubscribedAt: null,
      lastError: null,
      confirmHash: null,
      confirmUntil: null,
      deletedAt: null,
    });
    await em.flush();
    if (!confirmed) {
      await askForConfirmation(sql, recipient);
    }
    return recipient;
  });
}

async function requireRoom(em: EntityManager, address: string): Promise<void> {
  const recipients = await em.find(NoticeRecipient, {});
  if (recipients.some((one) => one.address.toLowerCase() === address.toLowerCase())) {
    throw new ApiError('notice_recipient_exists', `${address} is a recipient already.`);
  }
  if (recipients.length >= RECIPIENTS_MAX) {
    throw new ApiError(
      'notice_recipient_limit_reached',
      `A tenant may have ${RECIPIENTS_MAX} recipients of notices; delete one first.`,
    );
  }
}

interface RecipientChange extends Partial<Settings> {
  /** Sends another link for confirmation, also to one that has unsubscribed. */
  askAgain?: boolean;
}

/** @throws ApiError not_found; notice_recipient_exists for `askAgain` of one that gets notices; rate_limited */
export async function updateRecipient(
  db: HasOrm,
  tenantId: number,
  id: number,
  { askAgain = false, ...settings }: RecipientChange,
  by: Actor,
): Promise<NoticeRecipient> {
  return await managementTransaction(db, tenantId, async ({ em, sql }) => {
    const recipient = await lockRecipient(em, tenantId, id);
    const before = picked(recipient, SETTINGS);
    em.assign(recipient, settings);
    const changed = differences(before, picked(recipient, SETTINGS));
    if (changed !== null) {
      audit(em, by, { ...about('NOTICE_RECIPIENT', tenantId, id), action: 'NOTICE_RECIPIENT_UPDATED', ...changed });
    }
    if (askAgain) {
      if (getsNotices(recipient)) {
        throw new ApiError('notice_recipient_exists', `${recipient.address} is confirmed and gets notices.`);
      }
      await askForConfirmation(sql, recipient);
    }
    return recipient;
  });
}

/** Deletes a recipient and erases its address. @throws ApiError not_found */
export async function deleteRecipient(db: HasOrm, tenantId: number, id: number, by: Actor): Promise<void> {
  await managementTransaction(db, tenantId, async ({ em, now }) => {
    const recipient = await lockRecipient(em, tenantId, id);
    const before = picked(recipient, ['address', ...SETTINGS]);
    eraseRecipient(recipient, now);
    audit(em, by, { ...about('NOTICE_RECIPIENT', tenantId, id), action: 'NOTICE_RECIPIENT_DELETED', before });
  });
}

/** The row is deleted by housekeeping. */
export function eraseRecipient(recipient: NoticeRecipient, now: Date): void {
  recipient.deletedAt = now;
  recipient.address = '';
  recipient.lastError = null;
}

/** Has a mail sent that only says that mails arrive. @throws ApiError not_found, notice_recipient_not_confirmed */
export async function sendTestNotice(db: HasOrm, tenantId: number, id: number): Promise<NoticeRecipient> {
  return await managementTransaction(db, tenantId, async ({ em, sql }) => {
    const recipient = await lockRecipient(em, tenantId, id);
    if (!getsNotices(recipient)) {
      throw new ApiError(
        'notice_recipient_not_confirmed',
        `${recipient.address} gets no mails until somebody confirms it by the link that was sent there.`,
      );
    }
    await addNotice(sql, recipient, 'TEST');
    return recipient;
  });
}

const getsNotices = ({ confirmedAt, unsubscribedAt }: NoticeRecipient): boolean =>
  confirmedAt !== null && unsubscribedAt === null;

/** @throws ApiError not_found */
async function lockRecipient(em: EntityManager, tenantId: number, id: number): Promise<NoticeRecipient> {
  const [recipient] = await lockRows(em, NoticeRecipient, { id, tenantId, deletedAt: null });
  return found(recipient, 'notice recipient', id);
}

const noteStatement = { text: 'select hookwright.note_confirmation_request($1) as allowed' };

/** @throws ApiError rate_limited */
async function askForConfirmation(sql: SqlTarget, recipient: NoticeRecipient): Promise<void> {
  const [noted] = await query<{ allowed: boolean }>(sql, noteStatement, [recipient.address]);
  if (noted?.allowed !== true) {
    throw new ApiError(
      'rate_limited',
      'Enough links for confirmation were sent in the last 24 hours: 3 to an address, or 40 for a tenant. Try again tomorrow.',
      { retryAfterSeconds: 86_400 },
    );
  }
  await addNotice(sql, recipient, 'CONFIRM');
}

const addStatement = {
  text: `insert into hookwright.notices (tenant_id, recipient_id, topic, send_after) values ($1, $2, $3, now())`,
};

async function addNotice(sql: SqlTarget, { tenantId, id }: NoticeRecipient, topic: 'CONFIRM' | 'TEST'): Promise<void> {
  await query(sql, addStatement, [tenantId, id, topic]);
}

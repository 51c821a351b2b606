import { NoticeRecipient } from '../../entities/notice-recipient.js';
import type { HasOrm } from '../../platform/database/database.js';
import { about, audit, service } from '../rows/audit.js';
import { lockRows } from '../rows/lock-for-change.js';
import { managementTransaction } from '../rows/unit-of-work.js';
import type { SecretVault } from '../secrets/secret-vault.js';
import { hashOf, isSame, parseLink, unsubscribeSecret } from './links.js';

interface Deps {
  db: HasOrm;
  vault: Pick<SecretVault, 'hmac'>;
  clock: () => Date;
}

export type LinkKind = 'confirm' | 'unsubscribe';

/**
 * Finds the recipient that a link of a mail is for. With `follow` it is confirmed or unsubscribed; a link for
 * confirmation works once.
 *
 * @returns null: the link is wrong, was used, or has expired
 */
export async function recipientOfLink(
  { db, vault, clock }: Deps,
  kind: LinkKind,
  text: string,
  { follow }: { follow: boolean },
): Promise<NoticeRecipient | null> {
  const link = parseLink(text);
  if (link === null) {
    return null;
  }
  const { tenantId, recipientId: id, secret } = link;
  return await managementTransaction(db, tenantId, async ({ em }) => {
    const [recipient] = await lockRows(em, NoticeRecipient, { id, tenantId, deletedAt: null });
    if (recipient === undefined) {
      return null;
    }
    const now = clock();
    const isRight =
      kind === 'unsubscribe'
        ? isSame(secret, await unsubscribeSecret(vault, tenantId, id))
        : isSame(hashOf(secret), recipient.confirmHash ?? Buffer.alloc(0)) && recipient.confirmUntil! > now;
    if (isRight && follow) {
      const changes =
        kind === 'unsubscribe'
          ? { unsubscribedAt: recipient.unsubscribedAt ?? now }
          : { confirmedAt: now, unsubscribedAt: null, confirmHash: null, confirmUntil: null, lastError: null };
      em.assign(recipient, changes);
      const after = kind === 'unsubscribe' ? { unsubscribed: true } : { confirmed: true };
      audit(em, service, { ...about('NOTICE_RECIPIENT', tenantId, id), action: 'NOTICE_RECIPIENT_UPDATED', after });
    }
    return isRight ? recipient : null;
  });
}

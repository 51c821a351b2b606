import type { Logger } from 'pino';
import { type DueMail, recordMail, takeDueMails } from '../../src/operations/notices/due-mails.js';
import { writeMail } from '../../src/operations/notices/write-mail.js';
import type { SecretVault } from '../../src/operations/secrets/secret-vault.js';
import type { HasPool } from '../../src/platform/database/database.js';
import type { Mailer } from '../../src/platform/mail/mailer.js';
import type { Config } from '../../src/platform/settings/config.js';

const AT_ONCE = 10;

export interface NoticesDeps {
  config: Pick<Config, 'mail'>;
  db: HasPool;
  vault: Pick<SecretVault, 'hmac'>;
  random: (bytes: number) => Buffer;
  clock: () => Date;
  log: Logger;
}

/**
 * Sends the notices of tenants by e-mail. Every daemon does: recipients whose rows another one has locked are passed
 * over.
 *
 * @returns the work of the duty; null: no mail is sent
 */
export function sendNotices(deps: NoticesDeps): (() => Promise<void>) | null {
  const { mail } = deps.config;
  if (mail === null) {
    return null;
  }
  let mailer: Mailer | undefined;
  return async () => {
    // Not before: with its library Node loads much that nobody else uses (src/platform/node/node-http.ts).
    mailer ??= new (await import('../../src/platform/mail/mailer.js')).Mailer(mail);
    await sendDueNotices(deps, mailer, mail.publicUrl);
  };
}

/** Sends every mail that is due, some at once. @throws AggregateError the failures that are not the server's */
export async function sendDueNotices(
  deps: NoticesDeps,
  mailer: Pick<Mailer, 'send'>,
  publicUrl: string,
): Promise<void> {
  const { db, random, clock } = deps;
  const failures: unknown[] = [];
  for (let isMore = true; isMore; ) {
    const due = await takeDueMails(db.pool, random, clock().getTime(), AT_ONCE);
    const sent = await Promise.allSettled(due.mails.map((mail) => send(deps, mailer, publicUrl, mail)));
    failures.push(...sent.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])));
    isMore = due.recipients === AT_ONCE;
  }
  if (failures.length > 0) {
    throw new AggregateError(failures, 'Mails could not be written or recorded.');
  }
}

async function send({ db, vault, log }: NoticesDeps, mailer: Pick<Mailer, 'send'>, publicUrl: string, mail: DueMail) {
  const { id: recipientId, tenantId } = mail.recipient;
  const result = await mailer.send(await writeMail(vault, publicUrl, mail));
  if (result.verdict !== 'TAKEN') {
    const { verdict, error } = result;
    log.warn({ tenantId, recipientId, verdict, err: error }, 'a mail was not taken');
  }
  await recordMail(db.pool, mail, result);
}

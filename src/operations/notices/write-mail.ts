import { type Facts, mailTexts } from '../../domain/notices/mail-texts.js';
import { parseTimestamp } from '../../domain/text/timestamp.js';
import { visibleText } from '../../domain/text/visible-text.js';
import type { Mail } from '../../platform/mail/mailer.js';
import type { SecretVault } from '../secrets/secret-vault.js';
import type { DueMail, DueNotice } from './due-mails.js';
import { CONFIRM_PATH, linkText, UNSUBSCRIBE_PATH, unsubscribeSecret } from './links.js';

type Recipient = DueMail['recipient'];

interface Line {
  subject: string;
  /** Which endpoint it is about; empty: none. */
  which: string;
  text: string;
}

/** Nobody's absence notice answers: RFC 3834, and Exchange's own header. */
const AUTOMATIC = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

/** Writes a mail in the recipient's language. What the tenant wrote itself is the endpoint's name alone. */
export async function writeMail(
  vault: Pick<SecretVault, 'hmac'>,
  publicUrl: string,
  { recipient, notices, confirmSecret }: DueMail,
): Promise<Mail> {
  const { tenantId, id: recipientId } = recipient;
  if (confirmSecret !== null) {
    const link = linkText({ tenantId, recipientId, secret: confirmSecret });
    return writeConfirmation(recipient, publicUrl, publicUrl + CONFIRM_PATH + link);
  }
  const secret = await unsubscribeSecret(vault, tenantId, recipientId);
  const link = publicUrl + UNSUBSCRIBE_PATH + linkText({ tenantId, recipientId, secret });
  return writeNotices(recipient, notices, publicUrl, link);
}

/** Has no text that a tenant chose: anybody can have it sent to anybody. */
function writeConfirmation({ address, locale }: Recipient, publicUrl: string, link: string): Mail {
  const { subject, text, link: label, ignore } = mailTexts(locale).confirm(new URL(publicUrl).host);
  return {
    to: address,
    subject,
    text: `${text}\n\n${link}\n\n${ignore}\n`,
    html: page(locale, `<p>${escaped(text)}</p>\n<p><a href="${link}">${label}</a></p>\n<p>${escaped(ignore)}</p>`),
    headers: AUTOMATIC,
  };
}

function writeNotices(recipient: Recipient, notices: readonly DueNotice[], publicUrl: string, link: string): Mail {
  const { address, locale } = recipient;
  const texts = mailTexts(locale);
  const time = timesOf(locale, recipient.timeZone);
  const lines = notices.map((notice) => lineOf(notice, texts, time));
  const footer = texts.footer(new URL(publicUrl).host);
  const paragraphs = lines.map(({ which, text }) => (which === '' ? text : `${which}\n${text}`));
  const html = lines.map(({ which, text }) => `<p>${which && `<b>${escaped(which)}</b><br>`}${escaped(text)}</p>`);
  return {
    to: address,
    subject: lines.length === 1 ? lines[0]!.subject : texts.several(lines.length),
    text: `${paragraphs.join('\n\n')}\n\n-- \n${footer}\n${texts.unsubscribe}: ${link}\n`,
    html: page(
      locale,
      `${html.join('\n')}\n<hr>\n<p>${escaped(footer)} <a href="${link}">${texts.unsubscribe}</a></p>`,
    ),
    headers: {
      ...AUTOMATIC,
      'List-Unsubscribe': `<${link}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  };
}

const NAME_IN_SUBJECT_CHARS_MAX = 100;

function lineOf(
  { topic, body, reminders }: DueNotice,
  texts: ReturnType<typeof mailTexts>,
  time: (fact: string | undefined) => string,
): Line {
  const facts = JSON.parse(body) as Facts;
  const write = reminders > 0 ? texts.reminder : (texts.notices[topic] ?? texts.notices['TEST']!);
  const { webhook_id: number = '', origin = '' } = facts;
  const name = visibleText(facts['name'] ?? '');
  const { subject, text } = write((name || origin).slice(0, NAME_IN_SUBJECT_CHARS_MAX), facts, time);
  const known = number === '' ? '' : texts.which(number, origin);
  return { subject, text, which: name === '' ? known : `${name} (${known})` };
}

const timesOf = (locale: string | null, timeZone: string) => {
  const format = new Intl.DateTimeFormat(locale ?? 'en', { dateStyle: 'medium', timeStyle: 'long', timeZone });
  return (fact: string | undefined): string => {
    const time = parseTimestamp(fact ?? '');
    return time === null ? (fact ?? '') : format.format(time);
  };
};

const page = (locale: string | null, body: string): string =>
  `<!doctype html>\n<html lang="${/^de\b/i.test(locale ?? '') ? 'de' : 'en'}">\n<meta charset="utf-8">\n<body>\n${body}\n</body>\n</html>\n`;

const escaped = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`).replaceAll('\n', '<br>');

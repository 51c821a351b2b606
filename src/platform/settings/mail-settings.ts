import { isIP } from 'node:net';
import { z } from 'zod';
import { isLoopbackAddress } from '../../domain/addresses/target.js';
import { MAIL_ADDRESS } from '../../domain/notices/mail-address.js';
import { SecretSetting, Setting, type ValuesOf } from './setting.js';

const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

/** Only what is written here is used: no option of the library can turn a check off. */
function isSmtpUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || PORTS[url.protocol] === undefined || url.hostname === '') {
    return false;
  }
  try {
    decodeURIComponent(`${url.username}:${url.password}`);
  } catch {
    return false;
  }
  return /^\/?$/.test(url.pathname) && `${url.search}${url.hash}` === '';
}

const SENDER = /^(?:([^<>"\\\p{Cc}]*[^<>"\\\p{Cc} ]) )?<([^<>]+)>$/u;

const isSender = (text: string): boolean => MAIL_ADDRESS.test(SENDER.exec(text)?.[2] ?? text);

/** Settings for mails to the owners of webhooks. */
export const mailSettings = {
  smtpUrl: new SecretSetting(
    'SMTP_URL',
    z.string().refine(isSmtpUrl).optional(),
    'a URL such as smtp://user:password@mail.example.com:587 or smtps://mail.example.com, without a path; special characters in it as %25 (%), %23 (#), %2F (/), %3F (?), %40 (@) and %3A (:)',
  ),
  mailFrom: new Setting(
    'MAIL_FROM',
    z.string().refine(isSender).optional(),
    'an address such as hooks@example.com, or Hooks <hooks@example.com>',
  ),
};

/** How mails are sent. */
export interface MailConfig {
  host: string;
  port: number;
  /** TLS from the beginning, else by STARTTLS. */
  secure: boolean;
  /** The name that greets the server (EHLO). */
  greeting: string;
  /** Null: the server asks for no login. */
  auth: { user: string; pass: string } | null;
  from: { name: string; address: string };
  /** The origin of links in mails. */
  publicUrl: string;
}

/**
 * Mail servers refuse greetings that are not a full name. A container's own name is not one, so the installation's
 * public name greets, or its address as a literal (RFC 5321, 4.1.3); where that is only known on this machine or
 * network, the sender's domain.
 */
function greetingOf(publicUrl: string, from: string): string {
  const host = new URL(publicUrl).hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  const domain = from.slice(from.indexOf('@') + 1);
  switch (isIP(host)) {
    case 0:
      return host.includes('.') ? host : domain;
    case 4:
      return isLoopbackAddress(host) ? domain : `[${host}]`;
    default:
      return isLoopbackAddress(host) ? domain : `[IPv6:${host}]`;
  }
}

/** The settings without which no mails are sent, as far as they are not set. */
export const missingForMail = ({
  smtpUrl,
  mailFrom,
  publicUrl,
}: Partial<ValuesOf<typeof mailSettings>> & { publicUrl?: string | undefined }): string[] =>
  Object.entries({ SMTP_URL: smtpUrl, MAIL_FROM: mailFrom, PUBLIC_URL: publicUrl }).flatMap(([name, value]) =>
    value === undefined ? [name] : [],
  );

/** @returns null: no mails are sent, because one of SMTP_URL, MAIL_FROM and PUBLIC_URL is not set */
export function mailConfigOf(
  { smtpUrl, mailFrom: from }: ValuesOf<typeof mailSettings>,
  publicUrl: string | undefined,
): MailConfig | null {
  if (smtpUrl === undefined || from === undefined || publicUrl === undefined) {
    return null;
  }
  const { protocol, hostname, port, username, password } = new URL(smtpUrl);
  const [, name = '', address = from] = SENDER.exec(from) ?? [];
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? PORTS[protocol]! : Number(port),
    secure: protocol === 'smtps:',
    greeting: greetingOf(publicUrl, address),
    auth: username === '' ? null : { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    from: { name, address },
    publicUrl,
  };
}

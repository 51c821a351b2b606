import { createTransport, type Transporter } from 'nodemailer';
import { isLoopbackAddress } from '../../domain/addresses/target.js';
import type { MailConfig } from '../settings/mail-settings.js';

/** A server that says nothing for so long takes no mail. */
const PATIENCE_MS = 10_000;

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  headers: Record<string, string>;
}

/**
 * TAKEN: the server is responsible for it now. GONE: the address does not exist, or takes no mails at all. FAILED: it
 * may be taken another time.
 */
export type MailResult = { verdict: 'TAKEN' } | { verdict: 'GONE' | 'FAILED'; answer: string | null; error: Error };

interface SmtpError extends Error {
  code?: string;
  command?: string;
  responseCode?: number;
  response?: string;
}

/** Sends mails by the server of `SMTP_URL`. Each mail has a connection of its own. */
export class Mailer {
  readonly #transport: Transporter;
  readonly #from: MailConfig['from'];

  constructor({ host, port, secure, auth, from }: MailConfig, patienceMs = PATIENCE_MS) {
    const isLocal = host === 'localhost' || isLoopbackAddress(host);
    this.#from = from;
    this.#transport = createTransport({
      host,
      port,
      secure,
      ...(auth === null ? {} : { auth }),
      // A password never leaves the machine in plain text. The certificate is verified wherever there is one.
      requireTLS: !secure && auth !== null && !isLocal,
      tls: { rejectUnauthorized: true },
      connectionTimeout: patienceMs,
      greetingTimeout: patienceMs,
      socketTimeout: patienceMs,
      dnsTimeout: patienceMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  async send({ to, ...mail }: Mail): Promise<MailResult> {
    const { name, address } = this.#from;
    try {
      await this.#transport.sendMail({
        ...mail,
        from: { name, address },
        to: { name: '', address: to },
        envelope: { from: address, to: [to] },
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      return { verdict: 'TAKEN' };
    } catch (error) {
      return failureOf(error as SmtpError);
    }
  }

  /** Connects and logs in. @returns null: it works; else a sentence about what does not */
  async examine(): Promise<string | null> {
    try {
      await this.#transport.verify();
      return null;
    } catch (error) {
      return troubleOf(error as SmtpError);
    }
  }
}

/**
 * Only a refusal of the address itself ends a recipient. One for reasons of policy (5.7, or a login that the server
 * misses) is about this service, and would end all of them.
 */
function failureOf(error: SmtpError): MailResult {
  const { command = '', responseCode = 0, response = '' } = error;
  const isAboutMail = /^(RCPT TO|DATA)$/.test(command) && responseCode >= 400;
  const isGone =
    command === 'RCPT TO' && responseCode >= 550 && responseCode < 560 && !/^\d{3}[ -]5\.7\.\d/.test(response);
  return { verdict: isGone ? 'GONE' : 'FAILED', answer: isAboutMail ? response : null, error };
}

function troubleOf({ code = '', message, response }: SmtpError): string {
  const said = (response ?? message).replaceAll(/\s+/g, ' ').replace(/\.$/, '');
  switch (code) {
    case 'EAUTH':
      return `The server refuses the login: ${said}. Check user and password in SMTP_URL.`;
    case 'ETLS':
    case 'ESOCKET':
      return `The connection fails: ${said}. Port 465 needs smtps://, port 587 smtp://. A certificate of your own authority needs NODE_EXTRA_CA_CERTS.`;
    case 'EDNS':
      return `The server's name is not found: ${said}.`;
    case 'ETIMEDOUT':
      return `The server does not answer in time: ${said}. Check host and port, and whether a firewall blocks them.`;
    default:
      return `The server cannot be used: ${said}.`;
  }
}

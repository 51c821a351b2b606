import { createTransport, type Transporter } from 'nodemailer';
import type { SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';
import { isLoopbackAddress } from '../../domain/addresses/target.js';
import type { MailConfig } from '../settings/mail-settings.js';
import { examineServer, type MailTrouble } from './examine-server.js';
import { isPolicy, refusedPart, type SmtpError } from './refusals.js';

/** A server that says nothing for so long takes no mail. */
const WAIT_MAX_MS = 10_000;

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

/** Sends mails by the server of `SMTP_URL`. Each mail has a connection of its own. */
export class Mailer {
  readonly #config: MailConfig;
  readonly #connection: SMTPConnectionOptions;
  readonly #transport: Transporter;

  constructor(config: MailConfig, waitMaxMs = WAIT_MAX_MS) {
    const { auth } = config;
    this.#config = config;
    this.#connection = connectionOptions(config, waitMaxMs);
    this.#transport = createTransport({
      ...this.#connection,
      ...(auth === null ? {} : { auth }),
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  async send({ to, ...mail }: Mail): Promise<MailResult> {
    const { name, address } = this.#config.from;
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

  /** Tries everything that a mail needs, without one. @returns null: it works; else what does not */
  async examine(): Promise<MailTrouble | null> {
    return await examineServer(this.#connection, this.#config);
  }
}

function connectionOptions(
  { host, port, secure, auth, greeting }: MailConfig,
  waitMaxMs: number,
): SMTPConnectionOptions {
  const isLocal = host === 'localhost' || isLoopbackAddress(host);
  return {
    host,
    port,
    secure,
    name: greeting,
    // A password never leaves the machine in plain text. The certificate is verified wherever there is one.
    requireTLS: !secure && auth !== null && !isLocal,
    tls: { rejectUnauthorized: true },
    connectionTimeout: waitMaxMs,
    greetingTimeout: waitMaxMs,
    socketTimeout: waitMaxMs,
    dnsTimeout: waitMaxMs,
  };
}

/**
 * Only a refusal of the address itself ends a recipient. One for reasons of policy, or of this service's name, sender
 * or login, would end all of them.
 */
function failureOf(error: SmtpError): MailResult {
  const { command = '', responseCode = 0, response = '' } = error;
  const isAboutMail = /^(RCPT TO|DATA)$/.test(command) && responseCode >= 400 && refusedPart(error) === 'RECIPIENT';
  const isGone =
    isAboutMail && command === 'RCPT TO' && responseCode >= 550 && responseCode < 560 && !isPolicy(response);
  return { verdict: isGone ? 'GONE' : 'FAILED', answer: isAboutMail ? response : null, error };
}

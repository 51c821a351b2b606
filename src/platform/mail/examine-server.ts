import SMTPConnection, {
  type SMTPConnectionCustomAuthContext,
  type SMTPConnectionOptions,
} from 'nodemailer/lib/smtp-connection';
import type { MailConfig } from '../settings/mail-settings.js';
import { isPolicy, refusedPart, type SmtpError } from './refusals.js';

/** `warn`: the server may take mails later. `fail`: it takes none until somebody changes something. */
export interface MailTrouble {
  status: 'warn' | 'fail';
  /** Sentences with the remedy. */
  text: string;
}

type Answer = Required<Pick<SmtpError, 'command' | 'responseCode' | 'response'>>;

/** A domain that is nobody's (RFC 2606): what the server says about relaying is all that counts. */
const FOREIGN_ADDRESS = 'postmaster@example.com';

/**
 * Greets the server, logs in and names a sender and recipients, as for a mail that is never sent: the sender itself,
 * which everybody may write to, and an address of another domain.
 *
 * @returns null: the server takes mails
 */
export async function examineServer(options: SMTPConnectionOptions, config: MailConfig): Promise<MailTrouble | null> {
  let trouble: MailTrouble | null = null;
  const connection = new SMTPConnection({
    ...options,
    // The library sends single commands for a login of the caller's own kind, and only there.
    customAuth: {
      ENVELOPE: async (login) => {
        trouble = await tryEnvelope(login, config);
      },
    },
  });
  try {
    await new Promise<void>((resolve, reject) => {
      connection.on('error', reject);
      connection.on('end', () => reject(closedBy(connection)));
      converse(connection, config).then(resolve, reject);
    });
    return trouble;
  } catch (error) {
    return troubleOf(error as SmtpError, config);
  } finally {
    connection.quit();
  }
}

async function converse(connection: SMTPConnection, { auth }: MailConfig): Promise<void> {
  await settled((done) => connection.connect(done));
  if (auth !== null && connection.allowsAuth) {
    await settled((done) => connection.login(auth, done));
  }
  await settled((done) => connection.login({ method: 'ENVELOPE' }, done));
}

/** The library closes the connection at a 421 before it says what was answered. */
function closedBy({ lastServerResponse: response }: SMTPConnection): SmtpError {
  const error = new Error('The server closed the connection');
  return typeof response === 'string' && /^[45]/.test(response)
    ? Object.assign(error, { response, responseCode: Number(response.slice(0, 3)) })
    : error;
}

const settled = (begin: (done: (error?: Error | null) => void) => void) =>
  new Promise<void>((resolve, reject) => begin((error) => (error ? reject(error) : resolve())));

async function tryEnvelope(
  { sendCommand }: SMTPConnectionCustomAuthContext,
  config: MailConfig,
): Promise<MailTrouble | null> {
  const ask = async (command: string, address: string): Promise<Answer | null> => {
    const { response } = await sendCommand(`${command}:<${address}>`);
    const responseCode = Number(response.slice(0, 3));
    return responseCode < 300 ? null : { command, responseCode, response };
  };
  const { address } = config.from;
  const sender = await ask('MAIL FROM', address);
  if (sender !== null) {
    return refusal(sender, config);
  }
  const own = await ask('RCPT TO', address);
  if (own !== null && !isUnknown(own)) {
    return refusal(own, config);
  }
  const foreign = await ask('RCPT TO', FOREIGN_ADDRESS);
  return foreign === null || refusedPart(foreign) === 'RECIPIENT' ? null : refusal(foreign, config);
}

/** A sender needs no mailbox: many are called noreply. */
const isUnknown = (answer: Answer): boolean =>
  refusedPart(answer) === 'RECIPIENT' && answer.responseCode >= 550 && !isPolicy(answer.response);

const shown = (text: string) => text.replaceAll(/\s+/g, ' ').replace(/\.$/, '');

function refusal(answer: Answer, { greeting, from }: MailConfig): MailTrouble {
  const said = shown(answer.response);
  switch (refusedPart(answer)) {
    case 'GREETING':
      return fail(
        `The server refuses to be greeted as ${greeting}: ${said}. The greeting is the host of PUBLIC_URL, or the domain of MAIL_FROM where PUBLIC_URL has no full name. The server may want it to be in DNS.`,
      );
    case 'LOGIN':
      return fail(`The server wants a login: ${said}. Name user and password in SMTP_URL.`);
    case 'RELAY':
      return fail(
        `The server takes no mails for other domains: ${said}. Name user and password in SMTP_URL, or let the server relay for the address of this machine.`,
      );
    case 'SENDER':
      return fail(
        `The server refuses the sender ${from.address}: ${said}. Set MAIL_FROM to an address that may send mails by this server.`,
      );
    default:
      return answer.responseCode < 500
        ? { status: 'warn', text: `The server takes no mail at the moment: ${said}. Ask again in some minutes.` }
        : fail(`The server refuses the recipient ${from.address}: ${said}.`);
  }
}

const fail = (text: string): MailTrouble => ({ status: 'fail', text });

function troubleOf(error: SmtpError, config: MailConfig): MailTrouble {
  const { code = '', message, response, command = '', responseCode = 0 } = error;
  const said = shown(response ?? message);
  switch (code) {
    case 'EAUTH':
      return fail(`The server refuses the login: ${said}. Check user and password in SMTP_URL.`);
    case 'ETLS':
    case 'ESOCKET':
      return fail(
        `The connection fails: ${said}. Port 465 needs smtps://, port 587 smtp://. A certificate of your own authority needs NODE_EXTRA_CA_CERTS.`,
      );
    case 'EDNS':
      return fail(`The server's name is not found: ${said}.`);
    case 'ETIMEDOUT':
      return fail(
        `The server does not answer in time: ${said}. Check host and port, and whether a firewall blocks them.`,
      );
    default:
      return response !== undefined && (responseCode < 500 || /^(EHLO|HELO)$/.test(command))
        ? refusal({ command, responseCode, response }, config)
        : fail(`The server cannot be used: ${said}.`);
  }
}

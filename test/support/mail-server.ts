import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

interface ReceivedMail {
  to: string[];
  /** As it was sent. */
  source: string;
  /** By lower-case names, unfolded and decoded. */
  headers: Map<string, string>;
  text: string;
  html: string;
}

/** The answer to an address or a mail: null takes it; 'silence' never comes. */
type Reply = { code: number; text: string } | 'silence' | null;

interface Options {
  login?: { user: string; pass: string };
  tls?: { key: string; cert: string };
}

/** A real SMTP server on loopback, which keeps what it takes. */
export class MailServer implements AsyncDisposable {
  readonly mails: ReceivedMail[] = [];
  /** How it answers the next addresses. */
  toAddress: Reply = null;
  /** Called when it has a mail, before it says so. */
  onMail = () => {};

  private constructor(
    private readonly server: SMTPServer,
    readonly port: number,
  ) {}

  /**
   * @param options.login that it demands; default: none
   * @param options.tls speaks TLS from the beginning; default: never
   */
  static async open({ login, tls }: Options = {}): Promise<MailServer> {
    const server: SMTPServer = new SMTPServer({
      disabledCommands: login === undefined ? ['STARTTLS', 'AUTH'] : ['STARTTLS'],
      allowInsecureAuth: true,
      ...(tls === undefined ? {} : { secure: true, ...tls }),
      closeTimeout: 100,
      onAuth: (auth, _session, done) =>
        auth.username === login?.user && auth.password === login?.pass
          ? done(null, { user: auth.username })
          : done(new Error('Invalid username or password')),
      onRcptTo: (_address, _session, done) => {
        const { toAddress } = opened;
        if (toAddress !== 'silence') {
          done(toAddress && Object.assign(new Error(toAddress.text), { responseCode: toAddress.code }));
        }
      },
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const source = Buffer.concat(chunks).toString('latin1');
          opened.mails.push(
            read(
              source,
              session.envelope.rcptTo.map(({ address }) => address),
            ),
          );
          opened.onMail();
          done();
        });
      },
    });
    server.on('error', () => {}); // connections that are cut
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const opened = new MailServer(server, (server.server.address() as AddressInfo).port);
    return opened;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}

function read(source: string, to: string[]): ReceivedMail {
  const { headers, body } = split(source);
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1] ?? '';
  const parts = body.split(`--${boundary}`).map((part) => split(part.replace(/^\r\n/, '')));
  const partOf = (type: string) => {
    const part = parts.find((one) => one.headers.get('content-type')?.startsWith(type));
    return part === undefined ? '' : decoded(part.body, part.headers.get('content-transfer-encoding') ?? '');
  };
  return { to, source, headers, text: partOf('text/plain'), html: partOf('text/html') };
}

function split(source: string) {
  const end = source.indexOf('\r\n\r\n');
  const lines = source
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), words(line.slice(colon + 1).trim())] as const;
    }),
  );
  return { headers, body: source.slice(end + 4) };
}

const words = (text: string) =>
  text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?(q|b)\?([^?]*)\?=/gi, (_, kind: string, coded: string) =>
      decoded(
        kind.toLowerCase() === 'b' ? coded : coded.replaceAll('_', ' '),
        kind.toLowerCase() === 'b' ? 'base64' : 'quoted-printable',
      ),
    );

function decoded(text: string, encoding: string): string {
  const bytes =
    encoding === 'base64'
      ? Buffer.from(text, 'base64')
      : encoding === 'quoted-printable'
        ? Buffer.from(
            text
              .replaceAll(/=\r\n/g, '')
              .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
            'latin1',
          )
        : Buffer.from(text, 'latin1');
  return bytes.toString().replaceAll('\r\n', '\n');
}

import { type AddressInfo, connect, createServer, type Server } from 'node:net';
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
  wantsFullName?: 'like Google' | 'like Postfix';
  relays?: boolean;
}

/** The name of a greeting that servers on the internet accept. */
const isFullName = (name: string) => /^(\[(?!127\.).+\]|[^[\].]+(\.[^[\].]+)+)$/.test(name);

/** A real SMTP server on loopback, which keeps what it takes. */
export class MailServer implements AsyncDisposable {
  readonly mails: ReceivedMail[] = [];
  /** How it answers the next addresses. */
  toAddress: Reply = null;
  /** How it answers the next senders. */
  toSender: Reply = null;
  /** The names that have greeted it. */
  readonly greetings: string[] = [];
  /** Called when it has a mail, before it says so. */
  onMail = () => {};

  private constructor(
    private readonly server: SMTPServer,
    readonly port: number,
    private readonly front?: Server,
  ) {}

  /**
   * @param options.login that it demands; default: none
   * @param options.tls speaks TLS from the beginning; default: never
   * @param options.wantsFullName refuses a greeting that is not one, at once as Google's relay does, or with the first
   *   recipient as Postfix does; default: takes every name
   * @param options.relays false: takes recipients of the sender's domain alone; default: all
   */
  static async open({ login, tls, wantsFullName, relays = true }: Options = {}): Promise<MailServer> {
    const server: SMTPServer = new SMTPServer({
      disabledCommands: login === undefined ? ['STARTTLS', 'AUTH'] : ['STARTTLS'],
      allowInsecureAuth: true,
      ...(tls === undefined ? {} : { secure: true, ...tls }),
      closeTimeout: 100,
      onAuth: (auth, _session, done) =>
        auth.username === login?.user && auth.password === login?.pass
          ? done(null, { user: auth.username })
          : done(new Error('Invalid username or password')),
      onMailFrom: (_address, { hostNameAppearsAs }, done) => {
        opened.greetings.push(String(hostNameAppearsAs));
        reply(opened.toSender, done);
      },
      onRcptTo: ({ address }, { envelope, hostNameAppearsAs: name }, done) => {
        const domain = (envelope.mailFrom || { address: '' }).address.replace(/^[^@]*/, '');
        const refused =
          wantsFullName === 'like Postfix' && !isFullName(String(name))
            ? { code: 504, text: `5.5.2 <${name}>: Helo command rejected: need fully-qualified hostname` }
            : relays || address.endsWith(domain)
              ? opened.toAddress
              : { code: 454, text: `4.7.1 <${address}>: Relay access denied` };
        reply(refused, done);
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
    const { port } = server.server.address() as AddressInfo;
    const front = wantsFullName === 'like Google' ? await openFront(port) : undefined;
    const opened = new MailServer(server, front === undefined ? port : (front.address() as AddressInfo).port, front);
    return opened;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.front?.close();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}

function reply(answer: Reply, done: (error?: Error | null) => void): void {
  if (answer !== 'silence') {
    done(answer && Object.assign(new Error(answer.text), { responseCode: answer.code }));
  }
}

/** Stands before a server, and ends connections whose greeting is not a full name. */
async function openFront(port: number): Promise<Server> {
  const front = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    client.on('error', () => server.destroy());
    server.on('error', () => client.destroy());
    server.pipe(client);
    client.once('data', (line) => {
      const [, name = ''] = /^EHLO (\S+)/.exec(line.toString()) ?? [];
      if (isFullName(name)) {
        server.write(line);
        client.pipe(server);
      } else {
        server.unpipe(client).destroy();
        client.end('421 4.7.0 Try again later, closing connection. (EHLO)\r\n');
      }
    });
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  return front;
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

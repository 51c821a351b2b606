import { createServer, type Socket } from 'node:net';
import pg from 'pg';
import { listen } from './loopback.js';

/** Messages of Postgres's protocol, version 3: a letter, a length that counts itself, and a body. */
class Messages {
  #rest: Buffer = Buffer.alloc(0);

  /** The messages that are complete now. */
  add(chunk: Buffer): Buffer[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const whole: Buffer[] = [];
    while (this.#rest.length >= 5 && this.#rest.length > this.#rest.readUInt32BE(1)) {
      const length = 1 + this.#rest.readUInt32BE(1);
      whole.push(this.#rest.subarray(0, length));
      this.#rest = this.#rest.subarray(length);
    }
    return whole;
  }
}

const letterOf = (message: Buffer) => String.fromCharCode(message[0]!);

function message(letter: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(letter);
  head.writeUInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}

/** AuthenticationOk; a process and a key that no server knows; ReadyForQuery. */
const welcome = Buffer.concat([
  message('R', Buffer.alloc(4)),
  message('K', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1])),
  message('Z', Buffer.from('I')),
]);

/**
 * A connection pooler that gives a session back after each transaction, as pgbouncer does with
 * `pool_mode = transaction`: the one that was given back last is the next one's.
 */
export class TransactionPooler implements AsyncDisposable {
  readonly #idle: Socket[] = [];
  readonly #sessions: pg.Client[] = [];
  readonly #server = createServer((client) => this.#serve(client));
  url = '';

  private constructor(
    private readonly target: string,
    private readonly options: string,
  ) {}

  /** @param options of its sessions: those that its clients ask for are taken away */
  static async open(target: string, options: string): Promise<TransactionPooler> {
    const pooler = new TransactionPooler(target, options);
    const url = new URL(target);
    url.host = `127.0.0.1:${await listen(pooler.#server)}`;
    pooler.url = url.href;
    return pooler;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    await Promise.all(this.#sessions.map((session) => session.end()));
  }

  #serve(client: Socket): void {
    const asked = new Messages();
    let queries: Promise<void> = Promise.resolve();
    let session: Socket | null = null;
    client.on('error', () => {});
    client.once('data', () => {
      client.write(welcome); // to the only message without a letter, with parameters that nobody passes on
      client.on('data', (chunk: Buffer) => {
        for (const one of asked.add(chunk)) {
          queries = queries.then(async () => {
            if (letterOf(one) !== 'X') {
              session = await this.#forward(one, session ?? (await this.#take()), client);
            }
          });
        }
      });
    });
  }

  /** @returns the session that goes on being the client's; null: it has been given back */
  #forward(one: Buffer, session: Socket, client: Socket): Promise<Socket | null> {
    session.write(one);
    if (!'QS'.includes(letterOf(one))) {
      return Promise.resolve(session); // its answers come with those to the Sync after it
    }
    return new Promise((resolve) => {
      const answers = new Messages();
      const hear = (chunk: Buffer) => {
        client.write(chunk);
        const ready = answers.add(chunk).find((answer) => letterOf(answer) === 'Z');
        if (ready === undefined) {
          return;
        }
        session.off('data', hear);
        const isOver = String.fromCharCode(ready[5]!) === 'I';
        if (isOver) {
          this.#idle.push(session);
        }
        resolve(isOver ? null : session);
      };
      session.on('data', hear);
    });
  }

  async #take(): Promise<Socket> {
    const idle = this.#idle.pop();
    if (idle !== undefined) {
      return idle;
    }
    const session = new pg.Client({ connectionString: this.target, options: this.options });
    await session.connect();
    this.#sessions.push(session);
    const { stream } = (session as unknown as { connection: { stream: Socket } }).connection;
    stream.removeAllListeners('data');
    return stream;
  }
}

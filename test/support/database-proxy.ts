import { connect, createServer, type Socket } from 'node:net';
import { listen } from './loopback.js';

/** The server has answered all that it will once it has been silent for so long. */
const SILENCE_MS = 100;
/** A mark may be cut in two by the chunks of a stream. */
const OVERLAP_CHARACTERS = 64;

interface Pair {
  client: Socket;
  server: Socket;
  /** The end of what the client has sent. */
  tail: string;
  losing: boolean;
}

/**
 * Stands between services and Postgres, so that a test can take the database away, swallow everything, or lose what the
 * server answers: the statement has been done, but the client will never know.
 */
export class DatabaseProxy implements AsyncDisposable {
  readonly #pairs = new Set<Pair>();
  readonly #server = createServer((client) => this.#join(client));
  /** The text that a client sends before the reply is lost, and how many replies are still to be lost. */
  #loss = { mark: '', left: 0 };
  /** The database's URL by way of this proxy. */
  url = '';
  /** How many replies have been lost. */
  lost = 0;
  /** How many connections were refused because the database was away. */
  refused = 0;
  #isSilent = false;
  #isAway = false;

  private constructor(private readonly target: URL) {}

  static async open(databaseUrl: string): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(new URL(databaseUrl));
    const url = new URL(databaseUrl);
    url.host = `127.0.0.1:${await listen(proxy.#server)}`;
    proxy.url = url.href;
    return proxy;
  }

  /**
   * The next time that a client has sent the mark, its connection ends without the reply: after the server has done
   * what it was asked. Called again before that, it does so once more.
   */
  loseReply(mark: string): void {
    this.#loss = { mark, left: (this.#loss.mark === mark ? this.#loss.left : 0) + 1 };
    for (const pair of this.#pairs) {
      pair.tail = '';
    }
  }

  /** From now on nothing comes through and nothing is closed, like a network that has gone. */
  swallow(): void {
    this.#isSilent = true;
    for (const { client, server } of this.#pairs) {
      client.pause();
      server.pause();
    }
  }

  /** Breaks every connection, on both sides, and refuses new ones until `bringBack`. */
  takeAway(): void {
    this.#isAway = true;
    for (const pair of [...this.#pairs]) {
      this.#part(pair);
    }
  }

  bringBack(): void {
    this.#isAway = false;
    this.#isSilent = false;
    for (const { client, server } of this.#pairs) {
      client.resume();
      server.resume();
    }
  }

  async close(): Promise<void> {
    this.takeAway();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #join(client: Socket): void {
    if (this.#isAway) {
      this.refused += 1;
      client.destroy();
      return;
    }
    const server = connect(Number(this.target.port), this.target.hostname);
    const pair: Pair = { client, server, tail: '', losing: false };
    this.#pairs.add(pair);
    let silence: NodeJS.Timeout | undefined;
    const listenForSilence = () => {
      clearTimeout(silence);
      silence = setTimeout(() => this.#part(pair), SILENCE_MS);
    };
    client.on('data', (chunk: Buffer) => {
      const { losing } = pair;
      this.#watch(pair, chunk);
      if (pair.losing && !losing) {
        listenForSilence();
      }
      server.write(chunk);
    });
    server.on('data', (chunk: Buffer) => {
      if (pair.losing) {
        listenForSilence();
      } else {
        client.write(chunk);
      }
    });
    for (const socket of [client, server]) {
      socket.on('error', () => {});
      socket.on('close', () => {
        // While the network is gone, neither side hears of the other's end; both do when it is back.
        if (!this.#isSilent) {
          clearTimeout(silence);
          this.#part(pair);
        }
      });
      if (this.#isSilent) {
        socket.pause();
      }
    }
  }

  #part(pair: Pair): void {
    this.#pairs.delete(pair);
    pair.client.destroy();
    pair.server.destroy();
  }

  #watch(pair: Pair, chunk: Buffer): void {
    const loss = this.#loss;
    if (loss.left === 0 || pair.losing) {
      return;
    }
    const text = pair.tail + chunk.toString('latin1');
    pair.losing = text.includes(loss.mark);
    if (pair.losing) {
      loss.left -= 1;
      this.lost += 1;
    } else {
      pair.tail = text.slice(-OVERLAP_CHARACTERS);
    }
  }
}

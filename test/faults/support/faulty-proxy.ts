import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The server has answered all that it will once it has been silent for so long. */
const SILENCE_MS = 100;
/** A mark may be cut in two by the chunks of a stream. */
const OVERLAP_CHARACTERS = 64;

interface Loss {
  /** Texts that the client sends on one connection, in this order. */
  marks: readonly string[];
  left: number;
}

interface Pair {
  client: Socket;
  server: Socket;
  /** How many of the marks have come, and the end of what the client has sent since. */
  marksSeen: number;
  tail: string;
  losing: boolean;
}

/**
 * Stands between a process and Postgres, and loses what the server answers: the statement has been done, but whoever
 * asked for it will never know. Or freezes: forwards nothing and closes nothing, like a network that has gone.
 */
export class FaultyProxy implements AsyncDisposable {
  readonly #pairs = new Set<Pair>();
  readonly #server = createServer((client) => this.#join(client));
  #loss: Loss | null = null;
  #lost = 0;
  #isFrozen = false;
  #isAway = false;

  private constructor(private readonly target: URL) {}

  static async open(databaseUrl: string): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(new URL(databaseUrl));
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** The database's URL by way of this proxy. */
  get url(): string {
    const url = new URL(this.target);
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  /** How many replies have been lost. */
  get lost(): number {
    return this.#lost;
  }

  /**
   * The next time that a client has sent all of the marks on a connection, that connection ends without the reply:
   * after the server has done what it was asked. Called again before that, it does so once more.
   */
  loseReply(...marks: string[]): void {
    const same = this.#loss?.marks.join() === marks.join();
    this.#loss = { marks, left: (same ? (this.#loss?.left ?? 0) : 0) + 1 };
    for (const pair of this.#pairs) {
      Object.assign(pair, { marksSeen: 0, tail: '' });
    }
  }

  freeze(): void {
    this.#isFrozen = true;
    for (const { client, server } of this.#pairs) {
      client.pause();
      server.pause();
    }
  }

  thaw(): void {
    this.#isFrozen = false;
    for (const { client, server } of this.#pairs) {
      client.resume();
      server.resume();
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
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.takeAway();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client: Socket): void {
    if (this.#isAway) {
      client.destroy();
      return;
    }
    const server = connect(Number(this.target.port), this.target.hostname);
    const pair: Pair = { client, server, marksSeen: 0, tail: '', losing: false };
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
        // While the network is gone, neither side hears of the other's end; both do at the thaw.
        if (!this.#isFrozen) {
          clearTimeout(silence);
          this.#part(pair);
        }
      });
      if (this.#isFrozen) {
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
    if (loss === null || loss.left === 0 || pair.losing) {
      return;
    }
    let text = pair.tail + chunk.toString('latin1');
    for (let mark = loss.marks[pair.marksSeen]; mark !== undefined; mark = loss.marks[pair.marksSeen]) {
      const at = text.indexOf(mark);
      if (at === -1) {
        pair.tail = text.slice(-OVERLAP_CHARACTERS);
        return;
      }
      text = text.slice(at + mark.length);
      pair.marksSeen += 1;
    }
    loss.left -= 1;
    this.#lost += 1;
    pair.losing = true;
  }
}

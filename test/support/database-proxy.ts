import { connect, createServer, type Socket } from 'node:net';
import { listen } from './loopback.js';

/** Stands between services and their database, so that a test can take the database away and bring it back. */
export class DatabaseProxy {
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((client) => this.#join(client));
  /** How many connections were refused because the database was away. */
  refused = 0;
  #isAway = false;
  #isSilent = false;
  #url = '';

  private constructor(private readonly target: URL) {}

  static async open(databaseUrl: string): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(new URL(databaseUrl));
    const url = new URL(databaseUrl);
    url.host = `127.0.0.1:${await listen(proxy.#server)}`;
    proxy.#url = url.href;
    return proxy;
  }

  /** The database's URL by way of this proxy. */
  get url(): string {
    return this.#url;
  }

  /** Breaks every connection, and refuses new ones from now on. */
  takeAway(): void {
    this.#isAway = true;
    for (const socket of this.#sockets) {
      socket.destroy();
    }
  }

  /** From now on nothing comes through, on old connections and new ones, and nobody is told. */
  swallow(): void {
    this.#isSilent = true;
    for (const socket of this.#sockets) {
      socket.pause();
    }
  }

  bringBack(): void {
    this.#isAway = false;
    this.#isSilent = false;
    for (const socket of this.#sockets) {
      socket.resume();
    }
  }

  async close(): Promise<void> {
    this.takeAway();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client: Socket): void {
    if (this.#isAway) {
      this.refused += 1;
      client.destroy();
      return;
    }
    const server = connect(Number(this.target.port), this.target.hostname);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
      if (this.#isSilent) {
        from.pause();
      }
    }
  }
}

import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { Pool } from 'undici';
import { serveMethods } from './child.js';

/**
 * The floor: the least that a program on Node with pg and undici can do for an event. It takes a POST, inserts a row,
 * answers, signs the body, posts it on, and updates the row. It has no schema, no limits, no retries and no log.
 */

interface Over {
  databaseUrl: string;
  /** Where it posts to: a url at the receiver. */
  url: string;
}

const TABLE = `
  create schema if not exists floor;
  create table if not exists floor.events (id bigserial primary key, body text not null, status integer)`;
const insert = { name: 'insert', text: 'insert into floor.events (body) values ($1) returning id' };
const update = { name: 'update', text: 'update floor.events set status = $2 where id = $1' };
const KEY = 'floor';
const CONNECTIONS = 10;

class Floor {
  readonly #pool: pg.Pool;
  readonly #receiver: Pool;
  readonly #path: string;
  readonly #underWay = new Set<Promise<void>>();

  constructor({ databaseUrl, url }: Over) {
    this.#pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS });
    this.#pool.on('error', () => {}); // an idle connection that ends with the server is not news
    const { origin, pathname } = new URL(url);
    this.#receiver = new Pool(origin);
    this.#path = pathname;
  }

  /** @returns its origin */
  async open(): Promise<string> {
    await this.#pool.query(TABLE);
    const server = createServer((request, response) => void this.#take(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    await new Promise((resolve) => request.once('end', resolve));
    const body = Buffer.concat(chunks).toString();
    const { rows } = await this.#pool.query<{ id: string }>({ ...insert, values: [body] });
    const { id } = rows[0]!;
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ id }));
    const sent = this.#send(id, body).finally(() => this.#underWay.delete(sent));
    this.#underWay.add(sent);
  }

  async #send(id: string, body: string): Promise<void> {
    const signature = createHmac('sha256', KEY).update(body).digest('hex');
    const { statusCode, body: answer } = await this.#receiver.request({
      path: this.#path,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'X-Service-Delivery': id,
        'X-Service-Signature': `sha256=${signature}`,
      },
      body,
    });
    await answer.text();
    await this.#pool.query({ ...update, values: [id, statusCode] });
  }

  /** Waits for what is under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }
}

let floor: Floor;

const methods = {
  /** @returns the origin that it listens at */
  open(over: Over): Promise<string> {
    floor = new Floor(over);
    return floor.open();
  },
  settled(_: null): Promise<void> {
    return floor.settled();
  },
};
export type FloorMethods = typeof methods;

serveMethods(methods);

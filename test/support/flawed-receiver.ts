import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

type Headers = IncomingHttpHeaders & Record<string, string | undefined>;

/** A receiver in parts, as people write it by hand: each part can be replaced by one with a fault. */
export interface Parts {
  method: string;
  answersGet: number;
  closes: boolean;
  delayMs: number;
  /** Before the body is read. @returns a status to answer with */
  early(headers: Headers, seen: Set<string>): number | undefined;
  read(request: IncomingMessage): Promise<Buffer>;
  isGenuine(headers: Headers, body: Buffer, secret: string): boolean;
  isRecent(timestamp: number): boolean;
  entries(header: string): string[];
  equals(a: string, b: string): boolean;
  /** What is in the signed text in the place of the body. */
  signed(body: Buffer): string | Buffer;
  refuses: number;
  /** @returns whether it is the first delivery with this id */
  claim(id: string, seen: Set<string>): Promise<boolean>;
  repeated: number;
  /** The answer to a genuine delivery. */
  handle(event: string, body: Buffer, headers: Headers): number;
}

const GOOD: Parts = {
  method: 'POST',
  answersGet: 405,
  closes: false,
  delayMs: 0,
  early: () => undefined,
  async read(request) {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  },
  isGenuine(headers, body, secret) {
    const mac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'));
    mac.update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`).update(this.signed(body));
    const expected = `v1,${mac.digest('base64')}`;
    const fits = this.entries(headers['webhook-signature'] ?? '').some((entry) => this.equals(entry, expected));
    return fits && this.isRecent(Number(headers['webhook-timestamp']));
  },
  isRecent: (timestamp) => Math.abs(Date.now() / 1_000 - timestamp) <= 300,
  entries: (header) => header.split(' '),
  equals: (a, b) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b)),
  signed: (body) => body,
  refuses: 401,
  async claim(id, seen) {
    const isNew = !seen.has(id);
    seen.add(id);
    return isNew;
  },
  repeated: 204,
  handle: () => 204,
};

/** The whole check of a good receiver, for one that does something beside it. */
export const isGenuine = (headers: Headers, body: Buffer, secret: string): boolean =>
  GOOD.isGenuine(headers, body, secret);

/** Starts it. `effects`: an URL with the number of deliveries that it has handled. */
export async function startReceiver(secret: string, changes: Partial<Parts> = {}) {
  const receiver = { ...GOOD, ...changes };
  const seen = new Set<string>();
  let effects = 0;
  const answer = async (request: IncomingMessage): Promise<number> => {
    const headers = request.headers as Headers;
    const early = receiver.early(headers, seen);
    if (early !== undefined) {
      request.resume();
      return early;
    }
    const body = await receiver.read(request);
    if (!receiver.isGenuine(headers, body, secret)) {
      return receiver.refuses;
    }
    if (!(await receiver.claim(headers['webhook-id'] ?? '', seen))) {
      return receiver.repeated;
    }
    effects += 1;
    return receiver.handle(headers['x-service-event'] ?? '', body, headers);
  };
  const server = createServer(async (request, response) => {
    if (request.method !== receiver.method) {
      response.statusCode = request.url === '/effects' ? 200 : receiver.answersGet;
      response.end(String(effects));
      return;
    }
    response.shouldKeepAlive = !receiver.closes;
    await new Promise((resolve) => setTimeout(resolve, receiver.delayMs));
    response.statusCode = await answer(request).catch(() => 500);
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/hooks`,
    effects: `${origin}/effects`,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

import { type AddressInfo, createServer, type Socket } from 'node:net';
import { serveMethods } from './child.js';
import { type HttpRequest, readRequest } from './http-request.js';
import { nowMicroseconds } from './payload.js';
import { type ReceiptReport, Receipts } from './receipts.js';

/**
 * The endpoint of the bench: a process that answers every POST with 200 and keeps count. A path is
 * `/<group>/<anything>`; groups are counted apart, and one may answer late or never.
 */

const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok');
const NO_BYTES: Buffer = Buffer.alloc(0);

let groups = new Map<string, Receipts>();
let secrets = new Map<string, string>();
let delays = new Map<string, number | null>();

function receiptsOf(group: string): Receipts {
  let receipts = groups.get(group);
  if (receipts === undefined) {
    receipts = new Receipts();
    groups.set(group, receipts);
  }
  return receipts;
}

function receive(socket: Socket, request: HttpRequest): void {
  const group = request.path.slice(1, request.path.indexOf('/', 1));
  const receipts = receiptsOf(group);
  receipts.record(request, secrets.get(request.path), nowMicroseconds());
  const delayMs = delays.get(group);
  if (delayMs === undefined) {
    socket.write(ANSWER);
    return;
  }
  const leave = receipts.enter();
  socket.once('close', leave);
  if (delayMs !== null) {
    setTimeout(() => {
      socket.off('close', leave);
      leave();
      if (!socket.destroyed) {
        socket.write(ANSWER);
      }
    }, delayMs);
  }
}

function serve(socket: Socket): void {
  let rest: Buffer = NO_BYTES;
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let request = readRequest(bytes); request !== null; request = readRequest(bytes, start)) {
      receive(socket, request);
      start = request.end;
      if (start === bytes.length) {
        rest = NO_BYTES;
        return;
      }
    }
    rest = bytes.subarray(start);
  });
}

const server = createServer(serve);

const methods = {
  /** @returns the origin that it listens at */
  async listen(_: null): Promise<string> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 1024, resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
  /** Secrets by path, for the check of signatures. */
  trust(byPath: Record<string, string>): void {
    secrets = new Map([...secrets, ...Object.entries(byPath)]);
  },
  /** How long a group waits before it answers, in ms; null: it never does. */
  delay({ group, ms }: { group: string; ms: number | null }): void {
    delays = new Map(delays).set(group, ms);
  },
  /** Forgets what it has counted. */
  reset(_: null): void {
    groups = new Map();
  },
  report(group: string): ReceiptReport {
    return receiptsOf(group).report();
  },
  /**
   * Waits until a group has this many deliveries.
   *
   * @returns when that was, in microseconds since 1970; null when it was not within the time
   */
  async reached({ group, deliveries, timeoutMs }: Goal): Promise<number | null> {
    const timeout = Promise.withResolvers<null>();
    const timer = setTimeout(() => timeout.resolve(null), timeoutMs);
    const at = await Promise.race([receiptsOf(group).reach(deliveries), timeout.promise]);
    clearTimeout(timer);
    return at;
  },
};

interface Goal {
  group: string;
  deliveries: number;
  timeoutMs: number;
}
export type ReceiverMethods = typeof methods;

serveMethods(methods);

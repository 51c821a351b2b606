import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Behaviour, type RateLimit } from '../test/support/behaviour.js';
import { serveMethods } from './child.js';
import { type HttpRequest, readRequest } from './http-request.js';
import { arrivedIn, type Journal } from './journal.js';
import { nowMicroseconds } from './payload.js';
import { type Noted, type ReceiptReport, Receipts } from './receipts.js';

/**
 * The endpoint of the bench: a process that answers every POST with 200 and keeps count. A path is
 * `/<group>/<anything>`; groups are counted apart, and one may behave otherwise: answer late or never, stall, or limit.
 * A journal is kept of such a group's requests.
 */

const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok');
const NO_BYTES: Buffer = Buffer.alloc(0);

let groups = new Map<string, Receipts>();
let secrets = new Map<string, string>();
const behaviours = new Map<string, Behaviour>();
/** Each open connection: whose request came last, of the groups that have a behaviour, and how many of them wait. */
const connections = new Map<Socket, { group: string | null; waiting: number }>();
let port = 0;

function behaviourOf(group: string): Behaviour {
  let behaviour = behaviours.get(group);
  if (behaviour === undefined) {
    behaviour = new Behaviour();
    behaviours.set(group, behaviour);
  }
  return behaviour;
}

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
  const at = nowMicroseconds();
  receipts.record(request, secrets.get(request.path), at);
  const behaviour = behaviours.get(group);
  if (behaviour === undefined) {
    socket.write(ANSWER);
  } else {
    receiveAs(behaviour, group, socket, receipts.note(request, at));
  }
}

function receiveAs(behaviour: Behaviour, group: string, socket: Socket, noted: Noted): void {
  const connection = connections.get(socket)!;
  connection.group = group;
  connection.waiting += 1;
  socket.once('close', noted.leave);
  behaviour.treat((status, headers) => {
    if (!socket.destroyed) {
      connection.waiting -= 1;
      socket.off('close', noted.leave);
      socket.write(status === 200 ? ANSWER : badAnswer(status, headers));
      noted.answered(status, nowMicroseconds());
    }
  });
}

function badAnswer(status: 429 | 500, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ ...headers, 'Content-Length': '0' }).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${status} ${status === 429 ? 'Too Many Requests' : 'Internal Server Error'}\r\n${lines.join('\r\n')}\r\n\r\n`;
}

function serve(socket: Socket): void {
  let rest: Buffer = NO_BYTES;
  socket.setNoDelay(true);
  connections.set(socket, { group: null, waiting: 0 });
  socket.on('close', () => connections.delete(socket));
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

async function listen(): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', 1024, () => {
      server.off('error', reject);
      resolve();
    });
  });
  port = (server.address() as AddressInfo).port;
}

const methods = {
  /** @returns the origin that it listens at */
  async listen(_: null): Promise<string> {
    await listen();
    return `http://127.0.0.1:${port}`;
  },
  /** Secrets by path, for the check of signatures. */
  trust(byPath: Record<string, string>): void {
    secrets = new Map([...secrets, ...Object.entries(byPath)]);
  },
  /** How long a group waits before it answers, in ms: always the same, or between two; null: it never does. */
  delay({ group, ms }: { group: string; ms: Behaviour['latencyMs'] }): void {
    behaviourOf(group).latencyMs = ms;
  },
  /** From now on a group answers this share of its requests 500. */
  fail({ group, percent }: { group: string; percent: number }): void {
    behaviourOf(group).failPercent = percent;
  },
  /** From now on a group reads requests and answers none. */
  stall(group: string): void {
    behaviourOf(group).stall();
  },
  /** Ends it: what the group has got meanwhile is answered now, or never. */
  endStall({ group, dueOnes }: { group: string; dueOnes: 'answered' | 'never' }): void {
    behaviourOf(group).endStall(dueOnes);
  },
  /** Above this a group answers 429. */
  limit({ group, limit }: { group: string; limit: RateLimit }): void {
    behaviourOf(group).limitTo(limit);
  },
  /** A group answers at once again, and keeps no journal. */
  behave(group: string): void {
    behaviours.delete(group);
  },
  /** Resets every connection, and refuses new ones, until `accept`: no group can be reached. */
  async refuse(_: null): Promise<void> {
    for (const socket of connections.keys()) {
      socket.resetAndDestroy();
    }
    await new Promise((resolve) => server.close(resolve));
  },
  /** Listens again, at the same port. */
  async accept(_: null): Promise<void> {
    if (!server.listening) {
      await listen();
    }
  },
  /** Ends a group's connections on which nothing waits for its answer. @returns how many these were */
  closeIdle(group: string): number {
    const idle = [...connections].filter(([, one]) => one.group === group && one.waiting === 0);
    for (const [socket] of idle) {
      socket.destroy(); // not `end`: what comes now is answered by a reset, as by any server that has closed
    }
    return idle.length;
  },
  /** Forgets what it has counted. */
  reset(_: null): void {
    groups = new Map();
  },
  report(group: string): ReceiptReport {
    return receiptsOf(group).report();
  },
  /** Every request to a group that has a behaviour. */
  journal(group: string): Journal {
    return receiptsOf(group).journal;
  },
  /** How many deliveries a group that has a behaviour has answered 200. */
  answered(group: string): number {
    return arrivedIn(receiptsOf(group).journal).size;
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

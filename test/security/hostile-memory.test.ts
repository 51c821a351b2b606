import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, expect, test } from 'vitest';
import { type HostileKind, hostileKinds } from '../support/hostile-kinds/index.js';
import { answersEach, type HostileReceiver, response, startHostileReceiver } from '../support/hostile-receivers.js';
import { openSender } from '../support/sender.js';

const MIB = 1024 * 1024;
const RUNS = 300;
const AT_ONCE = 10;

const request = {
  headers: { 'content-type': 'application/json', 'accept-encoding': 'identity' },
  body: Buffer.from('{"a":1}'),
};

/** Receivers that send without end or refuse silently, without TLS. */
const greedy = hostileKinds.filter(
  ({ what, options, start }) =>
    start === undefined && options === undefined && /flood|endless|drips|KiB|MB|bomb|cookies|headers/.test(what),
);
const started: HostileReceiver[] = [];

setFlagsFromString('--expose-gc');
const makeSender = (totalTimeoutMs: number) => openSender({ totalTimeoutMs, connectionsPerOriginMax: 100 });
const sender = makeSender(150);
afterAll(async () => {
  await sender.close();
  await Promise.all(started.map((receiver) => receiver.close()));
});

async function start(misbehave: HostileKind['misbehave']): Promise<string> {
  const receiver = await startHostileReceiver(misbehave);
  started.push(receiver);
  return receiver.url;
}

/** The memory in use after garbage collection. */
async function bytesInUse(): Promise<number> {
  const collectGarbage = runInNewContext('gc') as () => void;
  for (let i = 0; i < 5; i++) {
    collectGarbage();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test(`${RUNS} attempts at receivers that send without end leave nothing behind`, async () => {
  expect(greedy.length).toBeGreaterThanOrEqual(25);
  const urls = await Promise.all(greedy.map(({ misbehave }) => start(misbehave)));
  const run = async (times: number) => {
    for (let done = 0; done < times; done += AT_ONCE) {
      const some = Array.from({ length: AT_ONCE }, (_, i) => urls[(done + i) % urls.length]!);
      await Promise.all(some.map((url) => sender.send(url, request)));
    }
  };
  await run(RUNS / 2); // caches and pools are filled
  const before = await bytesInUse();
  await run(RUNS);
  expect((await bytesInUse()) - before).toBeLessThan(5 * MIB);
}, 120_000);

test('the limit is of one answer: a connection may bring any number of them', async () => {
  await using receiver = await startHostileReceiver(answersEach(response(200, 'x'.repeat(60_000))));
  const by = makeSender(10_000);
  for (let sent = 0; sent < 40; sent++) {
    expect(await by.send(receiver.url, request)).toMatchObject({ kind: 'response', statusCode: 200 });
  }
  await by.close();
  // Two: undici lends a connection again only after a turn of the event loop.
  expect(receiver.connections).toBeLessThanOrEqual(2);
});

const PADDING = 64 * 1024;

// A byte that is kept must not keep the 64 KiB in memory that it was read with.
test.each<[string, HostileKind['misbehave']]>([
  [
    'bytes of a body between long extensions of chunks',
    repeats(
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
      Buffer.from(`1;a=${'x'.repeat(PADDING)}\r\ny\r\n`),
    ),
  ],
  [
    'bytes of headers between long spaces',
    repeats('HTTP/1.1 200 OK\r\n', Buffer.from(`a:${' '.repeat(PADDING)}b\r\n`)),
  ],
])('%s do not fill the memory while an attempt is under way', async (_what, misbehave) => {
  const by = makeSender(2000);
  const url = await start(misbehave);
  const before = await bytesInUse();
  let most = 0;
  const watch = setInterval(() => {
    const { heapUsed, external } = process.memoryUsage();
    most = Math.max(most, heapUsed + external - before);
  }, 5);
  await by.send(url, request);
  clearInterval(watch);
  await by.close();
  expect(most).toBeLessThan(16 * MIB);
});

/** Writes as fast as it is read, from the same buffer, so that only the other side can grow. */
function repeats(first: string, again: Buffer): HostileKind['misbehave'] {
  return (socket) => {
    socket.write(first, 'latin1');
    const next = () => {
      if (!socket.destroyed) {
        socket.write(again, () => setImmediate(next));
      }
    };
    next();
  };
}

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Daemon } from '../../daemon/daemon.js';
import { createNameResolver, type NameResolver, NamesGone } from '../../daemon/sending/name-resolver.js';
import { startAbsentReceiver, startDeafReceiver } from '../support/absent-receivers.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { type DnsAnswers, type FakeDns, has, startFakeDns } from '../support/fake-dns.js';
import { answer, startReceiver } from '../support/receiver.js';
import { openSender } from '../support/sender.js';

let dns: FakeDns;
beforeEach(async () => {
  dns = await startFakeDns();
});
afterEach(() => dns.close());

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;
const request = { headers: {}, body: Buffer.from('{}') };
const onLoopback = has(['127.0.0.1'], { ttl: 0 });
const silent: DnsAnswers = () => null;
const brokenServer: DnsAnswers = () => ({ code: 2 });
const noSuchName: DnsAnswers = () => ({ code: 3 });

describe('a name that does not resolve', () => {
  const asker = () => {
    const lookup = createNameResolver({ servers: [dns.server], timeoutMs: 200 });
    return (name: string) =>
      lookup(name).then(
        () => 'resolved',
        (error) => String(error.code),
      );
  };

  test.each([
    ['nobody answers', silent],
    ['the servers cannot find out', brokenServer],
  ])('is a fault of ours when %s, also for names that resolved', async (_, answers) => {
    dns.answerWith(onLoopback);
    const resolve = asker();
    expect(await Promise.all([resolve('a.example'), resolve('b.test')])).toEqual(['resolved', 'resolved']);
    dns.answerWith(answers);
    expect(await Promise.all([resolve('a.example'), resolve('new.example')])).toEqual(['NAMES_GONE', 'NAMES_GONE']);
  });

  test.each<[string, DnsAnswers]>([
    ['others still resolve', (name, type) => (name === 'b.test' ? onLoopback(name, type) : null)],
    ['the servers say that there is none', noSuchName],
  ])('is a failure of its receiver when %s', async (_, answers) => {
    dns.answerWith(onLoopback);
    const resolve = asker();
    await Promise.all([resolve('a.example'), resolve('b.test')]);
    dns.answerWith(answers);
    expect(await resolve('a.example')).toBe('ENOTFOUND');
  });

  test('is asked for once more when the others resolve: they may just have come back', async () => {
    dns.answerWith(onLoopback);
    const resolve = asker();
    await Promise.all([resolve('a.example'), resolve('b.test')]);
    dns.answerWith((name, type) => {
      if (name === 'b.test') {
        dns.answerWith(onLoopback);
      }
      return name === 'b.test' ? onLoopback(name, type) : null;
    });
    expect(await resolve('a.example')).toBe('resolved');
  });
});

const senderWith = (known: Pick<NameResolver, 'gone'>) =>
  openSender({ connectTimeoutMs: 200, totalTimeoutMs: 5_000, lookup: Object.assign(createNameResolver(), known) });

describe('an endpoint that cannot be reached', () => {
  test.each([
    ['is not to blame when no name resolves either', true],
    ['has failed when names resolve', false],
  ])('%s', async (_, gone) => {
    await using deaf = await startDeafReceiver();
    const sender = senderWith({ gone: async () => gone });
    const sent = sender.send(deaf.url, request);
    if (gone) {
      await expect(sent).rejects.toThrow(NamesGone);
    } else {
      expect(await sent).toMatchObject({ kind: 'error', code: 'CONNECT_TIMEOUT' });
    }
    await sender.close();
  });

  test('has failed when it refuses a connection: it was reached', async () => {
    await using absent = await startAbsentReceiver();
    const sender = senderWith({ gone: async () => true });
    expect(await sender.send(absent.url, request)).toMatchObject({ kind: 'error', code: 'CONNECT_FAILED' });
    await sender.close();
  });

  test.skipIf(!hasPrlimit).each(['127.0.0.1', 'a.example.com'])(
    'is not to blame when we have no socket left: %s',
    async (host) => {
      await using absent = await startAbsentReceiver();
      const url = absent.url.replace('127.0.0.1', host);
      const sender = senderWith({});
      // Begun before: without sockets no program can be started either.
      const shell = spawn('sh', { stdio: ['pipe', 'pipe', 'inherit'] });
      const limit = async (value: string) => {
        shell.stdin.write(`prlimit --pid=${process.pid} --nofile=${value}: && echo done\n`);
        await once(shell.stdout, 'data');
      };
      const usual = execFileSync('prlimit', [`--pid=${process.pid}`, '-n', '--noheadings', '-oSOFT']);
      await limit('1');
      try {
        await expect(sender.send(url, request)).rejects.toMatchObject({ code: 'EMFILE' });
      } finally {
        await limit(String(usual).trim());
        shell.stdin.end();
      }
      await sender.close();
    },
  );
});

describe('a daemon without a way out', () => {
  test('burns no attempts while no name resolves, and sends everything when names do again', async () => {
    await using stack = await DeliveryStack.open();
    await using receiver = await startReceiver(answer(200, { connection: 'close' })); // one that is kept needs no name
    dns.answerWith(onLoopback);
    for (const name of ['a.example.com', 'b.example.net']) {
      await stack.webhook(receiver.url.replace('127.0.0.1', name));
    }
    const log: string[] = [];
    const daemon = new Daemon({
      ...stack.services,
      log: pino({}, { write: (line: string) => void log.push(line) }),
      lookup: createNameResolver({ servers: [dns.server], timeoutMs: 200 }),
    });
    try {
      await stack.emit();
      await stack.succeeded(2);
      dns.answerWith(silent);
      for (let n = 0; n < 15; n += 1) {
        await stack.emit();
      }
      await eventually(() => log.some((line) => line.includes('no name resolves any more')));
      dns.answerWith(onLoopback);
      await stack.succeeded(32, 20_000);
      expect(await stack.rows('select from hookwright.attempts where error_code is not null')).toEqual([]);
      expect(await stack.rows('select from hookwright.webhooks where not active')).toEqual([]);
    } finally {
      await daemon.stop();
    }
  });
});

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import {
  type Dedupe,
  memory,
  POSTGRES_SQL,
  postgres,
  type RedisClient,
  redis,
} from '../../packages/receiver/src/dedupe/index.js';
import { compatibilityFolder, isCompatibilityInstalled } from '../support/compatibility.js';
import { createTestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** Two copies of a receiver with one store, and the end of the time for which it remembers an id. */
interface Copies {
  copies: [Dedupe, Dedupe];
  another: Dedupe;
  expire(id: string): Promise<void>;
  secondsLeft(id: string): Promise<number>;
}

const HAS_REDIS = isCompatibilityInstalled() && spawnSync('redis-server', ['--version']).status === 0;

const stores: [name: string, has: boolean, open: () => Promise<Copies>][] = [
  ['Postgres', true, openPostgres],
  ['Redis by redis', HAS_REDIS, () => openRedis(byRedis)],
  ['Redis by ioredis', HAS_REDIS, () => openRedis(byIoredis)],
];

describe.each(stores)('deliveries in %s', (_name, has, open) => {
  it.skipIf(!has)('are new to one of two copies in one instant, running to the other, and then done', async () => {
    const { copies, secondsLeft } = await open();
    const ids = Array.from({ length: 50 }, (_, index) => String(index));
    const answers = await Promise.all(ids.map((id) => Promise.all(copies.map((copy) => copy.begin(id)))));
    expect(answers.map((pair) => pair.sort())).toEqual(ids.map(() => ['new', 'running']));
    expect(await secondsLeft('0')).toBeCloseTo(60, -1);
    await copies[0].done('0');
    expect(await copies[1].begin('0')).toBe('done');
    expect(await secondsLeft('0')).toBeCloseTo(8 * 86_400, -2);
  });

  it.skipIf(!has)('are new again when they were forgotten, or when their process has died', async () => {
    const { copies, expire } = await open();
    expect(await copies[0].begin('1')).toBe('new');
    await copies[0].forget('1');
    expect(await copies[1].begin('1')).toBe('new');
    await expire('1');
    const answers = await Promise.all(copies.map((copy) => copy.begin('1')));
    expect(answers.sort()).toEqual(['new', 'running']);
    await copies[0].done('1');
    await expire('1');
    expect(await copies[1].begin('1')).toBe('new');
  });

  it.skipIf(!has)('of two services are told apart by their source', async () => {
    const { copies, another } = await open();
    expect(await copies[0].begin('1')).toBe('new');
    expect(await another.begin('1')).toBe('new');
  });
});

test('the table of Postgres loses what is over, and its SQL can run twice', async () => {
  const { copies, expire, secondsLeft } = await openPostgres();
  await copies[0].begin('old');
  await expire('old');
  await copies[0].done('1');
  expect(await secondsLeft('old')).toBeNaN();
  expect(await copies[0].begin('1')).toBe('done');
});

test('the memory of a process forgets what is over, and the oldest of more than 100,000', async () => {
  const store = memory();
  expect(await store.begin('first')).toBe('new');
  await store.done('first');
  expect(await store.begin('first')).toBe('done');
  for (let id = 0; id < 100_000; id++) {
    await store.done(String(id));
  }
  expect(await store.begin('first')).toBe('new');
  expect(await store.begin('99999')).toBe('done');
});

async function openPostgres(): Promise<Copies> {
  const database = await createTestDatabase();
  const pools = [1, 2].map(() => new pg.Pool({ connectionString: database.url, max: 5 }));
  onTestFinished(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await database.drop();
  });
  const [pool, pool2] = pools as [pg.Pool, pg.Pool];
  await pool.query(POSTGRES_SQL);
  await pool.query(POSTGRES_SQL);
  return {
    copies: [postgres(pool), postgres(pool2)],
    another: postgres(pool, { source: 'another' }),
    async expire(id) {
      await pool.query('update hookwright_deliveries set until = clock_timestamp() where id = $1', [id]);
    },
    async secondsLeft(id) {
      const seconds = 'extract(epoch from until - clock_timestamp())::float8 as seconds';
      const { rows } = await pool.query(`select ${seconds} from hookwright_deliveries where id = $1`, [id]);
      return rows[0]?.seconds ?? Number.NaN;
    },
  };
}

type Open = (socket: string) => Promise<{ client: RedisClient; close(): unknown }>;

async function openRedis(connect: Open): Promise<Copies> {
  const socket = join(temporaryFolder(), 'redis.sock');
  const server = spawn('redis-server', ['--port', '0', '--unixsocket', socket, '--save', ''], { stdio: 'ignore' });
  onTestFinished(async () => {
    server.kill();
    await once(server, 'exit');
  });
  const open = () => connect(socket);
  const first = await eventually(() => open().catch(() => false as const));
  const second = await open();
  onTestFinished(() => {
    first.close();
    second.close();
  });
  const send = (command: string, ...args: string[]) =>
    'call' in first.client ? first.client.call(command, ...args) : first.client.sendCommand([command, ...args]);
  return {
    copies: [redis(first.client), redis(second.client)],
    another: redis(first.client, { source: 'another' }),
    expire: async (id) => void (await send('PEXPIRE', `hookwright:delivery::${id}`, '0')),
    secondsLeft: async (id) => Number(await send('TTL', `hookwright:delivery::${id}`)),
  };
}

const load = (name: string) => createRequire(join(compatibilityFolder, 'package.json'))(name);

async function byRedis(path: string): ReturnType<Open> {
  const client = load('redis').createClient({ socket: { path, reconnectStrategy: false } });
  client.on('error', () => {});
  await client.connect();
  return { client, close: () => client.destroy() };
}

async function byIoredis(path: string): ReturnType<Open> {
  const client = new (load('ioredis').Redis)({ path, lazyConnect: true, retryStrategy: null });
  client.on('error', () => {});
  await client.connect();
  return { client, close: () => client.disconnect() };
}

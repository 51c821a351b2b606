import dns from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import type pg from 'pg';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { openPool } from '../../src/platform/database/database.js';
import { eventually } from '../support/eventually.js';
import { ReplicatedGround } from './support/replicated-ground.js';

const NAME = 'postgres.example.com';
const WATCH_EVERY_MS = 10_000;

/** Where the name leads, for the driver; null: it does not resolve. */
let address: string | null;
let lookups = 0;
type Looked = (error: Error | null, addresses?: dns.LookupAddress[]) => void;
const lookup = dns.lookup as (name: string, options: dns.LookupOptions, looked: Looked) => void;

beforeEach(() => {
  const answer: typeof lookup = (name, options, looked) => {
    if (name !== NAME) {
      lookup(name, options, looked);
      return;
    }
    lookups += 1;
    if (address === null) {
      looked(new Error('no answer'));
    } else {
      looked(null, [{ address, family: 4 }]);
    }
  };
  vi.spyOn(dns, 'lookup').mockImplementation(answer as typeof dns.lookup);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** An address that leads to a server, at a port that another one may have too. */
class Address {
  private constructor(
    readonly server: Server,
    readonly host: string,
    public connections = 0,
  ) {}

  static async open(host: string, port: number, to: number): Promise<Address> {
    const server = createServer((socket) => {
      opened.connections += 1;
      const onward = connect(to, '127.0.0.1');
      socket.on('error', () => onward.destroy());
      onward.on('error', () => socket.destroy());
      socket.pipe(onward).pipe(socket);
    });
    const opened = new Address(server, host);
    await once(server.listen(port, host), 'listening');
    onTestFinished(() => {
      server.close();
    });
    return opened;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }
}

async function ask(pool: pg.Pool): Promise<{ isStandby: boolean; timeline: number }> {
  const { rows } = await pool.query(
    'select pg_is_in_recovery() as "isStandby", (select timeline_id from pg_control_checkpoint()) as timeline',
  );
  return rows[0];
}

test('connections follow the name of the only host to the primary, and stay while it has not moved', async () => {
  await using ground = await ReplicatedGround.open(false);
  const first = await Address.open('127.0.0.2', 0, ground.primary.port!);
  const second = await Address.open('127.0.0.3', first.port, ground.standby.port!);
  const url = Object.assign(new URL(ground.primary.postgres!.url), { host: `${NAME}:${first.port}` }).href;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

  // A failover begins with an old answer: the connection leads to a standby, and would stay there.
  address = second.host;
  const errors: Error[] = [];
  const pool = openPool(url, 2, (error) => errors.push(error));
  onTestFinished(() => pool.end());
  expect(await ask(pool)).toMatchObject({ isStandby: true });
  address = first.host;
  expect(await ask(pool)).toMatchObject({ isStandby: true });
  vi.advanceTimersByTime(WATCH_EVERY_MS);
  expect(await eventually(async () => (await ask(pool)).isStandby === false)).toBe(true);
  expect(errors.filter(({ message }) => !message.endsWith('is not the primary any more'))).toEqual([]);

  // While the name stays, or does not resolve, nobody is asked.
  const { connections } = first;
  for (const answer of [first.host, first.host, null, null, first.host]) {
    address = answer;
    const before = lookups;
    await eventually(() => {
      vi.advanceTimersByTime(WATCH_EVERY_MS);
      return lookups > before;
    });
    await ask(pool);
  }
  expect(first.connections).toBe(connections);

  // The other server is promoted. Nobody has ended the former primary, so no connection breaks by itself.
  await ground.promote();
  await eventually(async () => (await ground.standby.ask('select where not pg_is_in_recovery()')).length === 1);
  await ground.standby.ask('checkpoint');
  address = second.host;
  expect(await ask(pool)).toEqual({ isStandby: false, timeline: 1 });
  vi.advanceTimersByTime(WATCH_EVERY_MS);
  expect(await eventually(async () => (await ask(pool)).timeline === 2)).toBe(true);
});

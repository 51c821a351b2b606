import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { examine } from '../../src/cli/doctor.js';
import { PrimaryClient } from '../../src/platform/database/driver/primary-client.js';
import { eventually } from '../support/eventually.js';
import { good } from './support/endpoints.js';
import type { Disturbance } from './support/oracle.js';
import { ReplicatedGround } from './support/replicated-ground.js';
import { DUPLICATES_OF_ONE_MAX, Site } from './support/site.js';
import { isLong, report, size } from './support/sizes.js';

const MINUTE = 60_000;
const RECOVERY_MS = 75_000;
const LAG_MS = 1_000;
const NEW_MS_MAX = 2_000;
/** The doctor's checks of replication. Its keys are others: what it says of keys is not looked at. */
async function askDoctor(url: string) {
  const keys = `doctor:${randomBytes(32).toString('base64')}`;
  const checks = await examine({ DATABASE_URL: url, ENCRYPTION_KEYS: keys, REPLICATION: 'synchronous' });
  const of = (name: string) => checks.find((each) => each.name === name);
  return { hosts: of('hosts'), replication: of('replication'), failover: of('failover') };
}

const failovers = size('FAULTS_FAILOVERS', 1, 10);
const events = size('FAULTS_FAILOVER_EVENTS', 300, 1_500);

/** Emits are accepted again so long after the promotion. */
async function failOver(ground: ReplicatedGround, acceptedNow: () => number): Promise<number> {
  await ground.primary.stopReplication();
  await delay(LAG_MS);
  await ground.primary.crash();
  await ground.promote();
  const promotedAt = Date.now();
  const before = acceptedNow();
  while (acceptedNow() === before) {
    await delay(10);
  }
  return Date.now() - promotedAt;
}

/** A port that leads to one server, and then to another. */
class OneName implements AsyncDisposable {
  private constructor(
    readonly server: Server,
    public leadsTo: number,
  ) {}

  static async open(port: number): Promise<OneName> {
    const server = createServer((socket) => {
      const onward = connect(name.leadsTo, '127.0.0.1');
      socket.on('error', () => onward.destroy());
      onward.on('error', () => socket.destroy());
      socket.pipe(onward).pipe(socket);
    });
    const name = new OneName(server, port);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return name;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.close();
  }
}

test.each(Array.from({ length: failovers }, (_, time) => time))(
  'the loss of a primary whose standby is behind costs nothing that was accepted: synchronous, time %i',
  { timeout: isLong ? 5 * MINUTE : 2 * MINUTE },
  async () => {
    const ground = await ReplicatedGround.open(true);
    await using site = await Site.open(ground);
    await site.addWebhook('quick', good);
    await site.addWebhook('slow', () => ({ status: 200, afterMs: 50 }));
    await Promise.all([site.startDaemon(), site.startDaemon()]);
    const ok = { status: 'ok' };
    expect(await askDoctor(ground.url)).toMatchObject({ hosts: ok, replication: ok, failover: ok });
    const load = site.load({ name: 'failover', events, ratePerSecond: 75 });
    const disturbances: Disturbance[] = [];
    let againMs = 0;
    await load.along(
      1,
      async () => {
        const from = Date.now();
        againMs = await failOver(ground, () => load.accepted.length);
        disturbances.push({ from, to: Date.now() });
      },
      MINUTE,
    );
    const findings = await site.judge(disturbances, RECOVERY_MS);
    report('failover', { againMs, statuses: load.statuses, ...findings });
    expect(findings.problems).toEqual([]);
    expect(findings).toMatchObject({ lost: 0, accepted: 2 * events, byStatus: { SUCCEEDED: 2 * events } });
    expect(Object.keys(load.statuses).sort()).toEqual(['200', '503']);
    expect(findings.duplicatesOfWorst).toBeLessThanOrEqual(DUPLICATES_OF_ONE_MAX);
    expect(againMs).toBeLessThanOrEqual(NEW_MS_MAX);

    // The doctor and the console know of it.
    const { hosts, failover, replication } = await eventually(async () => {
      const said = await askDoctor(ground.url);
      return said.failover?.text.includes('from timeline 1 to 2') && said;
    }, 30_000);
    expect(failover).toMatchObject({ status: 'ok', text: expect.stringContaining('was synchronous') });
    expect(hosts).toMatchObject({ status: 'warn', text: expect.stringContaining(`:${ground.primary.port} (`) });
    expect(replication?.status).toBe('fail'); // no standby is left

    // The old primary comes back, and nobody has told it that it is none. New connections ask both.
    await ground.primary.start();
    const { text: second } = (await askDoctor(ground.url)).hosts!;
    expect(second).toMatch(/^Several hosts .* are primaries: .*\(timeline 1\).*\(timeline 2\)/);
    const count = 'select count(*)::integer as count from hookwright.events';
    const before = await ground.primary.ask(count);
    await ground.standby.ask(
      `select pg_terminate_backend(pid) from pg_stat_activity where usename <> 'postgres' and pid <> pg_backend_pid()`,
    );
    const more = site.load({ name: 'after', events: 50, ratePerSecond: 100 });
    await more.done;
    expect(await ground.primary.ask(count)).toEqual(before);
    expect(await ground.standby.ask(count)).toEqual([{ count: events + 50 }]);

    // Behind one name, as a proxy's, too: who knew the new primary does not take the old one.
    await using name = await OneName.open(ground.standby.port!);
    const url = ground.standby.postgres!.url.replace(`:${ground.standby.port}/`, `:${name.port}/`);
    await new PrimaryClient({ connectionString: url }).connect().then((client) => client.end());
    name.leadsTo = ground.primary.port!;
    await expect(new PrimaryClient({ connectionString: url }).connect()).rejects.toThrow(
      /is a former primary, on timeline 1: this process knows timeline 2/,
    );
  },
);

test.runIf(isLong)(
  'asynchronous: nothing is missing but what the standby had not got, and the doctor says what may be',
  { timeout: 5 * MINUTE },
  async () => {
    const ground = await ReplicatedGround.open(false);
    await using site = await Site.open(ground);
    await site.addWebhook('quick', good);
    await site.addWebhook('slow', () => ({ status: 200, afterMs: 500 }));
    // Counts of failures go back with the tables, and a webhook that was just disabled may be active again.
    await site.addWebhook('flaky', () => ({ status: Math.random() < 0.4 ? 500 : 200 }));
    await site.addWebhook('broken', () => ({ status: Math.random() < 0.95 ? 500 : 200 }));
    await Promise.all([site.startDaemon(), site.startDaemon()]);
    expect((await askDoctor(ground.url)).replication).toMatchObject({
      status: 'fail',
      text: expect.stringContaining('asynchronous'),
    });
    const load = site.load({ name: 'asynchronous', events, ratePerSecond: 75 });
    const eventsOf = async () =>
      (await ground.standby.ask<{ id: number }>('select id from hookwright.events')).map(({ id }) => Number(id));
    const standby = { eventIds: new Set<number>(), primaryDiedAt: 0 };
    const disturbances: Disturbance[] = [];
    await load.along(
      1,
      async () => {
        const from = Date.now();
        await ground.primary.stopReplication();
        await delay(LAG_MS);
        await ground.primary.crash();
        standby.primaryDiedAt = Date.now();
        standby.eventIds = new Set(await eventsOf());
        await ground.promote();
        const count = load.accepted.length;
        await eventually(() => load.accepted.length > count, NEW_MS_MAX);
        disturbances.push({ from, to: Date.now() });
      },
      MINUTE,
    );
    const findings = await site.judge(disturbances, RECOVERY_MS, standby);
    const { missing } = findings;
    expect(findings.problems).toEqual([]);
    expect(missing).toBeGreaterThan(0); // without a lag this would prove nothing

    const { failover } = await eventually(async () => {
      const said = await askDoctor(ground.url);
      return said.failover?.status === 'warn' && said;
    }, 30_000);
    expect(failover?.text).toMatch(
      /failed over at \d{4}-\d\d-\d\d \d\d:\d\d UTC from timeline 1 to 2; replication was asynchronous: events of up to \d+ s may be missing\.( \d+ outcomes had no delivery\.)?$/,
    );
    report('failover, asynchronous', { ...findings, statuses: load.statuses, doctor: failover?.text });
  },
);

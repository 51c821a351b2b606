import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { idToDate } from '../../src/domain/ids/delivery-id.js';
import { eventually } from '../support/eventually.js';
import type { Load } from './support/emitters.js';
import { good } from './support/endpoints.js';
import type { Disturbance } from './support/oracle.js';
import { PatroniCluster, type PatroniNode } from './support/patroni-cluster.js';
import { DUPLICATES_OF_ONE_MAX, Site } from './support/site.js';
import { isLong, report, size } from './support/sizes.js';

const MINUTE = 60_000;
const RECOVERY_MS = 75_000;
const LAG_MS = 1_000;
/** After a promotion. HAProxy asks Patroni, which looks at Postgres, once a second. */
const AGAIN_MS_MAX = { hosts: 2_000, proxy: 4_000 };
const RECORDED_MS_MAX = 10_000;
const ALONE_MS = 5_000;
const RATE = 20;

const kills = size('FAULTS_PATRONI_KILLS', 1, 10);
const events = size('FAULTS_PATRONI_EVENTS', 1, 200);

/** One installation by several hosts in its url and one by HAProxy, both on the same three nodes. */
const WAYS = ['hosts', 'proxy'] as const;
type Way = (typeof WAYS)[number];

interface Figures {
  lagMs: number;
  /** From the kill. */
  promotedMs: number;
  /** From the promotion: the first emit that is accepted, and the last delivery in hand that is recorded. */
  again: Record<Way, number>;
  recorded: Record<Way, number>;
}

describe.runIf(isLong)('with Patroni, etcd and HAProxy, by the files of ops/patroni', () => {
  let cluster: PatroniCluster;
  const sites = {} as Record<Way, Site>;
  const disturbances: Disturbance[] = [];
  const loads: Load[] = [];
  let leader: PatroniNode;

  beforeAll(async () => {
    cluster = await PatroniCluster.open([...WAYS]);
    for (const way of WAYS) {
      const url = way === 'hosts' ? cluster.urlOf(way) : cluster.proxiedUrlOf(way);
      const site = await Site.open({ url, [Symbol.asyncDispose]: async () => {} });
      sites[way] = site;
      await site.addWebhook('quick', good);
      await site.addWebhook('slow', () => ({ status: 200, afterMs: 50 }));
      await site.startDaemon();
    }
  }, 3 * MINUTE);

  afterAll(async () => {
    await Promise.all(Object.values(sites).map((site) => site[Symbol.asyncDispose]()));
    await cluster?.[Symbol.asyncDispose]();
  });

  const forEachWay = async <Result>(act: (way: Way) => Promise<Result>) =>
    Object.fromEntries(await Promise.all(WAYS.map(async (way) => [way, await act(way)]))) as Record<Way, Result>;

  /** Loads both installations. Amid it another node is promoted by the act. */
  async function amidLoad(name: string, lagMs: number, act: () => unknown): Promise<Figures> {
    leader = await cluster.whole();
    const count = name === 'switchover' ? 2 * events : events; // patronictl takes seconds to begin
    const these = await forEachWay(async (way) => sites[way].load({ name, events: count, ratePerSecond: RATE }));
    loads.push(...Object.values(these));
    await forEachWay((way) => these[way].reaches(0.2, MINUTE));
    let [from, killedAt] = [Date.now(), 0];
    const promotedAt = await cluster.promotedAt(async () => {
      if (lagMs > 0) {
        await leader.stopReplication();
        await delay(lagMs);
      }
      killedAt = Date.now();
      await act();
    }, leader);
    const again = await forEachWay(async (way) => {
      const before = these[way].accepted.length;
      await eventually(() => these[way].accepted.length > before, MINUTE);
      return Date.now() - promotedAt;
    });
    disturbances.push({ from, to: Date.now() });
    const recorded = await forEachWay(async (way) => {
      const waiting = async () =>
        (await sites[way].rows<{ id: number }>(`select id from hookwright.deliveries where status = 'PENDING'`)).filter(
          ({ id }) => idToDate(Number(id)).getTime() < promotedAt,
        );
      await eventually(async () => (await waiting()).length === 0, RECOVERY_MS);
      return Date.now() - promotedAt;
    });
    await forEachWay((way) => these[way].done);
    return { lagMs, promotedMs: promotedAt - killedAt, again, recorded };
  }

  const judged = () =>
    forEachWay(async (way) => {
      const { problems, lost, accepted, byStatus, duplicates, duplicatesOfWorst } = await sites[way].judge(
        disturbances,
        RECOVERY_MS,
      );
      return { problems, lost, accepted, byStatus, duplicates, duplicatesOfWorst };
    });

  function expectNothingLost(findings: Awaited<ReturnType<typeof judged>>): void {
    for (const way of WAYS) {
      const { accepted } = findings[way];
      expect(findings[way]).toMatchObject({ problems: [], lost: 0, byStatus: { SUCCEEDED: accepted } });
      expect(findings[way].duplicatesOfWorst).toBeLessThanOrEqual(DUPLICATES_OF_ONE_MAX);
    }
    for (const { statuses } of loads) {
      expect(Object.keys(statuses).filter((status) => status !== '200' && status !== '503')).toEqual([]);
    }
  }

  test('the primary and its Patroni are killed, and nothing that was accepted is lost', {
    timeout: 9 * MINUTE,
  }, async () => {
    const figures: Figures[] = [];
    for (let time = 0; time < kills; time++) {
      const one = await amidLoad(`kill-${time}`, time % 2 === 0 ? 0 : LAG_MS, () => leader.kill());
      report(`Patroni, kill ${time}`, one);
      figures.push(one);
      leader.start();
    }
    const findings = await judged();
    report('Patroni, kills', { figures, findings });
    expectNothingLost(findings);
    for (const { again, recorded } of figures) {
      expect(again.hosts).toBeLessThanOrEqual(AGAIN_MS_MAX.hosts);
      expect(again.proxy).toBeLessThanOrEqual(AGAIN_MS_MAX.proxy);
      expect(Math.max(...Object.values(recorded))).toBeLessThanOrEqual(RECORDED_MS_MAX);
    }
  });

  test('a planned switchover loses nothing and sends nothing twice', { timeout: 3 * MINUTE }, async () => {
    const before = await judged();
    const figures = await amidLoad('switchover', 0, () => cluster.switchover(leader));
    const findings = await judged();
    report('Patroni, switchover', { figures, findings });
    expectNothingLost(findings);
    for (const way of WAYS) {
      expect(findings[way].duplicates).toBe(before[way].duplicates);
      expect(figures.again[way]).toBeLessThanOrEqual(AGAIN_MS_MAX[way]);
    }
  });

  test('a former primary that comes back alone gets nothing', { timeout: 5 * MINUTE }, async () => {
    await amidLoad('before', 0, () => leader.kill());
    const former = leader;
    const others = cluster.nodes.filter((node) => node !== former);
    former.startAlone();
    const primary = [{ standby: false }];
    expect(await eventually(() => former.ask('select pg_is_in_recovery() as standby'), MINUTE)).toEqual(primary);
    const counted = () => forEachWay((way) => former.ask('select count(*)::integer from hookwright.events', way));
    const before = await counted();

    // Beside the new one.
    for (const node of others) {
      const cut = `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'hookwright'`;
      await eventually(() => node.ask(cut), MINUTE); // Patroni may be starting the standby again
    }
    const beside = await forEachWay(async (way) => sites[way].load({ name: 'beside', events: 50, ratePerSecond: 50 }));
    loads.push(...Object.values(beside));
    await forEachWay((way) => beside[way].done);
    expect(await counted()).toEqual(before);

    // And without it.
    const from = Date.now();
    for (const node of others) {
      node.kill();
    }
    const alone = await forEachWay(async (way) => sites[way].load({ name: 'alone', events: 50, ratePerSecond: 50 }));
    loads.push(...Object.values(alone));
    await delay(ALONE_MS);
    await forEachWay((way) => eventually(() => (alone[way].statuses['503'] ?? 0) > 0, MINUTE));
    expect(await counted()).toEqual(before);
    expect(Object.values(alone).map(({ accepted }) => accepted.length)).toEqual([0, 0]);

    await former.stopAlone();
    for (const node of others) {
      node.start();
    }
    await forEachWay((way) => alone[way].done);
    disturbances.push({ from, to: Date.now() });
    const findings = await judged();
    report('Patroni, former primary', { refused: alone.hosts.statuses, findings });
    expectNothingLost(findings);
  });
});

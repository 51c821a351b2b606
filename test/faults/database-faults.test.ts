import { describe, expect, test } from 'vitest';
import { dateToId, idToDate } from '../../src/domain/ids/delivery-id.js';
import type { DatabaseProxy } from '../support/database-proxy.js';
import { eventually } from '../support/eventually.js';
import { good } from './support/endpoints.js';
import { CrashableGround, sharedGround } from './support/ground.js';
import { type Disturbance, firstArrivals } from './support/oracle.js';
import { CONCURRENCY, DUPLICATES_OF_ONE_MAX, Site } from './support/site.js';
import { isLong, report, size } from './support/sizes.js';

const MINUTE = 60_000;
const TEST_MS = isLong ? 20 * MINUTE : 2 * MINUTE;
/** The overdue sweep looks after 60 s, every 10 s. */
const RECOVERY_MS = 75_000;

async function addWebhooks(site: Site): Promise<void> {
  await site.addWebhook('quick', good);
  await site.addWebhook('slow', () => ({ status: 200, afterMs: 50 }));
}

describe('a Postgres that crashes and comes back', () => {
  const crashes = size('FAULTS_CRASHES', 1, 20);
  const events = size('FAULTS_CRASH_EVENTS', 300, 8_000);
  /** How soon deliveries come: those that were accepted after Postgres was back, and those from before. */
  const NEW_MS = 10_000;
  const OLD_MS = 30_000;

  test(`costs nothing that was accepted: ${crashes} times under load`, { timeout: TEST_MS }, async () => {
    const ground = await CrashableGround.open();
    await using site = await Site.open(ground);
    await addWebhooks(site);
    await Promise.all([site.startDaemon(), site.startDaemon()]);
    const load = site.load({ name: 'crash', events, ratePerSecond: isLong ? 60 : 100 });
    const disturbances: Disturbance[] = [];
    const crashOnce = async (crash: number) => {
      const from = Date.now();
      const refused = load.statuses['503'] ?? 0;
      await ground.crash();
      // Some are as short as can be, some last for seconds.
      const refusals = 1 + ((crash - 1) % 4) * 300;
      await eventually(() => (load.statuses['503'] ?? 0) >= refused + refusals, MINUTE);
      await ground.restart();
      const back = new Date();
      disturbances.push({ from, to: back.getTime() });
      // The next one comes when this one has been overcome, so that its cost can be measured.
      await eventually(() => nothingPendingFrom(site, back), RECOVERY_MS);
    };
    await load.along(crashes, crashOnce, TEST_MS);
    const findings = await site.judge(disturbances, RECOVERY_MS);
    const waits = waitsAfter(firstArrivals(site.endpoints.receipts), disturbances);
    report('Postgres crash', { crashes, statuses: load.statuses, waits, ...findings });
    expect(findings.problems).toEqual([]);
    expect(findings).toMatchObject({ lost: 0, accepted: 2 * events, byStatus: { SUCCEEDED: 2 * events } });
    expect(Object.keys(load.statuses).sort()).toEqual(['200', '503']);
    expect(findings.duplicatesOfWorst).toBeLessThanOrEqual(DUPLICATES_OF_ONE_MAX);
    expect(waits.ofNew).toBeLessThanOrEqual(NEW_MS);
    expect(waits.ofOld).toBeLessThanOrEqual(OLD_MS);
  });

  async function nothingPendingFrom(site: Site, before: Date): Promise<boolean> {
    const pending = await site.rows(
      `select from hookwright.deliveries where status = 'PENDING' and id < ${dateToId(before)} limit 1`,
    );
    return pending.length === 0;
  }

  /** The longest that first requests took from the return of Postgres, or from their event if that came later. */
  function waitsAfter(arrivals: ReadonlyMap<number, number>, crashes: readonly Disturbance[]) {
    const waits = { ofNew: 0, ofOld: 0 };
    for (const [id, arrivedAt] of arrivals) {
      const madeAt = idToDate(id).getTime();
      const missed = crashes.find(({ from, to }) => madeAt <= to && arrivedAt >= from);
      if (missed === undefined) {
        waits.ofNew = Math.max(waits.ofNew, arrivedAt - madeAt);
      } else {
        waits.ofOld = Math.max(waits.ofOld, arrivedAt - missed.to);
      }
    }
    return waits;
  }
});

/** Parts of the statements whose replies are lost, and how the daemon recovers. */
const LOSSES = [
  // Of successes alone, one statement that is its own transaction.
  { of: 'outcome', mark: 'record_successes' }, // recorded once
  { of: 'completion', mark: 'complete_job' }, // done once
  // The rescue sweep finds the deliveries after a minute. In the suite, test/delivery/supervision.test.ts has it at once.
  ...(isLong ? [{ of: 'fetch', mark: 'get_job' }] : []),
];

describe('a reply of Postgres that is lost', () => {
  const losses = size('FAULTS_LOSSES', 2, 100);

  test('to the commit of outcomes, the completion or the fetch of jobs costs nothing', {
    timeout: TEST_MS,
  }, async () => {
    await using site = await Site.open(await sharedGround());
    await addWebhooks(site);
    const proxy = await site.openProxy();
    await site.startDaemon(proxy.url);
    const disturbances: Disturbance[] = [];
    for (const { of, mark } of LOSSES) {
      const toLose = proxy.lost + losses;
      const from = Date.now();
      const load = site.load({ name: of, events: 6 * losses, ratePerSecond: isLong ? 15 : 30 });
      // One at a time: many in a row would only show that nothing is sent while an outcome cannot be recorded.
      await load.along(losses, () => proxy.loseReply(mark), TEST_MS);
      await lastLoss(proxy, of, toLose, site);
      const to = Date.now();
      disturbances.push({ from, to: to + RECOVERY_MS });
      const findings = await site.judge(disturbances, RECOVERY_MS);
      report(`lost ${of}`, {
        repliesLost: proxy.lost,
        settledMs: Date.now() - to,
        statuses: load.statuses,
        ...findings,
      });
      expect(findings.problems).toEqual([]);
      expect(findings).toMatchObject({ lost: 0, byStatus: { SUCCEEDED: findings.accepted } });
      expect(findings.duplicates).toBeLessThanOrEqual(toLose * DUPLICATES_OF_ONE_MAX);
      expect(findings.firstSend.max).toBeLessThanOrEqual(RECOVERY_MS);
      expect(proxy.lost).toBe(toLose);
    }
  });

  /** More events, one by one, until the last reply has been lost: a daemon that recovers asks for little. */
  async function lastLoss(proxy: DatabaseProxy, of: string, toLose: number, site: Site): Promise<void> {
    for (let more = 0; proxy.lost < toLose; more++) {
      const seen = site.endpoints.receipts.length;
      await site.load({ name: `${of}-${more}`, events: 1, ratePerSecond: 1 }).done;
      await eventually(() => proxy.lost >= toLose || site.endpoints.receipts.length > seen, RECOVERY_MS);
    }
  }

  test('to an emit: repeating it makes no second event', { timeout: TEST_MS }, async () => {
    await using site = await Site.open(await sharedGround(), {}, { apiByProxy: true });
    await addWebhooks(site);
    await site.startDaemon();
    const events = 20 * losses;
    const load = site.load({ name: 'emit', events, ratePerSecond: 100 });
    await load.along(losses, () => site.apiProxy!.loseReply('emit_events'), TEST_MS);
    await lastLoss(site.apiProxy!, 'emit', losses, site); // many emits can share one statement
    const findings = await site.judge([], RECOVERY_MS);
    report('lost emit', { repliesLost: site.apiProxy!.lost, statuses: load.statuses, ...findings });
    expect(findings.problems).toEqual([]);
    expect(findings).toMatchObject({ lost: 0, duplicates: 0, byStatus: { SUCCEEDED: findings.accepted } });
    expect(site.apiProxy!.lost).toBe(losses);
    expect(Object.keys(load.statuses).sort()).toEqual(['200', '503']);
  });
});

describe('a network to Postgres that swallows everything', () => {
  const DETECTION_MS = 15_000;
  const SILENCE_MS = size('FAULTS_SILENCE_SECONDS', 0, 60) * 1_000;
  const events = size('FAULTS_SILENCE_EVENTS', 300, 4_000);

  test.runIf(isLong)('is noticed, and nothing is lost', { timeout: TEST_MS }, async () => {
    await using site = await Site.open(await sharedGround());
    await addWebhooks(site);
    const proxy = await site.openProxy();
    const daemon = await site.startDaemon(proxy.url);
    const load = site.load({ name: 'silence', events, ratePerSecond: isLong ? 40 : 100 });
    await load.reaches(1 / 3, TEST_MS);
    const from = Date.now();
    const before = site.endpoints.receipts.length;
    proxy.swallow();
    const complaint = await eventually(() => daemon.complaintSince(from), DETECTION_MS + 5_000);
    await eventually(() => Date.now() - from >= SILENCE_MS, 2 * SILENCE_MS + 1_000);
    const sentMeanwhile = site.endpoints.receipts.length - before;
    proxy.bringBack();
    await load.done;
    const to = Date.now();
    const findings = await site.judge([{ from, to: to + RECOVERY_MS }], RECOVERY_MS);
    const detectedMs = complaint.readAt - from;
    report('black hole', {
      detectedMs,
      said: complaint.msg,
      sentMeanwhile,
      settledMs: Date.now() - to,
      ...findings,
    });
    expect(findings.problems).toEqual([]);
    expect(findings).toMatchObject({ lost: 0, accepted: 2 * events, byStatus: { SUCCEEDED: 2 * events } });
    expect(detectedMs).toBeLessThanOrEqual(DETECTION_MS);
    expect(sentMeanwhile).toBeLessThanOrEqual(CONCURRENCY);
  });
});

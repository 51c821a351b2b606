import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { broken, good } from './support/endpoints.js';
import { sharedGround } from './support/ground.js';
import type { Disturbance } from './support/oracle.js';
import { DUPLICATES_OF_ONE_MAX, Site } from './support/site.js';
import { isLong, report, size } from './support/sizes.js';

const MINUTE = 60_000;
const TEST_MS = isLong ? 20 * MINUTE : 2 * MINUTE;
/** The overdue sweep looks after 60 s, every 10 s. */
const RECOVERY_MS = 75_000;
const SIGTERM_LIMIT_MS = 20_000;

/** Three webhooks that get every event; the slow one always has requests in flight. */
async function openSite(): Promise<Site> {
  const site = await Site.open(await sharedGround());
  await site.addWebhook('quick', good);
  await site.addWebhook('brisk', () => ({ status: 200, afterMs: 10 }));
  await site.addWebhook('slow', () => ({ status: 200, afterMs: 100 }));
  return site;
}

describe('a daemon that is killed', () => {
  const kills = size('FAULTS_KILLS', 2, 100);
  const events = size('FAULTS_KILL_EVENTS', 300, 7_000);

  test(`loses nothing: ${kills} times at a random moment under load`, { timeout: TEST_MS }, async () => {
    await using site = await openSite();
    const daemons = await Promise.all([site.startDaemon(), site.startDaemon()]);
    const load = site.load({ name: 'kill', events, ratePerSecond: isLong ? 45 : 100 });
    const disturbances: Disturbance[] = [];
    const killOne = async () => {
      const victim = Math.random() < 0.5 ? 0 : 1;
      disturbances.push(await daemons[victim].kill());
      daemons[victim] = await site.startDaemon();
    };
    await load.along(kills, killOne, TEST_MS);
    const findings = await site.judge(disturbances, RECOVERY_MS);
    report('kill -9', { kills, statuses: load.statuses, ...findings });
    expect(findings.problems).toEqual([]);
    expect(findings).toMatchObject({ accepted: 3 * events, lost: 0, byStatus: { SUCCEEDED: 3 * events } });
    expect(findings.duplicatesOfWorst).toBeLessThanOrEqual(DUPLICATES_OF_ONE_MAX);
    if (isLong) {
      expect(findings.firstSend.p999).toBeLessThanOrEqual(5_000);
    }
  });
});

describe('a daemon that is killed while deliveries fail', () => {
  const kills = size('FAULTS_NEWS_KILLS', 2, 20);
  const events = size('FAULTS_NEWS_EVENTS', 300, 3_000);

  test(`tells owners exactly what happened: ${kills} times`, { timeout: TEST_MS }, async () => {
    await using site = await Site.open(await sharedGround(), { MAX_RETRIES: '0' });
    let requests = 0;
    // Never ten in a row, or there would soon be no attempts that fail.
    await site.addWebhook('moody', () => ({ status: ++requests % 2 === 0 ? 200 : 500, afterMs: 5 }));
    await site.addWebhook('steady', good);
    let daemon = await site.startDaemon();
    const load = site.load({ name: 'news', events, ratePerSecond: 100 });
    const disturbances: Disturbance[] = [];
    const kill = async () => {
      disturbances.push(await daemon.kill());
      daemon = await site.startDaemon();
    };
    await load.along(kills, kill, TEST_MS);
    const findings = await site.judge(disturbances, RECOVERY_MS);
    report('kill -9 while deliveries fail', { kills, ...findings });
    // Among them: the news of failed deliveries, sent and counted for later, add up to their number.
    expect(findings.problems).toEqual([]);
    expect(findings).toMatchObject({ accepted: 2 * events, lost: 0 });
    expect(findings.byStatus['FAILED']).toBeGreaterThan(events / 4);
  });
});

describe('a daemon that is told to end', () => {
  const restarts = size('FAULTS_RESTARTS', 2, 20);
  const events = size('FAULTS_RESTART_EVENTS', 300, 4_000);

  test(`finishes what it has in hand: ${restarts} rolling restarts`, { timeout: TEST_MS }, async () => {
    await using site = await openSite();
    const daemons = await Promise.all([site.startDaemon(), site.startDaemon()]);
    const load = site.load({ name: 'term', events, ratePerSecond: isLong ? 80 : 100 });
    const took: number[] = [];
    const restartOne = async (restart: number) => {
      const from = Date.now();
      const leaving = daemons[restart % 2]!;
      leaving.signal('SIGTERM');
      const { code, at } = await leaving.ended;
      expect(code, leaving.output).toBe(0);
      took.push(at - from);
      daemons[restart % 2] = await site.startDaemon();
    };
    await load.along(restarts, restartOne, TEST_MS);
    const findings = await site.judge([], RECOVERY_MS);
    report('SIGTERM', { restarts, tookMax: Math.max(...took), ...findings });
    expect(findings.problems).toEqual([]);
    expect(findings).toMatchObject({ lost: 0, duplicates: 0, requests: 3 * events });
    expect(findings.byStatus).toEqual({ SUCCEEDED: 3 * events });
    expect(Math.max(...took)).toBeLessThanOrEqual(SIGTERM_LIMIT_MS);
    const [burned] = await site.rows('select from hookwright.deliveries where attempt_count <> 1 limit 1');
    expect(burned).toBeUndefined();
  });
});

describe('a daemon that sleeps while others take over (a zombie)', () => {
  const sleeps = size('FAULTS_SLEEPS', 1, 5);
  const IN_FLIGHT = 6;
  /** The promise is 12 s, on a machine that does nothing else. */
  const TAKE_OVER_MS = 30_000;

  test('counts nothing twice when it wakes', { timeout: TEST_MS }, async () => {
    await using site = await Site.open(await sharedGround(), { MAX_RETRIES: '0' });
    const webhook = await site.addWebhook('failing', broken);
    let expected = 0;
    let takeOverMsMax = 0;
    for (let sleep = 0; sleep < sleeps; sleep++) {
      // A new one each time: failures make an endpoint's window smaller than what shall be in flight.
      const sleeper = await site.startDaemon();
      site.endpoints.behave('failing', () => ({ status: 500, afterMs: 2_000 }));
      const earlier = site.endpoints.receipts.length;
      await site.load({ name: `before-${sleep}`, events: IN_FLIGHT, ratePerSecond: 1_000 }).done;
      await eventually(() => site.endpoints.inFlight === IN_FLIGHT, 30_000);
      // Its sessions stay, and its requests go on: the others notice only its silence.
      const frozenAt = Date.now();
      sleeper.signal('SIGSTOP');
      const other = await site.startDaemon();
      // All of them come again, and their outcomes are recorded while the first daemon sleeps.
      await eventually(() => site.endpoints.receipts.length >= earlier + 2 * IN_FLIGHT, TAKE_OVER_MS);
      takeOverMsMax = Math.max(takeOverMsMax, Date.now() - frozenAt);
      await site.settled(RECOVERY_MS);
      expected += IN_FLIGHT;
      expect(await site.webhook('failing')).toMatchObject({ active: true, consecutiveFailures: IN_FLIGHT });

      const wokeAt = Date.now();
      sleeper.signal('SIGCONT');
      await eventually(() => sleeper.hasEnded || sleeper.complaintSince(wokeAt), 30_000);
      // The sleeper's outcomes are seven to twelve by now, if they count: then these three are the tenth failure.
      await other[Symbol.asyncDispose]();
      site.endpoints.behave('failing', broken);
      await site.load({ name: `after-${sleep}`, events: 3, ratePerSecond: 1_000 }).done;
      await site.settled(RECOVERY_MS);
      expected += 3;
      expect(await site.webhook('failing')).toMatchObject({ active: true, consecutiveFailures: 9 });
      await site.reset(webhook);
      await sleeper[Symbol.asyncDispose]();
    }
    const findings = await site.judge([], RECOVERY_MS);
    report('SIGSTOP', { sleeps, takeOverMsMax, ...findings });
    expect(findings.problems).toEqual([]);
    expect(findings).toMatchObject({ lost: 0, byStatus: { FAILED: expected } });
  });
});

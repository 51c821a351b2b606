import { describe, expect, test } from 'vitest';
import { good } from './support/endpoints.js';
import { sharedGround } from './support/ground.js';
import type { Disturbance } from './support/oracle.js';
import { DUPLICATES_OF_ONE_MAX, Site, type SiteShape } from './support/site.js';
import { isLong, report, size } from './support/sizes.js';

const MINUTE = 60_000;
const TEST_MS = isLong ? 20 * MINUTE : 2 * MINUTE;
const RECOVERY_MS = 75_000;

/** Two webhooks that get every event; the slow one always has requests in flight. */
async function openSite(shape: SiteShape = {}): Promise<Site> {
  const site = await Site.open(await sharedGround(), {}, { allInOne: true, ...shape });
  await site.addWebhook('quick', good);
  await site.addWebhook('slow', () => ({ status: 200, afterMs: 50 }));
  return site;
}

/** Emits, and at equal shares of the load has something done to the process. */
async function disturb(
  site: Site,
  { events, times, ratePerSecond }: { events: number; times: number; ratePerSecond: number },
  how: () => Promise<void>,
): Promise<Record<string, number>> {
  const load = site.load({ name: 'all-in-one', events, ratePerSecond });
  await load.along(times, () => how().then(() => site.restartAllInOne()), TEST_MS);
  return load.statuses;
}

// Its emits claim their deliveries for its own daemon (docs/decisions/0018).
describe('API and daemon in one process', () => {
  test('that is killed loses nothing of what it had accepted', { timeout: TEST_MS }, async () => {
    const times = size('FAULTS_ALL_IN_ONE_KILLS', 2, 20);
    const events = size('FAULTS_ALL_IN_ONE_EVENTS', 300, 8_000);
    await using site = await openSite();
    const disturbances: Disturbance[] = [];
    const statuses = await disturb(site, { events, times, ratePerSecond: isLong ? 80 : 100 }, async () => {
      disturbances.push(await site.api.kill());
    });
    const findings = await site.judge(disturbances, RECOVERY_MS);
    report('kill -9 of API and daemon in one', { times, statuses, ...findings });
    expect(findings.problems).toEqual([]);
    expect(findings).toMatchObject({ accepted: 2 * events, lost: 0, byStatus: { SUCCEEDED: 2 * events } });
    expect(findings.duplicatesOfWorst).toBeLessThanOrEqual(DUPLICATES_OF_ONE_MAX);
  });

  test('that is told to end finishes what it has in hand', { timeout: TEST_MS }, async () => {
    const times = size('FAULTS_ALL_IN_ONE_RESTARTS', 1, 20);
    const events = size('FAULTS_ALL_IN_ONE_EVENTS', 200, 8_000);
    await using site = await openSite();
    const statuses = await disturb(site, { events, times, ratePerSecond: isLong ? 80 : 100 }, async () => {
      site.api.signal('SIGTERM');
      const { code } = await site.api.ended;
      expect(code, site.api.output).toBe(0);
    });
    const findings = await site.judge([], RECOVERY_MS);
    report('SIGTERM of API and daemon in one', { times, statuses, ...findings });
    expect(findings.problems).toEqual([]);
    expect(findings).toMatchObject({ lost: 0, duplicates: 0, requests: 2 * events });
    expect(findings.byStatus).toEqual({ SUCCEEDED: 2 * events });
    const [burned] = await site.rows('select from hookwright.deliveries where attempt_count <> 1 limit 1');
    expect(burned).toBeUndefined();
  });

  // In the suite, test/delivery/supervision.test.ts has the sweep find such a job without waiting for a minute.
  test.runIf(isLong)('that loses the reply to an emit finds what it claimed', { timeout: TEST_MS }, async () => {
    const losses = size('FAULTS_ALL_IN_ONE_LOSSES', 2, 50);
    const events = 20 * losses;
    await using site = await openSite({ apiByProxy: true });
    const load = site.load({ name: 'claim', events, ratePerSecond: 100 });
    await load.along(losses, () => site.apiProxy!.loseReply('emit_claimed_events'), TEST_MS);
    const findings = await site.judge([], RECOVERY_MS);
    report('lost claim', { repliesLost: site.apiProxy!.lost, statuses: load.statuses, ...findings });
    expect(findings.problems).toEqual([]);
    expect(findings).toMatchObject({ lost: 0, duplicates: 0, byStatus: { SUCCEEDED: 2 * events } });
    expect(site.apiProxy!.lost).toBe(losses);
    expect(Object.keys(load.statuses).sort()).toEqual(['200', '503']);
  });
});

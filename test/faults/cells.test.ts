import { describe, expect, test } from 'vitest';
import { enableCell } from '../../src/operations/installation/enable-cell.js';
import { skipsHaproxyTests, startHaproxy } from '../support/haproxy.js';
import { onServer } from '../support/on-server.js';
import type { Load } from './support/emitters.js';
import { good } from './support/endpoints.js';
import { CrashableGround } from './support/ground.js';
import { Site } from './support/site.js';
import { isLong, report, size } from './support/sizes.js';

const MINUTE = 60_000;
const PER_SECOND = 50;
/** How much longer one answer in a hundred may take: docs/cells.md says that a cell notices nothing of another one. */
const SLOWER_MAX = 1.1;
/** After a crash deliveries that were in hand are found by the overdue sweep. */
const RECOVERY_MS = 75_000;

/** An installation over a Postgres of its own, which is a cell. */
async function openCell(number: number): Promise<{ ground: CrashableGround; site: Site }> {
  const ground = await CrashableGround.open();
  await onServer(ground.url, (client) => enableCell(client, { number: number === 0 ? null : number, of: 16 }));
  const site = await Site.open(ground);
  await site.addWebhook('quick', good);
  await site.startDaemon();
  return { ground, site };
}

const p99 = (ms: readonly number[]) => ms.toSorted((a, b) => a - b)[Math.floor(ms.length * 0.99)]!;

describe.skipIf(skipsHaproxyTests)('two cells behind HAProxy', () => {
  const seconds = size('FAULTS_CELL_SECONDS', 2, 10);
  const crashes = size('FAULTS_CELL_CRASHES', 1, 6);

  test(`go on alone: the Postgres of one crashes ${crashes} times`, {
    timeout: isLong ? 10 * MINUTE : 3 * MINUTE,
  }, async () => {
    const cells = [await openCell(0), await openCell(1)] as const;
    await using crashing = cells[0].site;
    await using other = cells[1].site;
    await using proxy = await startHaproxy(
      [crashing, other].map(({ port }) => port),
      [],
    );
    const events = seconds * PER_SECOND;
    const load = (site: Site, name: string): Load =>
      site.load({ name, events, ratePerSecond: PER_SECOND, origin: proxy.origin });
    const answers = { beside: [] as number[], alone: [] as number[] };
    let refused = 0;
    await Promise.all([load(crashing, 'warm-0').done, load(other, 'warm-1').done]);
    for (let round = 0; round < crashes; round += 1) {
      const beside = [load(crashing, `beside-0-${round}`), load(other, `beside-1-${round}`)] as const;
      await Promise.all(beside.map(({ done }) => done));
      await cells[0].ground.crash();
      const broken = load(crashing, `broken-${round}`);
      const alone = load(other, `alone-${round}`);
      await alone.done;
      await cells[0].ground.restart();
      await broken.done;
      expect(alone.statuses).toEqual({ 200: events });
      answers.beside.push(...beside[1].answerMs);
      answers.alone.push(...alone.answerMs);
      refused += broken.statuses['503'] ?? 0;
    }
    expect(refused).toBeGreaterThan(0);
    const findings = await Promise.all([crashing, other].map((site) => site.judge([], RECOVERY_MS)));
    const slower = p99(answers.alone) / p99(answers.beside);
    report('cells', { crashes, events, refused, p99Ms: [p99(answers.beside), p99(answers.alone)], slower });
    const accepted = events * (1 + 2 * crashes);
    expect(findings[0]).toMatchObject({ lost: 0, accepted });
    expect(findings[1]).toMatchObject({ problems: [], lost: 0, accepted, byStatus: { SUCCEEDED: accepted } });
    if (isLong) {
      expect(slower).toBeLessThanOrEqual(SLOWER_MAX);
    }
  });
});

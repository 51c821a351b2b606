import { median } from '../histogram.js';
import { emitAndReceive, warmUp } from '../scenario.js';
import type { Idle } from './idle.js';
import type { Side } from './side.js';
import { type Statement, statementsDuring } from './statements.js';

const GROUP = 'hot';
const ROUNDS = 5;
const EMITS_PER_SECOND = 150;

interface Round {
  deliveries: number;
  /** Of Postgres, in ms a delivery, without what it does idle. */
  cpuMs: number | null;
  execMs: number;
  blocks: number;
  statements: Statement[];
}

/** Emits to a tenant with one webhook in both installations, in turns. */
export async function compareHotPath(
  large: Side,
  small: Side,
  idle: Record<Side['name'], Idle>,
): Promise<{ details: Record<string, number>; rounds: Record<Side['name'], Round[]> }> {
  const rounds: Record<Side['name'], Round[]> = { large: [], small: [] };
  for (const side of [large, small]) {
    await side.startApi();
    await side.startDaemon();
    await side.rig.subscribe(side.service, GROUP, 1);
    await warmUp(side.rig, side.service, GROUP, { what: 'emit', concurrency: 8, seconds: 3 });
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const side of round % 2 === 0 ? [large, small] : [small, large]) {
      rounds[side.name].push(await emitOnce(side, idle[side.name]));
    }
  }
  for (const side of [large, small]) {
    await side.stopDaemon();
    await side.stopApi();
  }
  const ratio = (of: (round: Round) => number | null) => {
    const [a, b] = [rounds.large, rounds.small].map((each) => median(each.map(of).filter((value) => value !== null)));
    return a === undefined || b === undefined || a === null || b === null ? Number.NaN : a / b;
  };
  return {
    details: {
      hotCpuRatio: large.database.sharesServerWith(small.database) ? Number.NaN : ratio(({ cpuMs }) => cpuMs),
      hotExecRatio: ratio(({ execMs }) => execMs),
      hotBlocksRatio: ratio(({ blocks }) => blocks),
    },
    rounds,
  };
}

async function emitOnce({ rig, service, database }: Side, idle: Idle): Promise<Round> {
  const before = { cpu: database.cpuSeconds(), at: performance.now() };
  let deliveries = 0;
  const statements = await statementsDuring(database, async () => {
    const load = { what: 'emit', seconds: rig.seconds, ratePerSecond: EMITS_PER_SECOND } as const;
    ({ deliveries } = await emitAndReceive(rig, service, GROUP, load));
  });
  const after = database.cpuSeconds();
  const part = (performance.now() - before.at) / 1000 / idle.seconds;
  const each = (sum: number, ofIdle: number) => (sum - ofIdle * part) / deliveries;
  return {
    deliveries,
    cpuMs:
      after === null || before.cpu === null || idle.cpuSeconds === null
        ? null
        : 1000 * each(after - before.cpu, idle.cpuSeconds),
    execMs: each(sumOf(statements, 'execMs'), sumOf(idle.statements, 'execMs')),
    blocks: each(sumOf(statements, 'blocks'), sumOf(idle.statements, 'blocks')),
    statements,
  };
}

const sumOf = (statements: readonly Statement[], what: 'execMs' | 'blocks') =>
  statements.reduce((sum, one) => sum + one[what], 0);

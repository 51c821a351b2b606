import { median } from '../histogram.js';
import { emitAndReceive, warmUp } from '../scenario.js';
import type { Side } from './side.js';
import { type Statement, statementsDuring } from './statements.js';

const GROUP = 'hot';
const ROUNDS = 5;
const EMITS_PER_SECOND = 150;

/** Statements that run at least once for so many deliveries: an outcome shares its statement with others. */
const DELIVERIES_A_CALL_MAX = 50;

interface Round {
  /** In ms and blocks a delivery. */
  execMs: number;
  blocks: number;
  statements: Statement[];
}

/**
 * Emits to a tenant with one webhook in both installations, in turns. What counts are the statements of emits, fetches,
 * loads and records; duties that run beside them are measured idle.
 */
export async function compareHotPath(
  large: Side,
  small: Side,
): Promise<{ details: Record<string, number>; rounds: Record<Side['name'], Round[]> }> {
  const rounds: Record<Side['name'], Round[]> = { large: [], small: [] };
  for (const side of [large, small]) {
    await side.startApi();
    await side.startDaemon();
    // In the newest versions, as where there is no release.
    await side.rig.subscribe(side.service, GROUP, 1, { content: { release: null } });
    await warmUp(side.rig, side.service, GROUP, { what: 'emit', concurrency: 8, seconds: 3 });
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const side of round % 2 === 0 ? [large, small] : [small, large]) {
      rounds[side.name].push(await emitOnce(side));
    }
  }
  for (const side of [large, small]) {
    await side.stopDaemon();
    await side.stopApi();
  }
  const ratio = (figure: 'execMs' | 'blocks') => {
    const of = (side: Side) => median(rounds[side.name].map((round) => round[figure]))!;
    return of(large) / of(small);
  };
  return { details: { hotExecRatio: ratio('execMs'), hotBlocksRatio: ratio('blocks') }, rounds };
}

async function emitOnce({ rig, service, database }: Side): Promise<Round> {
  let deliveries = 0;
  const all = await statementsDuring(database, async () => {
    const load = { what: 'emit', seconds: rig.seconds, ratePerSecond: EMITS_PER_SECOND } as const;
    ({ deliveries } = await emitAndReceive(rig, service, GROUP, load));
  });
  const statements = all.filter(({ calls }) => calls * DELIVERIES_A_CALL_MAX >= deliveries);
  const each = (figure: 'execMs' | 'blocks') => statements.reduce((sum, one) => sum + one[figure], 0) / deliveries;
  return { execMs: each('execMs'), blocks: each('blocks'), statements };
}

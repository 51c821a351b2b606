import { MOVING } from '../../../domain/ids/cell.js';
import type { HasPool } from '../../../platform/database/database.js';
import { thisProgram } from '../../../platform/node/this-program.js';
import { judgeEdition, lackOf, missingMigrations } from '../../installation/check-readiness.js';
import { olderDaemon } from '../../installation/daemons.js';
import { encryptionKeysInUse } from '../../secrets/try-encryption-keys.js';
import { readOwnCell } from '../own-cell.js';
import { Ends } from './connections.js';
import type { MoverContext } from './context.js';
import { Pace, readShapes } from './copy.js';
import { Heartbeat } from './heartbeat.js';
import { abortMove, requireNone, requireUnderWay, settleDoubt } from './open-move.js';
import { type Asked, requireMovable } from './refusals.js';
import { hasStandby, waitForStandby } from './standby.js';
import { beginMove, latestMove, type Move } from './state.js';
import { type Moved, moveTenant, type StepOptions } from './steps.js';
import { MOVED_TABLES } from './tables.js';

/** How far standbys may be behind before anything is copied. */
const STANDBY_MS = 10_000;
/** How long a move of a tenant that nobody has allowed more for may keep it closed. */
const CLOSED_MS_MAX = 60_000;

export interface MoveOptions
  extends Omit<StepOptions, 'closedMsMax' | 'isResumed'>,
    Pick<Asked, 'encryptionKeys' | 'closedFor'> {
  /** MOVE begins one, RESUME goes on with it, ABORT takes it back. */
  kind: 'MOVE' | 'RESUME' | 'ABORT';
  /** Whether standbys of both cells shall have followed before a step that depends on it. */
  waitsForStandbys: boolean;
  /** Rows a second while the tenant is open; undefined: as fast as it goes. */
  rate: number | undefined;
  signal: AbortSignal;
  say(sentence: string): void;
}

/** How a move has ended. */
interface MoveEnd {
  cell: number;
  /** Null: it was taken back, or had come to its end already. */
  moved: Moved | null;
}

/**
 * Moves a tenant to another cell (docs/decisions/0099).
 *
 * @param source the cell that it leaves
 * @throws Error with a sentence; until the target has the tenant it is open in the source then
 */
export async function runMove(
  source: { url: string } & HasPool,
  target: { url: string } & HasPool,
  tenantId: number,
  options: MoveOptions,
): Promise<MoveEnd> {
  const { from, to } = await requireTwoCells(source, target);
  await using beat = await Heartbeat.begin(source.url, tenantId);
  await using ends = await Ends.open(source.url, target.url);
  const latest = await latestMove(ends.source, tenantId);
  if (options.kind === 'ABORT') {
    if (latest === null || latest.cell !== to) {
      throw new Error(`Tenant ${tenantId} has no move to cell ${to}.`);
    }
    await abortMove(ends, latest, from);
    await options.route(from);
    return { cell: to, moved: null };
  }
  const signal = AbortSignal.any([options.signal, beat.signal]);
  const { say, rate, encryptionKeys, closedFor, kind } = options;
  const standbys = options.waitsForStandbys
    ? { source: await hasStandby(ends.source), target: await hasStandby(ends.target) }
    : null;
  const asked = { tenantId, to, encryptionKeys, closedFor };
  let move: Move;
  if (kind === 'RESUME') {
    move = requireUnderWay(latest, tenantId, to);
  } else {
    requireNone(latest);
    await requireNoOlderDaemon(source, from);
    await requireNoOlderDaemon(target, to);
    move = await begin({ asked, from, ends, standbys, say });
    await sayIfNoKey(target, to, say);
  }
  beat.token = move.token;
  const shapes = await readShapes(ends.source, Object.keys(MOVED_TABLES));
  const context: MoverContext = {
    move,
    asked,
    from,
    ends,
    shapes,
    pace: new Pace(rate, signal),
    standbys,
    signal,
    say,
  };
  if (kind === 'RESUME' && (await settleDoubt(context, options)) === 'MOVED') {
    return { cell: to, moved: null };
  }
  beat.token = move.token;
  const closedMsMax = closedFor === undefined ? CLOSED_MS_MAX : closedFor * 1000;
  const moved = await moveTenant(context, { ...options, closedMsMax, isResumed: kind === 'RESUME' });
  return { cell: to, moved };
}

/** Begins a move that can be made, once standbys are near. */
async function begin({
  asked,
  from,
  ends,
  standbys,
  say,
}: Pick<MoverContext, 'asked' | 'from' | 'ends' | 'standbys' | 'say'>): Promise<Move> {
  const { tenantId, to } = asked;
  const seconds = await requireMovable(ends.source, ends.target, asked);
  if (standbys !== null) {
    await waitForStandby(ends.source, from, STANDBY_MS, standbys.source);
    await waitForStandby(ends.target, to, STANDBY_MS, standbys.target);
  }
  say(`Tenant ${tenantId} moves from cell ${from} to cell ${to}. It will take no events for about ${seconds} s.`);
  return await beginMove(ends.source, tenantId, to);
}

/** A cell without tenants has no secret that its key could be compared by. */
async function sayIfNoKey(target: HasPool, cell: number, say: MoveOptions['say']): Promise<void> {
  if ((await encryptionKeysInUse(target)).length === 0) {
    say(
      `Nothing in cell ${cell} says which encryption key its processes have. With another one than here they send nothing of the tenant until they get this one: "${thisProgram} doctor" there says it once the tenant has come.`,
    );
  }
}

async function requireTwoCells(source: HasPool, target: HasPool): Promise<{ from: number; to: number }> {
  const [own, other] = [await readOwnCell(source.pool), await readOwnCell(target.pool)];
  if (own === null || other === null) {
    const which = own === null ? 'This database' : 'The other database';
    throw new Error(`${which} has no number of a cell. Tenants move among the cells of one address: docs/cells.md.`);
  }
  if (own.number === other.number || own.of !== other.of) {
    const what = own.number === other.number ? `cell ${own.number}` : 'cells of different counts';
    throw new Error(`Both databases are ${what}. The file has to name the database of another cell of this address.`);
  }
  if (own.number % own.of === other.number % own.of) {
    throw new Error(
      `Cells ${own.number} and ${other.number} of ${own.of} make the same ids of events (docs/cells.md, Adding a cell): no tenant moves between them.`,
    );
  }
  for (const [db, number] of [
    [source, own.number],
    [target, other.number],
  ] as const) {
    const missing = await missingMigrations(db);
    if (missing.length > 0 || (await judgeEdition(db)) !== 'SAME') {
      const why = missing.length > 0 ? lackOf(missing) : 'A newer version has migrated it';
      throw new Error(`Cell ${number}: ${why}. Both cells and this command have to be of one version.`);
    }
  }
  return { from: own.number, to: other.number };
}

async function requireNoOlderDaemon(db: HasPool, cell: number): Promise<void> {
  const older = await olderDaemon(db, [MOVING.name]);
  if (older !== null) {
    throw new Error(
      `A daemon of cell ${cell} on ${older.host} is of version ${older.version}, which would send for a tenant that moves. Upgrade all processes of both cells first.`,
    );
  }
}

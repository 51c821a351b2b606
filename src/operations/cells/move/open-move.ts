import type pg from 'pg';
import { openPool } from '../../../platform/database/database.js';
import { thisProgram } from '../../../platform/node/this-program.js';
import { ask, goBack } from './commit.js';
import { inTransaction } from './connections.js';
import type { MoverContext } from './context.js';
import { decide } from './decide.js';
import { takeBack } from './forget.js';
import { endLeft, markGone } from './leave.js';
import { BEFORE_COMMITTING, type Move, setState } from './state.js';
import type { StepOptions } from './steps.js';

const isUnderWay = ({ state }: Move) => state === 'COMMITTING' || BEFORE_COMMITTING.includes(state);

/** @throws Error with a sentence when the tenant has no move to that cell that can go on */
export function requireUnderWay(move: Move | null, tenantId: number, to: number): Move {
  if (move === null || !(isUnderWay(move) || move.state === 'OPEN')) {
    throw new Error(`No move of tenant ${tenantId} is under way. Begin one without --resume.`);
  }
  if (move.cell !== to) {
    throw new Error(`The move under way is to cell ${move.cell}, and the file names cell ${to}.`);
  }
  return move;
}

/** @throws Error with a sentence when the tenant has one already */
export function requireNone(move: Move | null): void {
  if (move === null) {
    return;
  }
  const command = `${thisProgram} tenant move ${move.tenantId}`;
  if (isUnderWay(move)) {
    throw new Error(
      `A move of tenant ${move.tenantId} to cell ${move.cell} is under way (${move.state}): "${command} --to-url-file <file> --resume" goes on with it, and --abort takes back what it has copied.`,
    );
  }
}

/**
 * Finds out where a tenant lives whose mover has died, and brings it to a state that the mover goes on from. Whatever
 * the former mover still does comes to nothing: its token can neither commit here nor there.
 *
 * @returns MOVED: it is open in the target, and gone from here
 */
export async function settleDoubt(
  context: MoverContext,
  { keepDays, route }: Pick<StepOptions, 'keepDays' | 'route'>,
): Promise<'MOVED' | 'HERE'> {
  const { move, from, ends, say } = context;
  const { state } = move;
  if (state !== 'OPEN') {
    if (state !== 'COMMITTING') {
      await enter(context, 'COPYING');
    }
    if ((await ask(context)) === 'ABORTED') {
      if (state === 'COMMITTING') {
        say(`The tenant is not open in cell ${move.cell}, and never comes by the former try.`);
      }
      await goBack({ ends, move });
      await route(from); // the proxy may still hold it
      return 'HERE';
    }
    if (state !== 'COMMITTING') {
      say(
        `The tenant is open in cell ${move.cell}: a failover has had this cell forget that. What it has accepted since is not there. It stays in the tables here until --forget, or for ${keepDays} days.`,
      );
      await enter(context, 'COMMITTING');
    }
  }
  await markGone(ends.source, move, keepDays);
  await route(move.cell);
  await endLeft(ends.source, move.tenantId);
  return 'MOVED';
}

async function enter({ ends, move }: MoverContext, state: 'COPYING' | 'COMMITTING'): Promise<void> {
  await inTransaction(ends.source, () => setState(ends.source, move, BEFORE_COMMITTING, state));
  move.state = state;
}

/**
 * Ends a move for ever, and deletes what it has copied.
 *
 * @throws Error with a sentence when the tenant is open in the target
 */
export async function abortMove(
  { source, target, targetUrl }: { source: pg.Client; target: pg.Client; targetUrl: string },
  move: Move,
  from: number,
): Promise<void> {
  if (['OPEN', 'DONE'].includes(move.state) || (await decide(target, move, from)) === 'OPEN') {
    throw new Error(
      `Tenant ${move.tenantId} is open in cell ${move.cell}: there is nothing to abort. ` +
        `"${thisProgram} tenant move ${move.tenantId} --to-url-file <file> --resume" ends the move; from there it can be moved back.`,
    );
  }
  await inTransaction(source, () => setState(source, move, [move.state], 'ABORTED'));
  const pool = openPool(targetUrl, 1, () => {});
  try {
    await takeBack(pool, move.tenantId);
  } finally {
    await pool.end();
  }
}

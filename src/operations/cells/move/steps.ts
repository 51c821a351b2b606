import { setTimeout as delay } from 'node:timers/promises';
import { isUnreachable } from '../../../platform/database/outage.js';
import { type Arrived, arrive } from './arrive.js';
import { jobsInHand, nameOf, waitForOthers } from './barrier.js';
import { commit } from './commit.js';
import { CONNECTION_LOST, inTransaction, isLost } from './connections.js';
import type { MoverContext } from './context.js';
import { Pace } from './copy.js';
import { endLeft, markGone } from './leave.js';
import { precopy } from './precopy.js';
import { requireFits, requireKeysThere } from './refusals.js';
import { BEFORE_COMMITTING, type MoveState, setState, whatNext } from './state.js';

const ROUNDS = 5;
const LOOK_MS = 50;
const BETWEEN_ROUNDS_MS = 1_000;
/** Beside the longest attempt: for what a daemon does before and after it. */
const BESIDE_ATTEMPT_SECONDS = 15;

export interface StepOptions {
  keepDays: number;
  /** The longest time that an attempt takes. */
  attemptSeconds: number;
  /** How long a closed tenant waits for what is under way, before it is opened again. */
  underWayMs: number;
  /** The longest time that the tenant may be closed, in ms. */
  closedMsMax: number;
  /** Whether another command has begun the move. */
  isResumed: boolean;
  /** Has the proxy know where the tenant is: `hold` shortly before it is closed, then a cell. */
  route(where: number | 'hold'): Promise<void>;
}

export interface Moved {
  arrived: Arrived;
  /** How long the tenant took no events. */
  closedMs: number;
}

/** Brings a tenant to the other cell. Until it is COMMITTING any failure leaves it open here, and may be resumed. */
export async function moveTenant(context: MoverContext, options: StepOptions): Promise<Moved> {
  try {
    await context.ends.copying(context.signal, () => copyOpen(context, options));
    return await closeAndCopy(context, options);
  } catch (error) {
    const isOpen = await reopen(context, options).catch(() => false);
    const why = await whyOf(context, error as Error);
    throw isOpen === null ? error : new Error(`${why.replace(/\.?$/, '.')} ${whatNext(context.move, isOpen)}`);
  }
}

/** The reason why a move ends. The driver has many words for a lost connection, and none says which one it was. */
async function whyOf({ ends, move, signal }: MoverContext, error: Error): Promise<string> {
  const cause = signal.aborted ? (signal.reason as Error) : error;
  if (!isUnreachable(cause)) {
    return cause.message;
  }
  return (await isLost(ends.source)) ? CONNECTION_LOST.message : `The connection to cell ${move.cell} is lost.`;
}

/** Step 1. */
async function copyOpen(context: MoverContext, { isResumed }: StepOptions): Promise<void> {
  const { ends, asked } = context;
  if (isResumed) {
    await requireFits(ends.source, ends.target, asked);
  }
  await precopy(context);
  await requireFits(ends.source, ends.target, asked);
}

async function change({ ends, move }: MoverContext, from: readonly MoveState[], to: MoveState): Promise<boolean> {
  const changed = await inTransaction(ends.source, async () => {
    await ends.source.query(`set local lock_timeout = '10s'`);
    return await setState(ends.source, move, from, to);
  });
  if (changed) {
    move.state = to;
  }
  return changed;
}

/** @returns false: it has not been opened; null: it is COMMITTING or has moved, and what has failed says what next */
async function reopen(context: MoverContext, options: StepOptions): Promise<boolean | null> {
  if (!BEFORE_COMMITTING.includes(context.move.state)) {
    return null;
  }
  const wasHeld = context.move.state === 'CLOSED' || context.move.state === 'DRAINING';
  const isOpen = await change(context, BEFORE_COMMITTING, 'COPYING');
  if (isOpen && wasHeld) {
    await options.route(context.from);
  }
  return isOpen;
}

/** Steps 2 to 5. */
async function closeAndCopy(context: MoverContext, options: StepOptions): Promise<Moved> {
  const { say, signal, from } = context;
  for (let round = 1; ; round += 1) {
    await drain(context, options);
    await options.route('hold');
    const closedAt = performance.now();
    require(await change(context, ['DRAINING'], 'CLOSED'));
    const left = await waitForQuiet(context, options);
    if (left === null) {
      return await copyClosed(context, options, closedAt);
    }
    await change(context, ['CLOSED'], 'DRAINING');
    await options.route(from);
    if (round === ROUNDS) {
      throw new Error(
        `The tenant could not be closed within ${options.underWayMs / 1000} s in ${ROUNDS} rounds: ${left}.`,
      );
    }
    say(`The tenant is open again, since it could not be closed within ${options.underWayMs / 1000} s: ${left}.`);
    await delay(BETWEEN_ROUNDS_MS, undefined, { signal });
  }
}

function require(done: boolean): void {
  if (!done) {
    throw new Error('The service has opened the tenant again, since this command was silent for a minute.');
  }
}

/** Step 2: nothing of the tenant is sent any more. What is under way for longer is waited for when it is closed. */
async function drain(context: MoverContext, options: StepOptions): Promise<void> {
  const { ends, signal } = context;
  require(await change(context, ['COPYING', 'DRAINING'], 'DRAINING'));
  await waitForOthers(ends.source, options.underWayMs, signal);
  await jobsEnd(context, options, performance.now() + jobSeconds(options) * 1000);
}

const jobSeconds = ({ attemptSeconds }: StepOptions) => attemptSeconds + BESIDE_ATTEMPT_SECONDS;

/** Waits until no daemon has a job of the tenant in hand. @returns false: one still has at that time */
async function jobsEnd({ ends, move, signal }: MoverContext, options: StepOptions, untilMs: number): Promise<boolean> {
  while ((await jobsInHand(ends.source, move.tenantId, jobSeconds(options))) > 0) {
    if (performance.now() >= untilMs) {
      return false;
    }
    await delay(LOOK_MS, undefined, { signal });
  }
  return true;
}

/** Step 3: waits until nothing of the tenant is under way. @returns what still is; null: nothing */
async function waitForQuiet(context: MoverContext, options: StepOptions): Promise<string | null> {
  const endsAt = performance.now() + options.underWayMs;
  const blocker = await waitForOthers(context.ends.source, options.underWayMs, context.signal);
  if (blocker !== null) {
    return `${nameOf(blocker)} has had a transaction open since before`;
  }
  return (await jobsEnd(context, options, endsAt)) ? null : 'a daemon has one of its deliveries in hand';
}

/** Steps 4 and 5. */
async function copyClosed(context: MoverContext, options: StepOptions, closedAt: number): Promise<Moved> {
  const { ends, move } = context;
  const limit = AbortSignal.timeout(Math.max(1, Math.ceil(closedAt + options.closedMsMax - performance.now())));
  const signal = AbortSignal.any([context.signal, limit]);
  const copied = ends.copying(signal, async () => {
    await requireKeysThere(ends.source, ends.target, context.asked, move.copiedBefore!);
    await ends.target.query('begin');
    await ends.reader.query('begin isolation level repeatable read read only');
    const arrived = await arrive({ ...context, signal, pace: new Pace(undefined, signal) });
    await ends.reader.query('rollback');
    return arrived;
  });
  const arrived = await copied.catch((error: Error) => {
    throw limit.aborted && !context.signal.aborted ? tooLong(options) : error;
  });
  context.signal.throwIfAborted();
  require(await change(context, ['CLOSED'], 'COMMITTING'));
  await commit(context, options.route);
  try {
    await markGone(ends.source, move, options.keepDays);
    const closedMs = performance.now() - closedAt;
    await options.route(move.cell);
    await endLeft(ends.source, move.tenantId);
    return { arrived, closedMs };
  } catch (error) {
    throw new Error(
      `${(error as Error).message} The tenant is open in cell ${move.cell}: --resume does the rest here.`,
    );
  }
}

const tooLong = ({ closedMsMax }: StepOptions) =>
  new Error(
    `The tenant was closed for ${closedMsMax / 1000} s, and not all of it was copied. --closed-for allows more.`,
  );

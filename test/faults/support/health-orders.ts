import { DISABLE_AFTER_FAILURES } from '../../../src/domain/deliveries/health-limits.js';
import type { AttemptState, HealthSeen } from './evidence.js';

/**
 * Attempts are stored to the millisecond, and a busy process takes a while from one to the next: those that finished
 * closer together than this may have been folded in either order.
 */
const TIE_MS = 25;

type Seen = Pick<HealthSeen, 'active' | 'consecutiveFailures'>;

interface Count extends Seen {
  /** Whether its row of failures, if there is one, was there before these steps. */
  row: 'FORMER' | 'OF_NOW' | 'UNKNOWN';
}

export interface Step {
  verdict: AttemptState['verdict'];
  finishedAt: number;
  /** Whether it belongs to the webhook's present generation. */
  counts: 'YES' | 'NO' | 'PERHAPS';
  /** Whether it may make the tenth failure of a row that was there before: else the count stays at nine. */
  asTenth: 'YES' | 'NO' | 'PERHAPS';
}

export const keyOf = ({ active, consecutiveFailures }: Seen) =>
  `${active ? 'active' : 'disabled'} ${consecutiveFailures}`;
const keyWithRow = (count: Count) => `${keyOf(count)} ${count.row}`;

/** So many different orders are no longer worth following: nothing could be wrong. */
const BRANCHES_MAX = 100_000;

/**
 * Everything that a webhook can become by steps whose order is known but for ties.
 *
 * @returns null when that is too much to follow
 */
export function reachable(from: Count, steps: readonly Step[]): Count[] | null {
  let states = [from];
  for (const tied of ties(steps)) {
    const next = new Map<string, Count>();
    for (const state of states) {
      const found = inAnyOrder(state, tied);
      if (found === null) {
        return null;
      }
      for (const reached of found) {
        next.set(keyWithRow(reached), reached);
      }
    }
    states = [...next.values()];
  }
  return states;
}

function ties(steps: readonly Step[]): Step[][] {
  const groups: Step[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  const counting = steps.filter(({ counts }) => counts !== 'NO');
  for (const step of counting.toSorted((a, b) => a.finishedAt - b.finishedAt)) {
    if (step.finishedAt - end > TIE_MS) {
      groups.push([]);
    }
    groups.at(-1)!.push(step);
    end = step.finishedAt;
  }
  return groups;
}

/** Follows every order of the steps. Equal steps are interchangeable, so it is counts of them that are followed. */
function inAnyOrder(from: Count, steps: readonly Step[]): Count[] | null {
  const kindOf = ({ verdict, counts, asTenth }: Step) => `${verdict} ${counts} ${asTenth}`;
  const kinds = [...Map.groupBy(steps, kindOf).values()];
  const ends: Count[] = [];
  const seen = new Set<string>();
  const open: { state: Count; left: number[] }[] = [{ state: from, left: kinds.map(({ length }) => length) }];
  for (let branch = open.pop(); branch !== undefined; branch = open.pop()) {
    const { state, left } = branch;
    const key = `${keyWithRow(state)} ${left}`;
    if (seen.has(key)) {
      continue;
    }
    if (seen.size > BRANCHES_MAX) {
      return null;
    }
    seen.add(key);
    if (!state.active || left.every((count) => count === 0)) {
      ends.push(state);
      continue;
    }
    kinds.forEach(([kind], index) => {
      if (left[index]! > 0) {
        const rest = left.with(index, left[index]! - 1);
        open.push(...after(state, kind!).map((each) => ({ state: each, left: rest })));
        if (kind!.counts === 'PERHAPS') {
          open.push({ state, left: rest });
        }
      }
    });
  }
  return ends;
}

/** @returns all that it may become */
function after(before: Count, { verdict, asTenth }: Step): Count[] {
  const { consecutiveFailures, row } = before;
  if (verdict === 'SUCCEEDED') {
    return [{ active: true, consecutiveFailures: 0, row: row === 'UNKNOWN' ? row : 'OF_NOW' }];
  }
  const failures = consecutiveFailures + 1;
  const isTenth = failures >= DISABLE_AFTER_FAILURES;
  const counted: Count = {
    active: verdict !== 'GONE' && !isTenth,
    consecutiveFailures: failures,
    row: row === 'FORMER' && consecutiveFailures === 0 ? 'OF_NOW' : row,
  };
  if (verdict === 'GONE' || !isTenth) {
    return [counted];
  }
  const mayDisable = row === 'OF_NOW' ? 'NO' : row === 'FORMER' ? asTenth : 'PERHAPS';
  return [...(mayDisable === 'NO' ? [] : [counted]), ...(mayDisable === 'YES' ? [] : [before])];
}

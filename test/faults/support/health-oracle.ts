import { DISABLE_AFTER_FAILURES, type HealthState } from '../../../src/domain/health.js';
import type { AttemptState, Evidence, WebhookChange } from './evidence.js';

/**
 * Attempts are stored to the millisecond, and a busy process takes a while from one to the next: those that finished
 * closer together than this may have been folded in either order.
 */
const TIE_MS = 25;
/** From the load of a delivery, which decides the generation that its attempt belongs to, to its request. */
const LOAD_TO_START_MS = 1_000;
/** Times of processes on one machine, each rounded to the millisecond. */
const CLOCKS_MS = 5;

interface HealthFindings {
  problems: string[];
  figures: { checkedExactly: number; checkedWithinTies: number; otherThanFinishOrder: number };
}

/**
 * Checks every change of every webhook: what its row became must be what folding the attempts of that transaction, in
 * the order in which they finished, makes of what it was. It is a second implementation on purpose, and
 * knows where the order cannot be told: then any order is right.
 *
 * `otherThanFinishOrder` counts webhooks whose count in the end differs from a fold over all their attempts by the
 * time at which they finished, whichever process recorded them and when.
 */
export function judgeHealth({ webhooks, attempts, changes }: Evidence): HealthFindings {
  const findings = { problems: [] as string[], figures: { ...NOTHING } };
  const attemptsOf = Map.groupBy(attempts, ({ webhookId }) => webhookId);
  const changesOf = Map.groupBy(changes, ({ webhookId }) => webhookId);
  for (const webhook of webhooks) {
    const course = new Course(webhook.id, attemptsOf.get(webhook.id) ?? [], findings);
    for (const change of changesOf.get(webhook.id) ?? []) {
      course.take(change);
    }
    course.end(webhook);
  }
  return findings;
}

const NOTHING = { checkedExactly: 0, checkedWithinTies: 0, otherThanFinishOrder: 0 };

class Course {
  #state: HealthState = { active: true, generation: 0, consecutiveFailures: 0 };
  /** When the webhook was last disabled and enabled, in milliseconds since 1970. */
  #disabledAt = Number.NEGATIVE_INFINITY;
  #enabledAt = Number.NEGATIVE_INFINITY;
  readonly #byTransaction: Map<string, AttemptState[]>;

  constructor(
    private readonly webhookId: number,
    private readonly attempts: readonly AttemptState[],
    private readonly findings: HealthFindings,
  ) {
    this.#byTransaction = Map.groupBy(attempts, ({ transaction }) => transaction);
  }

  take({ transaction, at, before, after }: WebhookChange): void {
    if (!isSame(this.#state, before)) {
      this.#complain(`was ${show(this.#state)} and is suddenly ${show(before)}`);
    }
    const steps = this.#byTransaction.get(transaction) ?? [];
    this.#byTransaction.delete(transaction);
    if (steps.length === 0) {
      this.#takeSwitch(before, after);
    } else {
      this.#takeOutcomes(before, after, steps);
    }
    if (after.generation !== before.generation && after.active) {
      this.#enabledAt = at;
    } else if (after.generation !== before.generation) {
      this.#disabledAt = at;
    }
    this.#state = after;
  }

  end(webhook: HealthState): void {
    const { figures } = this.findings;
    if (!isSame(this.#state, webhook)) {
      this.#complain(`ends as ${show(webhook)}, although its last change made it ${show(this.#state)}`);
    }
    // Whatever was recorded without a change of the row can only have been of no consequence.
    const rest = [...this.#byTransaction.values()].flat().filter(({ verdict }) => verdict !== 'SUCCEEDED');
    if (rest.length > 0) {
      this.#complain(`has ${rest.length} failed attempts that were recorded without it`);
    }
    const wanted = reachable(
      { active: true, consecutiveFailures: 0 },
      this.attempts.map((attempt) => this.#step(attempt)),
    );
    if (webhook.active && wanted !== null && !wanted.has(keyOf(webhook))) {
      figures.otherThanFinishOrder += 1;
    }
  }

  #takeSwitch(before: HealthState, after: HealthState): void {
    const isSwitched = after.generation === before.generation + 1 && after.active !== before.active;
    const isUntouched = after.generation === before.generation && after.active === before.active;
    const count = isSwitched && after.active ? 0 : before.consecutiveFailures;
    if ((!isSwitched && !isUntouched) || after.consecutiveFailures !== count) {
      this.#complain(`became ${show(after)} from ${show(before)} without an attempt`);
    }
  }

  #takeOutcomes(before: HealthState, after: HealthState, attempts: readonly AttemptState[]): void {
    const { figures } = this.findings;
    const possible = reachable(
      before,
      attempts.map((attempt) => this.#step(attempt)),
    );
    if (possible === null) {
      return;
    }
    const isDisabled = before.active && !after.active;
    if (!possible.has(keyOf(after)) || after.generation !== before.generation + (isDisabled ? 1 : 0)) {
      const verdicts = attempts.map(({ verdict }) => verdict);
      this.#complain(
        `became ${show(after)} from ${show(before)} by ${verdicts}; possible: ${[...possible.keys()]}`,
      );
    } else if (possible.size === 1) {
      figures.checkedExactly += 1;
    } else {
      figures.checkedWithinTies += 1;
    }
  }

  /** Nothing is loaded for an inactive webhook, so what was loaded before it was enabled, was before it was disabled. */
  #step({ verdict, startedAt, finishedAt }: AttemptState): Step {
    const isOld = startedAt < this.#enabledAt - CLOCKS_MS;
    const isNew = startedAt - this.#disabledAt > LOAD_TO_START_MS;
    return { verdict, finishedAt, counts: isOld ? 'NO' : isNew ? 'YES' : 'PERHAPS' };
  }

  #complain(what: string): void {
    this.findings.problems.push(`webhook ${this.webhookId} ${what}`);
  }
}

type Count = Pick<HealthState, 'active' | 'consecutiveFailures'>;

interface Step {
  verdict: AttemptState['verdict'];
  finishedAt: number;
  /** Whether it belongs to the webhook's present generation. */
  counts: 'YES' | 'NO' | 'PERHAPS';
}

const keyOf = ({ active, consecutiveFailures }: Count) =>
  `${active ? 'active' : 'disabled'} ${consecutiveFailures}`;
const show = (state: HealthState) => `${keyOf(state)} (generation ${state.generation})`;
const isSame = (a: HealthState, b: HealthState) => keyOf(a) === keyOf(b) && a.generation === b.generation;

/** So many different orders are no longer worth following: nothing could be wrong. */
const BRANCHES_MAX = 100_000;

/**
 * Everything that a webhook can become by steps whose order is known but for ties.
 *
 * @returns null when that is too much to follow
 */
function reachable(from: Count, steps: readonly Step[]): Map<string, Count> | null {
  let states = new Map([[keyOf(from), from]]);
  for (const tied of ties(steps)) {
    const next = new Map<string, Count>();
    for (const state of states.values()) {
      const found = inAnyOrder(state, tied);
      if (found === null) {
        return null;
      }
      for (const reached of found) {
        next.set(keyOf(reached), reached);
      }
    }
    states = next;
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
  const kinds = [...Map.groupBy(steps, ({ verdict, counts }) => `${verdict} ${counts}`).values()];
  const ends: Count[] = [];
  const seen = new Set<string>();
  const open: { state: Count; left: number[] }[] = [{ state: from, left: kinds.map(({ length }) => length) }];
  for (let branch = open.pop(); branch !== undefined; branch = open.pop()) {
    const { state, left } = branch;
    const key = `${keyOf(state)} ${left}`;
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
        open.push({ state: after(state, kind!.verdict), left: rest });
        if (kind!.counts === 'PERHAPS') {
          open.push({ state, left: rest });
        }
      }
    });
  }
  return ends;
}

function after({ consecutiveFailures }: Count, verdict: Step['verdict']): Count {
  if (verdict === 'SUCCEEDED') {
    return { active: true, consecutiveFailures: 0 };
  }
  const failures = consecutiveFailures + 1;
  return { active: verdict !== 'GONE' && failures < DISABLE_AFTER_FAILURES, consecutiveFailures: failures };
}

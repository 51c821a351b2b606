import type { AttemptState, Evidence, HealthSeen, WebhookChange } from './evidence.js';
import { keyOf, reachable, type Step } from './health-orders.js';

/** DISABLE_AFTER_SECONDS_MIN of every site: short, so that the tests go on, and not 0, so that there are pauses. */
export const ROW_SECONDS_MIN = 1;
const ROW_MS_MIN = ROW_SECONDS_MIN * 1_000;

/** From the load of a delivery, which decides the generation that its attempt belongs to, to its request. */
const LOAD_TO_START_MS = 1_000;
/** From the time that a change of a webhook's row says to the moment that the test sees; and to its commit. */
const UPDATE_MS = 100;
const RECORD_MS = 1_000;
/** Times of processes on one machine, each rounded to the millisecond. */
const CLOCKS_MS = 5;

interface HealthFindings {
  problems: string[];
  figures: { checkedExactly: number; checkedWithinTies: number; otherThanFinishOrder: number };
}

/**
 * Checks every change of every webhook: what its row became must be what folding the attempts of that transaction, in
 * the order in which they finished, makes of what it was. It is a second implementation on purpose, and
 * knows where the order cannot be told: then any order is right. No receiver of the tests answers 429: such answers
 * would count once for each closing.
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
  #state: HealthSeen = { active: true, generation: 0, consecutiveFailures: 0 };
  /** When the webhook was last disabled and enabled, in milliseconds since 1970. */
  #disabledAt = Number.NEGATIVE_INFINITY;
  #enabledAt = Number.NEGATIVE_INFINITY;
  /** When the first failure of the present streak was recorded; null: there is none, or it is unknown. */
  #rowBeganAt: number | null = null;
  #failedAt = Number.NEGATIVE_INFINITY;
  /** Whether nothing failed for a while since the row began. */
  #wasQuiet = false;
  /** Since when there had been no failures before that row; Infinity: it followed another one at once. */
  #healthyFrom = Number.NEGATIVE_INFINITY;
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
      this.#takeOutcomes({ at, before, after }, steps);
    }
    if (after.generation !== before.generation && after.active) {
      this.#enabledAt = at;
    } else if (after.generation !== before.generation) {
      this.#disabledAt = at;
    }
    if (after.consecutiveFailures === 0 && !isSame(before, after)) {
      this.#healthyFrom = at;
    }
    this.#state = after;
  }

  end(webhook: HealthSeen): void {
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
      { active: true, consecutiveFailures: 0, row: 'UNKNOWN' },
      this.attempts.map((attempt) => ({ ...this.#step(attempt, attempt.finishedAt), asTenth: 'PERHAPS' })),
    );
    if (webhook.active && wanted !== null && !wanted.some((end) => keyOf(end) === keyOf(webhook))) {
      figures.otherThanFinishOrder += 1;
    }
  }

  #takeSwitch(before: HealthSeen, after: HealthSeen): void {
    const isSwitched = after.generation === before.generation + 1 && after.active !== before.active;
    const isUntouched = after.generation === before.generation && after.active === before.active;
    const count = isSwitched && after.active ? 0 : before.consecutiveFailures;
    if ((!isSwitched && !isUntouched) || after.consecutiveFailures !== count) {
      this.#complain(`became ${show(after)} from ${show(before)} without an attempt`);
    }
  }

  #takeOutcomes(
    { at, before, after }: Pick<WebhookChange, 'at' | 'before' | 'after'>,
    attempts: readonly AttemptState[],
  ): void {
    const { figures } = this.findings;
    const steps = attempts.map((attempt) => this.#step(attempt, at));
    this.#noteFailures(attempts);
    const ends = reachable({ ...before, row: 'FORMER' }, steps);
    const rows = new Set(ends?.filter((end) => keyOf(end) === keyOf(after)).map(({ row }) => row));
    if (rows.size !== 1) {
      this.#rowBeganAt = null;
    } else if (rows.has('OF_NOW')) {
      this.#rowBeganAt = at;
      this.#wasQuiet = false;
      this.#healthyFrom = before.consecutiveFailures === 0 ? this.#healthyFrom : Number.POSITIVE_INFINITY;
    }
    if (ends === null) {
      return;
    }
    const possible = new Set(ends.map(keyOf));
    const isDisabled = before.active && !after.active;
    if (rows.size === 0 || after.generation !== before.generation + (isDisabled ? 1 : 0)) {
      const by = attempts.map(
        ({ verdict, startedAt, finishedAt }) => `${verdict} ${startedAt - at} to ${finishedAt - at}`,
      );
      this.#complain(`became ${show(after)} from ${show(before)} by ${by.join(', ')} ms; possible: ${[...possible]}`);
    } else if (possible.size === 1) {
      figures.checkedExactly += 1;
    } else {
      figures.checkedWithinTies += 1;
    }
  }

  #step({ verdict, isUnanswered, startedAt, finishedAt }: AttemptState, recordedAt: number): Step {
    const counts = this.#counts(startedAt);
    return {
      verdict,
      finishedAt,
      counts: isUnanswered && counts === 'YES' ? 'PERHAPS' : counts,
      asTenth: this.#asTenth({ startedAt, finishedAt }, recordedAt),
    };
  }

  /** Nothing is loaded for an inactive webhook, so what was loaded before it was enabled, was before it was disabled. */
  #counts(startedAt: number): Step['counts'] {
    const isOld = startedAt < this.#enabledAt - CLOCKS_MS;
    const isNew = startedAt - this.#disabledAt > LOAD_TO_START_MS;
    return isOld ? 'NO' : isNew ? 'YES' : 'PERHAPS';
  }

  /**
   * A row of failures that is too short goes on, and so it does after an attempt that was loaded before it, while there
   * were no failures.
   */
  #asTenth(
    { startedAt, finishedAt }: Pick<AttemptState, 'startedAt' | 'finishedAt'>,
    recordedAt: number,
  ): Step['asTenth'] {
    if (this.#rowBeganAt === null) {
      return 'PERHAPS';
    }
    const isFromBefore =
      startedAt < this.#rowBeganAt - CLOCKS_MS && startedAt - this.#healthyFrom > RECORD_MS + LOAD_TO_START_MS;
    if (isFromBefore || recordedAt - this.#rowBeganAt < ROW_MS_MIN - UPDATE_MS) {
      return 'NO';
    }
    const isLate = startedAt - this.#rowBeganAt > ROW_MS_MIN + RECORD_MS + LOAD_TO_START_MS;
    const isAlone = finishedAt - this.#failedAt > ROW_MS_MIN + RECORD_MS;
    return isLate && (isAlone || !this.#wasQuiet) ? 'YES' : 'PERHAPS';
  }

  /** A row that was quiet for a while has its pauses again: from then on it is not known how old its spell is. */
  #noteFailures(attempts: readonly AttemptState[]): void {
    for (const { verdict, finishedAt } of attempts.toSorted((a, b) => a.finishedAt - b.finishedAt)) {
      if (verdict !== 'SUCCEEDED') {
        this.#wasQuiet ||= finishedAt - this.#failedAt > ROW_MS_MIN - UPDATE_MS;
        this.#failedAt = Math.max(this.#failedAt, finishedAt);
      }
    }
  }

  #complain(what: string): void {
    this.findings.problems.push(`webhook ${this.webhookId} ${what}`);
  }
}

const show = (state: HealthSeen) => `${keyOf(state)} (generation ${state.generation})`;
const isSame = (a: HealthSeen, b: HealthSeen) => keyOf(a) === keyOf(b) && a.generation === b.generation;

/** The end of a line. */
type Outcome = 'made' | 'same' | 'different' | 'changed' | 'refused';

const WORDS: Readonly<Record<Outcome, readonly [done: string, wouldBe: string]>> = {
  made: ['made', 'would be made'],
  changed: ['changed', 'would be changed'],
  different: ['different, and left', 'different, and would be left'],
  same: ['there already', 'there already'],
  refused: ['refused', 'would be refused'],
};

/** Exit codes of `hookwright import`. */
const ALL = 0;
const SOME_REFUSED = 1;
const NOTHING_DONE = 2;

/** A run in the words of its lines, and its exit code. It never has a secret. */
export class Report {
  readonly #counts: Record<Outcome, number> = { made: 0, changed: 0, different: 0, same: 0, refused: 0 };
  readonly #also: string[] = [];
  #hasStopped = false;

  constructor(
    private readonly isDryRun: boolean,
    private readonly print: (line: string) => void,
  ) {}

  /** @param reasons printed: why it was refused, or what differs */
  line(number: number, outcome: Outcome, name: string, reasons: readonly string[] = []): void {
    this.#counts[outcome] += 1;
    if (reasons.length > 0) {
      const [done, wouldBe] = WORDS[outcome];
      this.print(`line ${number} (${name}): ${this.isDryRun ? wouldBe : done}`);
      for (const reason of reasons) {
        this.print(`  ${reason}`);
      }
    }
  }

  /** Something beside the lines was made, such as a tenant. */
  also(noun: 'tenant' | 'event type'): void {
    this.#also.push(noun);
  }

  say(sentence: string): void {
    this.print(sentence);
  }

  /** The run ended before its end. */
  stopped(): void {
    this.#hasStopped = true;
  }

  /** @param where the address of the service */
  end(where: string): number {
    const counted = (Object.keys(WORDS) as Outcome[]).filter((outcome) => this.#counts[outcome] > 0);
    const parts = counted.map((outcome) => `${this.#counts[outcome]} ${WORDS[outcome][this.isDryRun ? 1 : 0]}`);
    const also = [...Map.groupBy(this.#also, (noun) => noun)].map(
      ([noun, { length }]) => `${length} ${noun}${length === 1 ? '' : 's'}`,
    );
    if (this.#hasStopped && parts.length + also.length === 0) {
      return NOTHING_DONE;
    }
    this.print(`Webhooks: ${parts.join(', ') || 'none'}, at ${where}.`);
    if (also.length > 0) {
      this.print(`${this.isDryRun ? 'Would be made' : 'Made'} for them: ${also.join(', ')}.`);
    }
    if (this.isDryRun) {
      this.print('Nothing was written.');
    } else if (this.#counts.different > 0) {
      this.print('What differs is changed with --update.');
    }
    return this.#code();
  }

  #code(): number {
    const { made, changed, same, different, refused } = this.#counts;
    if (refused === 0 && !this.#hasStopped) {
      return ALL;
    }
    return made + changed + same + different > 0 ? SOME_REFUSED : NOTHING_DONE;
  }
}

import { printable } from '../lines/line.js';

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

/** A run in the words of its lines, in their order, and its exit code. It never has a secret. */
export class Report {
  readonly #counts: Record<Outcome, number> = { made: 0, changed: 0, different: 0, same: 0, refused: 0 };
  readonly #also: string[] = [];
  /** Lines whose end is not known yet, by their numbers, in the order of the file. */
  #expected: readonly number[] = [];
  /** Sentences about lines that have ended before an earlier one. */
  readonly #waiting = new Map<number, readonly string[]>();
  #needAttention = 0;
  #awaitingProof = 0;
  #hasStopped = false;

  constructor(
    private readonly isDryRun: boolean,
    private readonly print: (line: string) => void,
  ) {}

  /** @param numbers of all lines that will have an end */
  expect(numbers: readonly number[]): void {
    this.#expected = numbers.toSorted((one, other) => one - other);
  }

  /** @param reasons printed: why it was refused, what differs, or what is to be done about a new webhook */
  line(number: number, outcome: Outcome, name: string, reasons: readonly string[] = []): void {
    this.#counts[outcome] += 1;
    this.#needAttention += outcome === 'made' && reasons.length > 0 ? 1 : 0;
    const [done, wouldBe] = WORDS[outcome];
    const head = `line ${number} (${name}): ${this.isDryRun ? wouldBe : done}`;
    this.ended(number, reasons.length === 0 ? [] : [head, ...reasons.map((reason) => `  ${printable(reason)}`)]);
  }

  /** A line has an end that no count has. @param said about it */
  ended(number: number, said: readonly string[] = []): void {
    this.#waiting.set(number, said);
    const open = this.#expected.findIndex((expected) => !this.#waiting.has(expected));
    this.#flush(open < 0 ? this.#expected.length : open);
  }

  #flush(count: number): void {
    for (const number of this.#expected.slice(0, count)) {
      this.#waiting.get(number)?.forEach(this.print);
      this.#waiting.delete(number);
    }
    this.#expected = count === 0 ? this.#expected : this.#expected.slice(count);
  }

  /** The endpoint of a webhook of a line has not proved yet that it wants deliveries. */
  awaitsProof(): void {
    this.#awaitingProof += 1;
  }

  /** Something beside the lines was made, such as a tenant. */
  also(noun: 'tenant' | 'event type'): void {
    this.#also.push(noun);
  }

  say(sentence: string): void {
    this.print(printable(sentence));
  }

  /** The run ended before its end. */
  stopped(): void {
    this.#hasStopped = true;
  }

  /** @param where the address of the service */
  end(where: string): number {
    this.#flush(this.#expected.length);
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
    if (this.#needAttention > 0) {
      const [webhooks, verb] = this.#needAttention === 1 ? ['webhook', 'needs'] : ['webhooks', 'need'];
      this.print(`${this.#needAttention} ${webhooks} ${verb} attention: see what is said about them above.`);
    }
    if (this.#awaitingProof > 0) {
      const [webhooks, verb] = this.#awaitingProof === 1 ? ['webhook', 'waits'] : ['webhooks', 'wait'];
      const proof = `${verb} for the proof that the endpoint wants deliveries`;
      this.print(`${this.#awaitingProof} ${webhooks} ${proof} (docs/security.md, "Proof of ownership").`);
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
    return made + changed + same + different + this.#also.length > 0 ? SOME_REFUSED : NOTHING_DONE;
  }
}

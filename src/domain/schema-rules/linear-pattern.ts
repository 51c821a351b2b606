import { type Instruction, PatternError, programOf } from './pattern-program.js';

/**
 * Regular expressions of JSON Schema (`pattern`, `patternProperties`), matched in a time that grows with the length of
 * the text and of the pattern, and not with their power: JavaScript's own engine tries alternatives one after another,
 * and `^(a+)+$` holds it for minutes. Here all of them advance together (Thompson, Regular Expression Search
 * Algorithm, 1968). So what needs memory of what was matched cannot be had: backreferences and looking around.
 */
interface LinearPattern {
  /** How many instructions its program has; one character of a text takes at most this many steps. */
  readonly length: number;
  test(text: string): boolean;
  toString(): string;
}

/** Called with how much work was done, and on which text. May throw, to have no more of it done. */
type SpendSteps = (steps: number, text: string) => void;

/** What a test takes before its first character, in steps, and each character by itself. */
const STEPS_TO_START = 10;
const STEPS_A_CHARACTER = 2;
/** Steps are reported in portions of this size: a call for each would take longer than they do. */
const PORTION = 1_000;

/**
 * @param source as `new RegExp(source, 'u')` takes it
 * @throws PatternError when it is no regular expression, needs memory, or becomes too long
 */
export function linearPattern(source: string, spend: SpendSteps = () => {}): LinearPattern {
  try {
    new RegExp(source, 'u');
  } catch {
    throw new PatternError('is not a regular expression');
  }
  const matcher = new Matcher(programOf(source), spend);
  return {
    length: matcher.length,
    test: (text) => matcher.test(text),
    toString: () => `/${source}/u`,
  };
}

/** Keeps its lists: a text of 256 KiB would make as many. */
class Matcher {
  readonly length: number;
  /** Where each instruction has been looked at last. */
  readonly #seenAt: Int32Array;
  /** Still to be looked at for this character: each puts in two others at most. */
  readonly #waiting: Int32Array;
  #current: Int32Array;
  #next: Int32Array;
  /** That the last call of `#advance` took. */
  #steps = 0;

  constructor(
    private readonly program: readonly Instruction[],
    private readonly spend: SpendSteps,
  ) {
    this.length = program.length;
    this.#seenAt = new Int32Array(program.length);
    this.#waiting = new Int32Array(3 * program.length);
    this.#current = new Int32Array(program.length);
    this.#next = new Int32Array(program.length);
  }

  test(text: string): boolean {
    this.#seenAt.fill(-1);
    let steps = STEPS_TO_START;
    let before: number | undefined;
    let count = 0;
    for (let at = 0; at <= text.length; ) {
      const after = text.codePointAt(at);
      const start = this.#current;
      const goesOn = this.#advance(count, at, before, after);
      steps += this.#steps;
      if (goesOn < 0 || steps >= PORTION) {
        this.spend(steps, text);
        steps = 0;
      }
      if (goesOn < 0) {
        return true;
      }
      count = goesOn;
      this.#current = this.#next;
      this.#next = start;
      before = after;
      at += after !== undefined && after > 0xffff ? 2 : 1;
    }
    this.spend(steps, text);
    return false;
  }

  /** @returns how many instructions go on after this character; -1: the pattern matches */
  #advance(count: number, at: number, before: number | undefined, after: number | undefined): number {
    const { program } = this;
    const [seenAt, waiting, current, next] = [this.#seenAt, this.#waiting, this.#current, this.#next];
    let left = 0;
    while (left < count) {
      waiting[left] = current[left]!;
      left += 1;
    }
    waiting[left++] = 0; // a match may start anywhere
    let goOn = 0;
    let steps = STEPS_A_CHARACTER;
    while (left > 0) {
      left -= 1;
      const index = waiting[left]!;
      steps += 1;
      if (seenAt[index] === at) {
        continue;
      }
      seenAt[index] = at;
      const instruction = program[index]!;
      if (instruction.kind === 'char') {
        if (after !== undefined && instruction.matches(after)) {
          next[goOn++] = index + 1;
        }
      } else if (instruction.kind === 'split') {
        waiting[left++] = instruction.or;
        waiting[left++] = instruction.to;
      } else if (instruction.kind === 'match') {
        this.#steps = steps;
        return -1;
      } else if (instruction.holds(before, after)) {
        waiting[left++] = index + 1;
      }
    }
    this.#steps = steps;
    return goOn;
  }
}

/**
 * Regular expressions of JSON Schema (`pattern`, `patternProperties`), matched in a time that grows with the length of
 * the text and of the pattern, and not with their power: JavaScript's own engine tries alternatives one after another,
 * and `^(a+)+$` holds it for minutes. Here all of them advance together (Thompson, Regular Expression Search
 * Algorithm, 1968). So what needs memory of what was matched cannot be had: backreferences and looking around.
 */
export interface LinearPattern {
  test(text: string): boolean;
  toString(): string;
}

/** Of the program that a pattern becomes; a repetition with a count is written out. */
const INSTRUCTIONS_MAX = 1_000;
/** Until the program is whole: each group is written once more into the one around it, and `(…){0}` into nothing. */
const WRITTEN_MAX = 50_000;
/** Groups within groups: each is read by a call within a call. */
const GROUPS_MAX = 100;

type Instruction =
  | { kind: 'char'; matches: (codePoint: number) => boolean }
  /** Goes on at both places at once. */
  | { kind: 'split'; to: number; or: number }
  | { kind: 'assert'; holds: (text: readonly number[], at: number) => boolean }
  | { kind: 'match' };

/** Why a pattern cannot be used. */
export class PatternError extends Error {}

/**
 * @param source as `new RegExp(source, 'u')` takes it
 * @throws PatternError when it is no regular expression, needs memory, or becomes too long
 */
export function linearPattern(source: string): LinearPattern {
  try {
    new RegExp(source, 'u');
  } catch {
    throw new PatternError('is not a regular expression');
  }
  const program = new Compiler(source).compile();
  return { test: (text) => run(program, text), toString: () => `/${source}/u` };
}

function run(program: readonly Instruction[], input: string): boolean {
  const text = Array.from(input, (character) => character.codePointAt(0)!);
  const seenAt = new Int32Array(program.length).fill(-1);
  let current: number[] = [];
  for (let at = 0; at <= text.length; at++) {
    const next: number[] = [];
    // A match may start anywhere.
    const waiting = [0, ...current.reverse()];
    while (waiting.length > 0) {
      const index = waiting.pop()!;
      if (seenAt[index] === at) {
        continue;
      }
      seenAt[index] = at;
      const instruction = program[index]!;
      if (instruction.kind === 'match') {
        return true;
      }
      if (instruction.kind === 'split') {
        waiting.push(instruction.or, instruction.to);
      } else if (instruction.kind === 'assert') {
        if (instruction.holds(text, at)) {
          waiting.push(index + 1);
        }
      } else if (at < text.length && instruction.matches(text[at]!)) {
        next.push(index + 1);
      }
    }
    current = next;
  }
  return false;
}

const isWordAt = (text: readonly number[], at: number) =>
  at >= 0 && at < text.length && /^\w$/.test(String.fromCodePoint(text[at]!));
const atWordEdge = (text: readonly number[], at: number) => isWordAt(text, at - 1) !== isWordAt(text, at);

const assertions: Record<string, (text: readonly number[], at: number) => boolean> = {
  '^': (_, at) => at === 0,
  $: (text, at) => at === text.length,
  '\\b': atWordEdge,
  '\\B': (text, at) => !atWordEdge(text, at),
};

/** Reads a pattern that JavaScript has found valid: only its structure has to be found, single atoms stay JavaScript's. */
class Compiler {
  #at = 0;
  #program: Instruction[] = [];
  #written = 0;
  #groups = 0;

  constructor(private readonly source: string) {}

  compile(): Instruction[] {
    this.#alternatives();
    this.#emit({ kind: 'match' });
    return this.#program;
  }

  #emit(...instructions: Instruction[]): void {
    this.#written += instructions.length;
    if (this.#program.length + instructions.length > INSTRUCTIONS_MAX || this.#written > WRITTEN_MAX) {
      throw new PatternError(
        `is too long, with its repetitions written out: at most ${INSTRUCTIONS_MAX} steps`,
      );
    }
    this.#program.push(...instructions);
  }

  /** `a|b|c`, until the end or a closing parenthesis. */
  #alternatives(): void {
    const parts = [this.#apart(() => this.#sequence())];
    while (this.source[this.#at] === '|') {
      this.#at += 1;
      parts.push(this.#apart(() => this.#sequence()));
    }
    const last = parts.pop()!;
    let rest = last.length + parts.reduce((sum, part) => sum + part.length + 2, 0);
    for (const part of parts) {
      rest -= part.length + 2;
      this.#emit({ kind: 'split', to: 1, or: part.length + 2 });
      this.#relocateLast();
      this.#append(part);
      this.#jump(rest + 1);
    }
    this.#append(last);
  }

  #sequence(): void {
    while (this.#at < this.source.length && !'|)'.includes(this.source[this.#at]!)) {
      const atom = this.#apart(() => this.#atom());
      const [least, most] = this.#quantifier();
      this.#repeat(atom, least, most);
    }
  }

  #repeat(atom: readonly Instruction[], least: number, most: number): void {
    if (atom.length === 0) {
      return; // nothing, however often: 10⁹ times would never reach the limit of instructions
    }
    for (let n = 0; n < least; n++) {
      this.#append(atom);
    }
    if (most === Number.POSITIVE_INFINITY) {
      this.#emit({ kind: 'split', to: 1, or: atom.length + 2 });
      this.#relocateLast();
      this.#append(atom);
      this.#jump(-atom.length - 1);
      return;
    }
    for (let n = least; n < most; n++) {
      this.#emit({ kind: 'split', to: 1, or: atom.length + 1 });
      this.#relocateLast();
      this.#append(atom);
    }
  }

  #quantifier(): [least: number, most: number] {
    const [text, symbol, least, comma, most] =
      /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(this.source.slice(this.#at)) ?? [];
    this.#at += text?.length ?? 0;
    switch (symbol) {
      case '*':
        return [0, Number.POSITIVE_INFINITY];
      case '+':
        return [1, Number.POSITIVE_INFINITY];
      case '?':
        return [0, 1];
    }
    if (least === undefined) {
      return [1, 1];
    }
    return [Number(least), comma === '' ? Number(least) : most ? Number(most) : Number.POSITIVE_INFINITY];
  }

  #atom(): void {
    const rest = this.source.slice(this.#at);
    if (/^\((\?[=!]|\?<[=!])/.test(rest) || /^\\([1-9]|k<)/.test(rest)) {
      throw new PatternError('looks around or back, which cannot be done in a time that is known beforehand');
    }
    const [opening] = /^\((\?:|\?<[^>]*>)?/.exec(rest) ?? [];
    if (opening !== undefined) {
      if (opening === '(' && rest[1] === '?') {
        throw new PatternError('changes the flags in its middle');
      }
      this.#at += opening.length;
      this.#groups += 1;
      if (this.#groups > GROUPS_MAX) {
        throw new PatternError(`has groups within groups more than ${GROUPS_MAX} deep`);
      }
      this.#alternatives();
      this.#groups -= 1;
      this.#at += 1; // the closing parenthesis
      return;
    }
    const [atom] = ATOM.exec(rest)!;
    this.#at += atom.length;
    const holds = assertions[atom];
    this.#emit(holds === undefined ? { kind: 'char', matches: matcherOf(atom) } : { kind: 'assert', holds });
  }

  /** Runs `write` on an empty program, which it answers with. Places in it are relative: `#append` moves them. */
  #apart(write: () => void): Instruction[] {
    const outer = this.#program;
    this.#program = [];
    write();
    const inner = this.#program;
    this.#program = outer;
    return inner;
  }

  #append(part: readonly Instruction[]): void {
    const start = this.#program.length;
    this.#emit(
      ...part.map((one) => (one.kind === 'split' ? { ...one, to: one.to + start, or: one.or + start } : one)),
    );
  }

  /** To a place so many instructions ahead. */
  #jump(by: number): void {
    const to = this.#program.length + by;
    this.#emit({ kind: 'split', to, or: to });
  }

  #relocateLast(): void {
    const last = this.#program.length - 1;
    const split = this.#program[last] as { to: number; or: number };
    split.to += last;
    split.or += last;
  }
}

/** A class, an escape (two, where they are halves of one character), or a character. */
const ATOM =
  /^(?:\[(?:\\.|[^\]\\])*\]|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\(?:u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\}|.)|.)/su;

function matcherOf(atom: string): (codePoint: number) => boolean {
  const expression = new RegExp(`^(?:${atom})$`, 'u');
  const known = new Map<number, boolean>();
  return (codePoint) => {
    let matches = known.get(codePoint);
    if (matches === undefined) {
      matches = expression.test(String.fromCodePoint(codePoint));
      if (known.size < 1_000) {
        known.set(codePoint, matches);
      }
    }
    return matches;
  };
}

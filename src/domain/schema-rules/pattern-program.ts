/** Of the program that a pattern becomes; a repetition with a count is written out. */
const INSTRUCTIONS_MAX = 1_000;
/** Until the program is whole: each group is written once more into the one around it, and `(…){0}` into nothing. */
const WRITTEN_MAX = 50_000;
/** Groups within groups: each is read by a call within a call. */
const GROUPS_MAX = 100;

/** A step of a program: what has to hold before the next one, or where else to go on. */
export type Instruction =
  | { kind: 'char'; matches: (codePoint: number) => boolean }
  /** Goes on at both places at once. */
  | { kind: 'split'; to: number; or: number }
  /** Of the characters before and after the place; undefined: there is none. */
  | { kind: 'assert'; holds: Assertion }
  | { kind: 'match' };

type Assertion = (before: number | undefined, after: number | undefined) => boolean;

/** Why a pattern cannot be used. */
export class PatternError extends Error {}

/**
 * @param source a valid regular expression with the flag `u`
 * @throws PatternError when it needs memory, or becomes too long
 */
export function programOf(source: string): readonly Instruction[] {
  return new Compiler(source).compile();
}

/** As `\w` has it; asked for so often that an expression would take most of the time. */
const isWord = (codePoint = 0) =>
  (codePoint >= 0x30 && codePoint <= 0x39) ||
  (codePoint >= 0x41 && codePoint <= 0x5a) ||
  (codePoint >= 0x61 && codePoint <= 0x7a) ||
  codePoint === 0x5f;
const atWordEdge: Assertion = (before, after) => isWord(before) !== isWord(after);

const assertions: Record<string, Assertion> = {
  '^': (before) => before === undefined,
  $: (_, after) => after === undefined,
  '\\b': atWordEdge,
  '\\B': (before, after) => !atWordEdge(before, after),
};

/**
 * Reads a pattern that JavaScript has found valid: only its structure has to be found, single atoms stay JavaScript's.
 */
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
      throw new PatternError(`is too long, with its repetitions written out: at most ${INSTRUCTIONS_MAX} steps`);
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
    this.#emit(...part.map((one) => (one.kind === 'split' ? { ...one, to: one.to + start, or: one.or + start } : one)));
  }

  /** To a place this many instructions ahead. */
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
  const matchesNow = (codePoint: number) => expression.test(String.fromCodePoint(codePoint));
  const ascii = new Uint8Array(128); // 0: not asked yet, 1: no, 2: yes
  const others = new Map<number, boolean>();
  return (codePoint) => {
    if (codePoint < 128) {
      ascii[codePoint] ||= matchesNow(codePoint) ? 2 : 1;
      return ascii[codePoint] === 2;
    }
    let matches = others.get(codePoint);
    if (matches === undefined) {
      matches = matchesNow(codePoint);
      if (others.size < 1_000) {
        others.set(codePoint, matches);
      }
    }
    return matches;
  };
}

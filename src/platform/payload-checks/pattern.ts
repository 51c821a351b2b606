import { RE2JS } from 're2js';

/** The instructions of one program: a repetition with a count is written out. */
const INSTRUCTIONS_MAX = 1_000;

/** `\k<name>` and halves of a character, which the translation to RE2 takes for plain letters. */
const MISREAD = /(?<!\\)(?:\\\\)*\\(?:k<|u[dD][89a-fA-F])/;

/** A regular expression, matched in a time that grows with the length of the text, never exponentially. */
export interface Pattern {
  readonly instructions: number;
  test(text: string): boolean;
}

/**
 * Compiles a regular expression that both JavaScript (with the flag `u`) and RE2 can read. JavaScript's own engine is
 * not used: `^(a+)+$` would block the process for minutes.
 *
 * @returns what is wrong with the pattern, if it cannot be read: a sentence that continues "The pattern …"
 */
export function patternOf(source: string): Pattern | string {
  try {
    new RegExp(source, 'u');
  } catch {
    return 'is not a regular expression';
  }
  if (MISREAD.test(source)) {
    return 'has a backreference, or half of a character: write \\u{1F600}';
  }
  try {
    const program = RE2JS.compile(RE2JS.translateRegExp(source));
    const instructions = program.programSize();
    return instructions > INSTRUCTIONS_MAX
      ? `is too long, with its repetitions written out: at most ${INSTRUCTIONS_MAX} instructions`
      : { instructions, test: (text) => program.test(text) };
  } catch (error) {
    return `cannot be read by RE2, which has neither look-around nor backreferences (${(error as Error).message})`;
  }
}

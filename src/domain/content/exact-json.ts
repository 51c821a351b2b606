/** JSON whose numbers stay as they were written, such as 9007199254740993 and 10.50. */

/** TypeScript does not know this part of ES2026 yet. */
interface ExactJson {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): value is { rawJSON: string };
}
const json = JSON as unknown as ExactJson;

const MARK = '\0';
const WRITTEN_MARK = '\\u0000';

/**
 * Numbers that JavaScript would write in another way become objects, which JSON.stringify writes as they were. Until
 * they are parsed they are texts with a mark; texts that begin with the mark get another one. (The sources that V8
 * gives to a reviver are not always there, and a reviver takes ten times as long as this.)
 *
 * @param parsed the same as JSON.parse gives it: it is the result where all numbers are written as JavaScript does
 */
export function parseExact(body: string, parsed = (): unknown => JSON.parse(body)): unknown {
  const places = placesToMark(body);
  return places === null ? parsed() : withoutMarks(JSON.parse(withMarks(body, places)));
}

/**
 * Where numbers stand that JavaScript would write in another way, and texts that begin with the mark: where each
 * begins, and where it ends. Null: there is no such number.
 */
function placesToMark(body: string): number[] | null {
  const places: number[] = [];
  let hasNumbers = false;
  for (let at = 0; at < body.length; at++) {
    const code = body.charCodeAt(at);
    const start = at;
    if (code === QUOTE) {
      at = endOfText(body, at);
      if (body.startsWith(WRITTEN_MARK, start + 1) && !isName(body, at)) {
        places.push(start, at + 1);
      }
    } else if (isDigit(code) || code === MINUS) {
      at = endOfNumber(body, at) - 1;
      if (isWrittenOtherwise(body, start, at + 1)) {
        hasNumbers = true;
        places.push(start, at + 1);
      }
    }
  }
  return hasNumbers ? places : null;
}

const QUOTE = 34;
const PLUS = 43;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
const BACKSLASH = 92;
const EXPONENT = 101;
const LOWER_CASE = 32;
const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

/** The quote that ends the text which begins here. */
function endOfText(body: string, start: number): number {
  let end = body.indexOf('"', start + 1);
  while (isEscaped(body, end)) {
    end = body.indexOf('"', end + 1);
  }
  return end;
}

/** @param end of the text */
function isName(body: string, end: number): boolean {
  COLON.lastIndex = end + 1;
  return COLON.test(body);
}

const COLON = /\s*:/y;

function isEscaped(body: string, at: number): boolean {
  let first = at;
  while (body.charCodeAt(first - 1) === BACKSLASH) {
    first -= 1;
  }
  return (at - first) % 2 === 1;
}

/** Signs of a number besides digits: in valid JSON nothing else has them outside of texts. */
const isOfNumber = (code: number): boolean =>
  isDigit(code) || code === POINT || code === MINUS || code === PLUS || (code | LOWER_CASE) === EXPONENT;

function endOfNumber(body: string, start: number): number {
  let end = start + 1;
  while (isOfNumber(body.charCodeAt(end))) {
    end += 1;
  }
  return end;
}

/** JavaScript writes numbers of at most 15 digits as they are, but for exponents, zeros at the end, and small ones. */
const SIMPLE_CHARS_MAX = 15;
const NOT_SIMPLE = /e|\.\d*0$|^-0$|^-?0\.0{6}/i;

function isWrittenOtherwise(body: string, start: number, end: number): boolean {
  if (end - start <= 2 && body.charCodeAt(start) !== MINUS) {
    return false; // digits
  }
  const token = body.slice(start, end);
  const isSimple = end - start <= SIMPLE_CHARS_MAX && !NOT_SIMPLE.test(token);
  return !isSimple && String(Number(token)) !== token;
}

function withMarks(body: string, places: readonly number[]): string {
  let marked = '';
  let done = 0;
  for (let at = 0; at < places.length; at += 2) {
    const [start, end] = [places[at]!, places[at + 1]!];
    const isText = body.charCodeAt(start) === QUOTE;
    marked += `${body.slice(done, start)}"${WRITTEN_MARK}${body.slice(isText ? start + 1 : start, end)}${isText ? '' : '"'}`;
    done = end;
  }
  return marked + body.slice(done);
}

/** Changes lists and objects in place. */
function withoutMarks(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.startsWith(MARK) ? withoutMark(value.slice(MARK.length)) : value;
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      value[index] = withoutMarks(value[index]);
    }
  } else if (typeof value === 'object' && value !== null) {
    const members = value as Record<string, unknown>;
    for (const name of Object.keys(members)) {
      const member = withoutMarks(members[name]);
      if (name === '__proto__') {
        Object.defineProperty(members, name, { value: member });
      } else {
        members[name] = member;
      }
    }
  }
  return value;
}

const withoutMark = (rest: string): unknown => (rest.startsWith(MARK) ? rest : json.rawJSON(rest));

/** A number as it was written; null: the value is none of these numbers. */
export const writtenNumber = (value: unknown): string | null => (json.isRawJSON(value) ? value.rawJSON : null);

/** An object that is none of these numbers. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && writtenNumber(value) === null;

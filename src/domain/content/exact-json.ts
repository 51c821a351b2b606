/** JSON whose numbers stay as they were written, such as 9007199254740993 and 10.50. */

/** TypeScript does not know this part of ES2026 yet. */
interface ExactJson {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): value is { rawJSON: string };
}
const json = JSON as unknown as ExactJson;

/** A text, or the name of a member with its colon, or a number. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const MARK = '\0';
const WRITTEN_MARK = '\\u0000';

/**
 * Numbers that JavaScript would write in another way become objects, which JSON.stringify writes as they were. Until
 * they are parsed they are texts with a mark; texts that begin with the mark get another one. (The sources that V8
 * gives to a reviver are not always there.)
 */
export function parseExact(body: string): unknown {
  let hasNumbers = false;
  const marked = body.replaceAll(TOKEN, (token: string, colon: string | undefined) => {
    if (token.startsWith('"')) {
      const isText = colon === undefined && token.startsWith(`"${WRITTEN_MARK}`);
      return isText ? `"${WRITTEN_MARK}${token.slice(1)}` : token;
    }
    if (String(Number(token)) === token) {
      return token;
    }
    hasNumbers = true;
    return `"${WRITTEN_MARK}${token}"`;
  });
  return hasNumbers ? JSON.parse(marked, (_, value) => withoutMark(value)) : JSON.parse(body);
}

function withoutMark(value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith(MARK)) {
    return value;
  }
  const rest = value.slice(MARK.length);
  return rest.startsWith(MARK) ? rest : json.rawJSON(rest);
}

/** A number as it was written; null: the value is none of these numbers. */
export const writtenNumber = (value: unknown): string | null => (json.isRawJSON(value) ? value.rawJSON : null);

/** An object that is none of these numbers. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && writtenNumber(value) === null;

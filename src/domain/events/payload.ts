/**
 * The path of a number that was read as Infinity, such as 1e400: it would be sent as null, and nobody would know.
 *
 * @param value a payload of limited depth
 */
export function numberTooLarge(value: unknown): (string | number)[] | null {
  if (typeof value === 'number') {
    return Number.isFinite(value) ? null : [];
  }
  if (typeof value !== 'object' || value === null) {
    return null;
  }
  for (const [name, part] of Object.entries(value)) {
    const found = numberTooLarge(part);
    if (found !== null) {
      return [Array.isArray(value) ? Number(name) : name, ...found];
    }
  }
  return null;
}

/** Stops at the limit: JSON.stringify and ajv, which go on, run out of stack some thousand levels deep. */
export function isDeeperThan(value: unknown, levelsMax: number): boolean {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  if (levelsMax === 0) {
    return true;
  }
  const parts: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return parts.some((part) => isDeeperThan(part, levelsMax - 1));
}

/** Like isDeeperThan, without parsing the valid JSON: parsed, small parts take twenty times the room of the text. */
export function isTextDeeperThan(json: string, levelsMax: number): boolean {
  let levels = 0;
  for (let at = 0; at < json.length && levels <= levelsMax; at++) {
    switch (json[at]) {
      case '"':
        at = endOfText(json, at);
        break;
      case '[':
      case '{':
        levels += 1;
        break;
      case ']':
      case '}':
        levels -= 1;
    }
  }
  return levels > levelsMax;
}

function endOfText(json: string, start: number): number {
  let at = start + 1;
  while (json[at] !== '"') {
    at += json[at] === '\\' ? 2 : 1;
  }
  return at;
}

/** A text in valid JSON, and the colon behind a name. */
const TEXT = /"[^"\\]*(?:\\.[^"\\]*)*"(?=\s*(:)?)/g;
const ESCAPE = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|[^u])/g;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Whether an object in the JSON has a name twice: JavaScript reads the last one, other readers the first. */
export function hasNameTwice(json: string, value: unknown): boolean {
  let names = 0;
  for (const [, isName] of json.matchAll(TEXT)) {
    names += isName === undefined ? 0 : 1;
  }
  return names > namesIn(value);
}

function namesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) {
    return 0;
  }
  const parts: unknown[] = Object.values(value);
  return parts.reduce<number>((sum, part) => sum + namesIn(part), Array.isArray(value) ? 0 : parts.length);
}

/**
 * JSON without the escapes that it does not need, as `hookwright.unescaped_body` writes what comes by the outbox. Half
 * a surrogate pair, which UTF-8 cannot have, is escaped.
 */
export function unescapedJson(json: string): string {
  const plain = json.includes('\\') ? json.replaceAll(ESCAPE, unescaped) : json;
  return plain.isWellFormed()
    ? plain
    : plain.replaceAll(LONE_SURROGATE, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
}

function unescaped(written: string): string {
  if (written[1] !== 'u') {
    return written === '\\/' ? '/' : written;
  }
  const code = Number.parseInt(written.slice(2, 6), 16);
  if (written.length > 6) {
    return String.fromCharCode(code, Number.parseInt(written.slice(8), 16));
  }
  return code < 0x20 || code === QUOTE || code === BACKSLASH || isSurrogate(code) ? written : String.fromCharCode(code);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;

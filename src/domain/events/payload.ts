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

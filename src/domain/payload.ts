/**
 * Where a number stands that was read as Infinity, such as 1e400: it would be sent as null, and nobody would know.
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

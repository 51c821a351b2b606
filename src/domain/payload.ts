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

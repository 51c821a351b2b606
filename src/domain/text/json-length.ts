/** Deeper parts count as one character: recursion needs room. */
const LEVELS_MAX = 50;

/** Whether the values and names of a tree have more characters than this, so that its JSON has more. */
export function isLonger(tree: unknown, charsMax: number): boolean {
  return leftBehind(tree, charsMax, LEVELS_MAX) < 0;
}

/** The rest of so many characters. It stops below 0. */
function leftBehind(tree: unknown, chars: number, levels: number): number {
  if (typeof tree !== 'object' || tree === null || levels === 0) {
    return chars - (typeof tree === 'string' ? tree.length : 1);
  }
  let left = chars - (Array.isArray(tree) ? tree.length : 1);
  // The names of a long list are not even listed.
  if (left < 0) {
    return left;
  }
  for (const name in tree) {
    const part = (tree as Readonly<Record<string, unknown>>)[name];
    left = leftBehind(part, left - (Array.isArray(tree) ? 0 : name.length), levels - 1);
    if (left < 0) {
      break;
    }
  }
  return left;
}

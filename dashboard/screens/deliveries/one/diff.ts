/** A line of a comparison: in both texts, only in the first, or only in the second one. */
export interface DiffLine {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** Lines times lines that are compared at most: a table of so many numbers is made. */
const CELLS_MAX = 1_000_000;

/**
 * The lines of two texts, by their longest common subsequence. Texts with too many lines that differ are not compared
 * line by line: then all lines of the first that differ stand before all of the second.
 */
export function diffLines(first: string, second: string): DiffLine[] {
  const before = first === '' ? [] : first.split('\n');
  const after = second === '' ? [] : second.split('\n');
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) {
    start += 1;
  }
  let end = 0;
  while (
    end < Math.min(before.length, after.length) - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    end += 1;
  }
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  return [
    ...before.slice(0, start).map(same),
    ...diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

function diffMiddle(before: string[], after: string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: 'removed', text });
  const added = (text: string): DiffLine => ({ kind: 'added', text });
  if (before.length * after.length > CELLS_MAX || before.length === 0 || after.length === 0) {
    return [...before.map(removed), ...after.map(added)];
  }
  const width = after.length + 1;
  // How many lines the ends of both texts have in common, from each place on.
  const common = new Uint16Array((before.length + 1) * width);
  const at = (b: number, a: number) => common[b * width + a] ?? 0;
  for (let b = before.length - 1; b >= 0; b -= 1) {
    for (let a = after.length - 1; a >= 0; a -= 1) {
      common[b * width + a] = before[b] === after[a] ? at(b + 1, a + 1) + 1 : Math.max(at(b + 1, a), at(b, a + 1));
    }
  }
  const lines: DiffLine[] = [];
  let b = 0;
  let a = 0;
  while (b < before.length || a < after.length) {
    const old = before[b];
    const young = after[a];
    if (old !== undefined && old === young) {
      lines.push({ kind: 'same', text: old });
      b += 1;
      a += 1;
    } else if (young === undefined || (old !== undefined && at(b + 1, a) >= at(b, a + 1))) {
      lines.push(removed(old ?? ''));
      b += 1;
    } else {
      lines.push(added(young));
      a += 1;
    }
  }
  return lines;
}

/**
 * A JSON text with a line for each member, every character kept but the white space between them; any other text as it
 * is. So two answers on one line each can be compared.
 */
export function inLines(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let level = 0;
  const broken = () => `\n${'  '.repeat(level)}`;
  const parts = text.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/gs) ?? [];
  return parts
    .map((part, index) => {
      const next = parts[index + 1] ?? '';
      if (part === '{' || part === '[') {
        level += 1;
        return '}]'.includes(next) && next !== '' ? part : part + broken();
      }
      if (part === '}' || part === ']') {
        level -= 1;
        const previous = parts[index - 1] ?? '';
        return previous === '{' || previous === '[' ? part : broken() + part;
      }
      return part === ',' ? part + broken() : part === ':' ? ': ' : part;
    })
    .join('');
}

import { diffArrays } from 'diff';

/** A line of a comparison: in both texts, only in the first, or only in the second one. */
export interface DiffLine {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** The time that a comparison takes grows with the square of the lines that differ. */
const DIFFERING_MAX = 1_000;

/** The lines of two texts. With too many lines that differ, all of the first come before all of the second. */
export function diffLines(first: string, second: string): DiffLine[] {
  const before = first === '' ? [] : first.split('\n');
  const after = second === '' ? [] : second.split('\n');
  const parts = diffArrays(before, after, { maxEditLength: DIFFERING_MAX }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  return parts.flatMap(({ value, removed, added }) =>
    value.map((text): DiffLine => ({ kind: removed ? 'removed' : added ? 'added' : 'same', text })),
  );
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

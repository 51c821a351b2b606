import { cut } from './cut.js';
import { namesOf, PATH_CHARS_MAX, PATH_NAMES_MAX, TYPE_PATH } from './filter-path.js';

/**
 * Texts with placeholders (docs/content.md, "Placeholders"): `{{path}}` stands for a value of the event, `\{{` for two
 * braces.
 */

/** The placeholders that do not stand for a value of the payload. */
const EVENT_PATHS = [TYPE_PATH, '@id', '@time', '@payload', '@changed', '@previous'] as const;
const BELOW_PREVIOUS = '@previous.';
export type EventPath = (typeof EVENT_PATHS)[number];

export const PATH_RULE = `names with dots between them, such as total.amount (at most ${PATH_NAMES_MAX} names and ${PATH_CHARS_MAX} characters; names with other characters than letters, digits, "_" and "-" stand in quotes), or one of ${EVENT_PATHS.join(', ')}, or ${BELOW_PREVIOUS} with such names`;

export interface Placeholder {
  path: string;
  /** The names that lead to its value in the payload; or the path itself, for a value of the event. */
  of: readonly string[] | EventPath;
  /** The names lead to a value of the state before the change. */
  isPrevious: boolean;
}

/** Whether a placeholder asks for the state before the change, or for what has changed. */
const asksFormer = ({ of, isPrevious }: Placeholder): boolean => isPrevious || of === '@changed' || of === '@previous';

const OPEN = '{{';
const ESCAPED = `\\${OPEN}`;
/** Escaped braces, a placeholder, perhaps after a brace, or braces that begin none: the search ends there. */
const PLACEHOLDER = /\\\{\{|\{\{(?!\{[^{])(?:((?:"(?:[^"\\]|\\.)*"|[^{}"])*)\}\})?/g;

/** @returns texts and placeholders in turn; or what begins like a placeholder and is none */
export function parseText(text: string): { parts: (string | Placeholder)[] } | { malformed: string } {
  const parts: (string | Placeholder)[] = [];
  let end = 0;
  for (const { 0: written, 1: path, index } of text.matchAll(PLACEHOLDER)) {
    const placeholder = written === ESCAPED ? OPEN : path === undefined ? null : placeholderOf(path.trim());
    if (placeholder === null) {
      return { malformed: cut(path === undefined ? text.slice(index) : written, PATH_CHARS_MAX) };
    }
    parts.push(text.slice(end, index), placeholder);
    end = index + written.length;
  }
  parts.push(text.slice(end));
  return { parts: parts.filter((part) => part !== '') };
}

function placeholderOf(path: string): Placeholder | null {
  const of = EVENT_PATHS.find((one) => one === path) ?? namesOfPlaceholder(path);
  return of === null ? null : { path, of, isPrevious: path.startsWith(BELOW_PREVIOUS) };
}

/** The names that lead to a value of the payload, or of the state before; null: the path has another form. */
export const namesOfPlaceholder = (path: string): readonly string[] | null =>
  namesOf(path.startsWith(BELOW_PREVIOUS) ? path.slice(BELOW_PREVIOUS.length) : path);

/** The parts of a text that was judged when it was saved. */
export function partsOf(text: string): readonly (string | Placeholder)[] {
  const parsed = parseText(text);
  return 'parts' in parsed ? parsed.parts : [text];
}

/** Whether texts in a tree ask for the state before the change, or for what has changed. */
export function textsAskFormer(tree: unknown): boolean {
  return typeof tree === 'string'
    ? partsOf(tree).some((part) => typeof part !== 'string' && asksFormer(part))
    : typeof tree === 'object' && tree !== null && Object.values(tree).some(textsAskFormer);
}

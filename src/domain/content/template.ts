import { isObject } from './exact-json.js';
import { isStorable } from './filter-path.js';
import { TEMPLATE_BYTES_MAX } from './formats.js';
import { PATH_RULE, parseText, partsOf, TooLarge, type Values } from './placeholders.js';

/** A JSON tree whose texts have placeholders: the format TEMPLATE (docs/content.md, "Your own JSON"). */

const TEMPLATE_DEPTH_MAX = 32;
const NAME_SHOWN_CHARS_MAX = 50;

/**
 * Fills a template. A text that is one placeholder and nothing else becomes its value, with the value's type; null when
 * it is missing. Whatever a payload has, it stays within its text.
 *
 * @throws TooLarge as soon as the values have more characters than this, or as `values`
 */
export function fillTemplate(template: unknown, values: Values, charsMax: number): unknown {
  let chars = 0;
  const count = (text: string): string => {
    chars += text.length;
    if (chars > charsMax) {
      throw new TooLarge();
    }
    return text;
  };
  const fillText = (text: string): unknown => {
    const parts = partsOf(text);
    const [only] = parts;
    if (parts.length === 1 && typeof only === 'object') {
      const { value, text: written } = values.of(only);
      count(written);
      return value ?? null;
    }
    return parts.map((part) => (typeof part === 'string' ? part : count(values.of(part).text))).join('');
  };
  const fill = (tree: unknown): unknown => {
    if (typeof tree === 'string') {
      return fillText(tree);
    }
    if (Array.isArray(tree)) {
      return tree.map(fill);
    }
    return isObject(tree) ? Object.fromEntries(Object.entries(tree).map(([name, one]) => [name, fill(one)])) : tree;
  };
  return fill(template);
}

/** The paths of the placeholders in the texts of a tree, but for those that are of the event itself. */
export function placeholdersIn(tree: unknown): string[] {
  if (typeof tree === 'string') {
    const paths = partsOf(tree).flatMap((part) => (typeof part === 'string' ? [] : part.path));
    return paths.filter((path) => !path.startsWith('@'));
  }
  return typeof tree === 'object' && tree !== null ? Object.values(tree).flatMap(placeholdersIn) : [];
}

interface TemplateProblem {
  path: (string | number)[];
  code: string;
  /** The end of a sentence about the value at the path. */
  detail: string;
}

/** The broken rules of a template that somebody has written, of whatever form. */
export function templateProblems(template: unknown): TemplateProblem[] {
  if (!(isObject(template) || Array.isArray(template))) {
    return [{ path: [], code: 'template_no_tree', detail: 'must be a JSON object or a list' }];
  }
  const problems: TemplateProblem[] = [];
  judgeTree(template, [], problems);
  if (problems.length === 0 && Buffer.byteLength(JSON.stringify(template)) > TEMPLATE_BYTES_MAX) {
    const detail = `must have at most ${TEMPLATE_BYTES_MAX} bytes as JSON`;
    problems.push({ path: [], code: 'template_too_large', detail });
  }
  return problems;
}

const PROBLEMS_MAX = 20;

function judgeTree(tree: unknown, path: (string | number)[], problems: TemplateProblem[]): void {
  if (problems.length >= PROBLEMS_MAX) {
    return;
  }
  if (path.length > TEMPLATE_DEPTH_MAX) {
    problems.push({ path: [], code: 'template_too_deep', detail: `must have at most ${TEMPLATE_DEPTH_MAX} levels` });
  } else if (typeof tree === 'string') {
    problems.push(...textProblems(tree, 'template').map((problem) => ({ path, ...problem })));
  } else if (Array.isArray(tree)) {
    tree.forEach((one, index) => {
      judgeTree(one, [...path, index], problems);
    });
  } else if (isObject(tree)) {
    for (const [name, one] of Object.entries(tree)) {
      if (!isStorable(name)) {
        const detail = 'has a name with the character NUL or with half of a character';
        problems.push({ path, code: 'template_malformed', detail });
        return;
      }
      judgeTree(one, [...path, name.slice(0, NAME_SHOWN_CHARS_MAX)], problems);
    }
  }
}

/** The broken rules of a text with placeholders. @param name the beginning of their codes */
export function textProblems(text: string, name: string): { code: string; detail: string }[] {
  if (!isStorable(text)) {
    return [{ code: `${name}_malformed`, detail: 'must not have the character NUL, nor halves of characters' }];
  }
  const parsed = parseText(text);
  const detail = 'malformed' in parsed && `has ${parsed.malformed}, which is no placeholder: within {{ and }} are `;
  return detail ? [{ code: `${name}_path_malformed`, detail: `${detail}${PATH_RULE}. Write \\{{ for two braces` }] : [];
}

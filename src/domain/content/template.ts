import { isObject } from './exact-json.js';
import { isStorable } from './filter-path.js';
import { TEMPLATE_BYTES_MAX } from './formats.js';
import { PATH_RULE, parseText, partsOf } from './placeholders.js';
import { type EventValues, type PlannedText, ValuePlan } from './values.js';
import { TooLarge, type Work } from './work.js';

/** A JSON tree whose texts have placeholders: the format TEMPLATE (docs/content.md, "Your own JSON"). */

const TEMPLATE_DEPTH_MAX = 32;
const NAME_SHOWN_CHARS_MAX = 50;

/**
 * A template, planned: JSON with gaps. A text that is one placeholder and nothing else becomes its value, with the
 * value's type; null when it is missing. Whatever a payload has, it stays within its text.
 */
export class TemplatePlan {
  readonly #values = new ValuePlan();
  /** The JSON before each gap, and the JSON behind the last one. */
  readonly #constants: string[] = [];
  /** Values, by their numbers, and texts. */
  readonly #gaps: (number | PlannedText)[] = [];

  constructor(template: unknown) {
    const last: string[] = [];
    this.#plan(template, last);
    this.#constants.push(last.join(''));
  }

  get places(): number {
    return this.#values.places;
  }

  /** @param json since the last gap */
  #plan(tree: unknown, json: string[]): void {
    if (typeof tree === 'string') {
      this.#planText(this.#values.text(tree), json);
    } else if (Array.isArray(tree)) {
      tree.forEach((one, index) => {
        json.push(index === 0 ? '[' : ',');
        this.#plan(one, json);
      });
      json.push(tree.length === 0 ? '[]' : ']');
    } else if (isObject(tree)) {
      const members = Object.entries(tree);
      members.forEach(([name, one], index) => {
        json.push(index === 0 ? '{' : ',', JSON.stringify(name), ':');
        this.#plan(one, json);
      });
      json.push(members.length === 0 ? '{}' : '}');
    } else {
      json.push(JSON.stringify(tree));
    }
  }

  #planText(parts: PlannedText, json: string[]): void {
    const [first, ...others] = parts;
    if (parts.every((part) => typeof part === 'string')) {
      json.push(JSON.stringify(parts.join('')));
      return;
    }
    this.#constants.push(json.splice(0).join(''));
    this.#gaps.push(typeof first === 'number' && others.length === 0 ? first : parts);
  }

  /**
   * The JSON for an event.
   *
   * @throws TooLarge when it has more characters than `charsMax`, or as `work`
   */
  fill(event: EventValues, work: Work, charsMax: number): string {
    const values = this.#values.read(event, work);
    let json = this.#constants[0]!;
    const fits = (chars: number) => {
      if (chars > charsMax) {
        throw new TooLarge();
      }
    };
    for (const [index, gap] of this.#gaps.entries()) {
      let text = '';
      for (const part of typeof gap === 'number' ? [] : gap) {
        text += typeof part === 'string' ? part : values.text(part);
        fits(json.length + text.length);
      }
      json += typeof gap === 'number' ? values.json(gap) : JSON.stringify(text);
      json += this.#constants[index + 1]!;
      fits(json.length);
    }
    return json;
  }
}

/** The paths of the placeholders in the texts of a tree for values of the payload, and of the state before. */
export function placeholdersIn(tree: unknown): string[] {
  if (typeof tree === 'string') {
    return partsOf(tree).flatMap((part) => (typeof part === 'string' || typeof part.of === 'string' ? [] : part.path));
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
  const detail = 'malformed' in parsed && `has ${parsed.malformed}, which is not a placeholder: within {{ and }} are `;
  return detail ? [{ code: `${name}_path_malformed`, detail: `${detail}${PATH_RULE}. Write \\{{ for two braces` }] : [];
}

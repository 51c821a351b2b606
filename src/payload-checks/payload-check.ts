import {
  _,
  type Ajv2020,
  type CodeKeywordDefinition,
  type ErrorObject,
  type KeywordCxt,
  Name,
  type ValidateFunction,
} from 'ajv/dist/2020.js';
import { linearPattern } from '../domain/schema-rules/linear-pattern.js';
import { ITEM_READS, NAME_READS, TEXT_READS } from '../domain/schema-rules/schema-steps.js';
import type { InputIssue } from '../errors.js';

/** For one payload. A step takes some 10 ns, and the process does nothing else meanwhile. */
const CHECK_STEPS_MAX = 5_000_000;
/** For telling what is wrong with each branch, where each step may make an error: some 200 bytes. */
const EXPLAIN_STEPS_MAX = 50_000;
const BROKEN_RULES_MAX = 20;
/** The names of a larger object are no part of what V8 knows of its shape: listing them takes several times longer. */
const NAMES_QUICKLY_READ = 100;

/** A check took more steps than it may. */
export class StepsSpent extends Error {
  /** @param text that a pattern was looked for in; null: the steps went elsewhere */
  constructor(readonly text: string | null) {
    super('The check of a payload takes too many steps.');
  }
}

/** What is left of the steps of one check. */
class StepsLeft {
  #left = 0;

  refill(steps: number): void {
    this.#left = steps;
  }

  readonly spend = (steps: number, text: string | null = null): void => {
    this.#left -= steps;
    if (this.#left < 0) {
      throw new StepsSpent(text);
    }
  };
}

/** What a check reports: every fault, every one but those of branches tried in vain, or the first. */
type Telling = 'EVERY_FAULT' | 'EVERY_RULE' | 'FIRST_FAULT';

/** For an ajv that spends steps, on the schemas of `countedSchema` and on patterns. */
export function checkOptions(steps: StepsLeft, telling: Telling) {
  const regExp = (pattern: string) => linearPattern(pattern, steps.spend);
  const tellsFirst = telling === 'FIRST_FAULT';
  return {
    allErrors: !tellsFirst,
    $comment: (cost: string) => steps.spend(Number(cost)),
    // ajv's optimizer takes declarations away that are in use: code that must not throw is left as it is.
    code: { regExp: Object.assign(regExp, { code: 'linearPattern' }), optimize: !tellsFirst },
  };
}

/** Teaches it to spend what grows with a value too, before anything that reads the value. */
export function spendOnValues(ajv: Ajv2020, { spend }: StepsLeft): Ajv2020 {
  const rule = { errors: false, schemaType: 'number' } as const;
  const perText = (cost: number, text: string) => spend(Math.ceil((cost * text.length) / 8)) ?? true;
  const perItem = (cost: number, list: unknown) => !Array.isArray(list) || (spend(cost * list.length) ?? true);
  const perName = (cost: number, value: unknown) => {
    if (typeof value === 'object' && value !== null) {
      const names = Object.keys(value).length;
      spend(cost * names * (names > NAMES_QUICKLY_READ ? 5 : 1));
    }
    return true;
  };
  return ajv
    .addKeyword({ ...rule, keyword: TEXT_READS, type: 'string', before: 'maxLength', validate: perText })
    .addKeyword({ ...rule, keyword: ITEM_READS, before: '$ref', validate: perItem })
    .addKeyword({ ...rule, keyword: NAME_READS, before: '$ref', validate: perName });
}

/** Where ajv goes through a list or an object, and on after any number of faults. */
const loops = ['items', 'unevaluatedItems', 'additionalProperties', 'unevaluatedProperties', 'patternProperties'];
/** Where a fault in a loop may also be one of the keyword itself. */
const faultyLoops = ['additionalProperties', 'unevaluatedProperties', 'propertyNames'];
/** Where ajv makes errors of branches tried in vain. */
const unions = ['anyOf', 'oneOf', 'contains'];
/** Counts the faults in code that ajv makes. */
const errors = new Name('errors');

/**
 * Makes ajv leave each loop once it has found faults enough, and keep none of the items that `contains` is not about.
 *
 * @param telling with EVERY_RULE, errors of branches tried in vain are empty: a full one takes as long as ten steps
 */
export function boundErrors(ajv: Ajv2020, telling: Telling): Ajv2020 {
  const leave = ({ gen }: KeywordCxt) => gen.if(_`${errors} >= ${BROKEN_RULES_MAX}`, () => gen.break());
  for (const keyword of new Set([...loops, ...faultyLoops, ...unions])) {
    const definition = ajv.getKeyword(keyword) as CodeKeywordDefinition; // this ajv's own copy
    const { code } = definition;
    definition.code = (cxt) => {
      const [apply, report] = [cxt.subschema.bind(cxt), cxt.error.bind(cxt)];
      cxt.subschema = (application, valid) => {
        const isSilent = telling === 'EVERY_RULE' && unions.includes(keyword);
        const silence = isSilent ? { createErrors: false } : {};
        const applied = apply({ ...application, ...silence }, valid);
        if (loops.includes(keyword)) {
          cxt.gen.if(_`!${valid}`, () => leave(cxt));
        } else if (keyword === 'contains') {
          cxt.gen.if(_`!${valid}`, () => cxt.reset());
        }
        return applied;
      };
      if (faultyLoops.includes(keyword)) {
        cxt.error = (...args) => {
          report(...args);
          leave(cxt);
        };
      }
      code(cxt);
    };
  }
  return ajv;
}

/** Judges payloads by one schema: whether it accepts them, and what is wrong with them. */
export interface PayloadCheck {
  /** False too where the check takes too many steps. */
  (payload: unknown): boolean;
  /**
   * What is wrong with a payload: at most 20 rules. What is wrong with each branch of `anyOf` and `oneOf` is listed
   * only for payloads in which it is quickly found.
   *
   * @throws StepsSpent when it takes too many steps to say whether anything is wrong
   */
  brokenRules(payload: unknown): ErrorObject[];
}

/** @param compile makes a check of the schema, as `countedSchema` has it, which spends `steps` */
export function payloadCheck(compile: (steps: StepsLeft, telling: Telling) => ValidateFunction): PayloadCheck {
  const steps = new StepsLeft();
  const checks: Partial<Record<Telling, ValidateFunction>> = { EVERY_RULE: compile(steps, 'EVERY_RULE') };
  const errorsOf = (telling: Telling, payload: unknown, stepsMax: number): ErrorObject[] => {
    checks[telling] ??= compile(steps, telling); // the first use of most never comes
    const validate = checks[telling];
    steps.refill(stepsMax);
    try {
      return validate(payload) ? [] : validate.errors!;
    } finally {
      validate.errors = null; // they would be kept until the next fault
    }
  };
  const judge = (payload: unknown): ErrorObject[] => {
    try {
      return errorsOf('EVERY_RULE', payload, CHECK_STEPS_MAX);
    } catch (error) {
      if (error instanceof StepsSpent) {
        throw error;
      }
      // Beside `unevaluatedProperties` and `unevaluatedItems` ajv's code may throw, where it goes on after a fault.
      return errorsOf('FIRST_FAULT', payload, CHECK_STEPS_MAX);
    }
  };
  const brokenRules = (payload: unknown) => {
    const broken = judge(payload);
    if (broken.every(isTold)) {
      return broken.slice(0, BROKEN_RULES_MAX);
    }
    const explained = unlessSpent(() => errorsOf('EVERY_FAULT', payload, EXPLAIN_STEPS_MAX)) ?? broken.filter(isTold);
    return explained.slice(0, BROKEN_RULES_MAX);
  };
  const accepts = (payload: unknown) => unlessSpent(() => judge(payload).length === 0) ?? false;
  return Object.assign(accepts, { brokenRules });
}

/** Errors of branches are empty where `boundErrors` made them so. */
const isTold = ({ keyword }: ErrorObject) => keyword !== undefined;

function unlessSpent<Answer>(ask: () => Answer): Answer | null {
  try {
    return ask();
  } catch (error) {
    if (error instanceof StepsSpent) {
      return null;
    }
    throw error;
  }
}

/** For who sent the payload. */
export function tooManySteps({ text }: StepsSpent, payload: unknown): InputIssue {
  const most = `the ${CHECK_STEPS_MAX.toLocaleString('en')} that are allowed for a payload`;
  if (text === null) {
    const detail = `takes more steps to check against the schema of its event type than ${most}: send fewer values in one event`;
    return { path: ['payload'], code: 'payload_too_costly', detail };
  }
  const detail = `takes more steps to match with the patterns of its event type than ${most}: send shorter texts`;
  return { path: ['payload', ...(placeOf(text, payload) ?? [])], code: 'pattern_too_costly', detail };
}

/** Of a text, or of the object that has it for a name, which may be too long to show. */
function placeOf(text: string, value: unknown): (string | number)[] | null {
  if (value === text) {
    return [];
  }
  if (typeof value !== 'object' || value === null) {
    return null;
  }
  for (const [name, child] of Object.entries(value)) {
    if (name === text) {
      return [];
    }
    const place = placeOf(text, child);
    if (place !== null) {
      return [Array.isArray(value) ? Number(name) : name, ...place];
    }
  }
  return null;
}

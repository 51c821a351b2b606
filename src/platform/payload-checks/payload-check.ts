import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { widthOf } from '../../domain/schema-rules/schema-width.js';
import { type JsonObject, mapSchemas, SCHEMA_KEYWORDS } from '../../domain/schema-rules/subschemas.js';
import type { InputIssue } from '../../errors.js';
import { type Pattern, patternOf } from './pattern.js';

/** The size of a payload times the width of its schema: some 50 ms, in which the process does nothing else. */
const COST_MAX = 4_000_000;
/** V8 does not compile the check of a wider schema as a whole: each rule takes longer, the more there are. */
const WIDTH_COMPILED = 150;
/** Up to this cost every broken rule is looked for: each may make an error object, of some 200 bytes. */
const EXPLAINED_COST_MAX = 50_000;
/** The characters that patterns are matched with, times the instructions of the patterns: some 100 ms. */
const PATTERN_COST_MAX = 10_000_000;
const BROKEN_RULES_MAX = 20;

/** Not `strict`: JSON Schema ignores a `then` without `if`. With `multipleOfPrecision` 4.35 is a multiple of 0.01. */
export const ajvOptions = {
  strict: false,
  ownProperties: true,
  validateFormats: false,
  logger: false,
  inlineRefs: false,
  multipleOfPrecision: 6,
} as const;

/** The keywords that a payload can break, and `$ref`. */
const enforced: ReadonlySet<string> = new Set([
  ...SCHEMA_KEYWORDS,
  ...['$ref', 'type', 'const', 'enum'],
  ...['multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  ...['minLength', 'maxLength', 'pattern'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minContains', 'maxContains'],
  ...['minProperties', 'maxProperties', 'required', 'dependentRequired'],
]);

export class TooCostly extends Error {
  constructor(readonly issue: InputIssue) {
    super(issue.detail);
  }
}

export interface PayloadCheck {
  /** False also where the check would take too long. */
  (payload: unknown): boolean;
  /** At most 20 broken rules; only the first one where looking for more takes long. @throws TooCostly */
  brokenRules(payload: unknown): ErrorObject[];
}

/** @param text the JSON text of a schema that `schemaIssues` finds no fault with */
export function compileEventSchema(text: string): PayloadCheck {
  const schema = enforcedOnly(JSON.parse(text));
  const width = widthOf(schema);
  const weight = width * Math.max(1, width / WIDTH_COMPILED);
  const matching = new Matching();
  const compile = (what: JsonObject, allErrors: boolean): ValidateFunction => {
    const ajv = new Ajv2020({ ...ajvOptions, allErrors, validateSchema: false, code: { regExp: matching.regExp } });
    ajv.opts.unevaluated = false; // its constructor sets it, for keywords that no schema here has
    return ajv.compile(what);
  };
  const isBroken = compile(negated(schema), false);
  const explain = new Map<boolean, ValidateFunction>();
  const errorsOf = (payload: unknown, everyRule: boolean): ErrorObject[] => {
    const validate = explain.get(everyRule) ?? compile(schema, everyRule);
    explain.set(everyRule, validate);
    matching.begin();
    validate(payload);
    const errors = validate.errors ?? [];
    validate.errors = null; // they would be kept until the next fault
    return errors.slice(0, BROKEN_RULES_MAX);
  };
  const brokenRules = (payload: unknown) => {
    const cost = sizeOf(payload, COST_MAX / weight) * weight;
    if (cost > COST_MAX) {
      throw new TooCostly({ path: ['payload'], code: 'payload_too_costly', detail: TOO_COSTLY });
    }
    matching.begin();
    return isBroken(payload) ? errorsOf(payload, cost <= EXPLAINED_COST_MAX) : [];
  };
  return Object.assign((payload: unknown) => isAccepted(brokenRules, payload), { brokenRules });
}

const TOO_COSTLY = 'takes too long to check against the schema of its event type: send fewer values in one event';

function isAccepted(brokenRules: PayloadCheck['brokenRules'], payload: unknown): boolean {
  try {
    return brokenRules(payload).length === 0;
  } catch (error) {
    if (error instanceof TooCostly) {
      return false;
    }
    throw error;
  }
}

/** ajv obeys keywords that JSON Schema does not have, such as `nullable` and `id`: they are taken out. */
const enforcedOnly = (schema: JsonObject): JsonObject =>
  mapSchemas(schema, (one) => Object.fromEntries(Object.entries(one).filter(([keyword]) => enforced.has(keyword))));

/** A schema that accepts what the other one refuses. Within `not` ajv makes no error objects, which take most time. */
function negated({ $defs = {}, ...schema }: JsonObject): JsonObject {
  const definitions = Object.entries($defs as object).map(([name, one]) => [name, { not: { not: one } }]);
  return { $defs: Object.fromEntries(definitions), not: schema };
}

/** The names of a larger object are not part of what V8 knows of its shape: listing them takes five times as long. */
const NAMES_QUICKLY_READ = 100;
const CHARS_A_VALUE = 32;

/** The number of values in a payload, where a long text or name counts as several; any number above `most`. */
function sizeOf(value: unknown, most: number): number {
  if (typeof value === 'string') {
    return 1 + value.length / CHARS_A_VALUE;
  }
  if (typeof value !== 'object' || value === null) {
    return 1;
  }
  const names = Array.isArray(value) ? [] : Object.keys(value);
  let size = 1 + (names.length > NAMES_QUICKLY_READ ? 4 * names.length : 0);
  for (const name of names) {
    size += name.length / CHARS_A_VALUE;
  }
  for (const part of Array.isArray(value) ? value : Object.values(value)) {
    if (size > most) {
      break;
    }
    size += sizeOf(part, most);
  }
  return size;
}

/** The patterns of a schema, and what of `PATTERN_COST_MAX` the check of a payload has left. */
class Matching {
  #left = 0;
  /** Several functions are compiled from one schema: a pattern and its memory serve all of them. */
  readonly #patterns = new Map<string, Pattern>();

  begin(): void {
    this.#left = PATTERN_COST_MAX;
  }

  readonly regExp = Object.assign(
    (source: string) => {
      const pattern = this.#patterns.get(source) ?? (patternOf(source) as Pattern); // the schema has been judged
      this.#patterns.set(source, pattern);
      const test = (text: string) => {
        this.#left -= pattern.instructions * text.length;
        if (this.#left < 0) {
          const detail = `has too much text for the pattern ${source} of its event type: send shorter texts`;
          throw new TooCostly({ path: ['payload'], code: 'pattern_too_costly', detail });
        }
        return pattern.test(text);
      };
      return { test, toString: () => source };
    },
    { code: 'patternOf' },
  );
}

import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { judgeEventSchema } from '../domain/schema-rules/event-schema.js';
import { stepsOf } from '../domain/schema-rules/json-pointer.js';
import { linearPattern } from '../domain/schema-rules/linear-pattern.js';
import {
  type JsonObject,
  mapSchemas,
  referenceTo,
  SCHEMA_KEYWORDS,
  targetOf,
  walkSchemas,
} from '../domain/schema-rules/schema-places.js';
import { countedSchema } from '../domain/schema-rules/schema-steps.js';
import type { InputIssue } from '../errors.js';
import { boundErrors, checkOptions, type PayloadCheck, payloadCheck, spendOnValues } from './payload-check.js';
import { replaceKeywords } from './schema-keywords.js';

/** Patterns must not be able to hold the process, so they are not JavaScript's. */
const regExp = Object.assign((pattern: string) => linearPattern(pattern), { code: 'linearPattern' });

/** Not `strict`: what JSON Schema passes over, such as `then` without `if`, is no error. */
const options = {
  allErrors: true,
  strict: false,
  ownProperties: true,
  validateFormats: false,
  logger: false,
  code: { regExp },
} as const;

/** Compiles the meta-schema once, which takes longer than any schema of payloads. */
const meta = boundErrors(new Ajv2020(options), 'EVERY_FAULT');

/** The keywords of JSON Schema 2020-12 that a payload can break, and `$ref`. */
const enforced: ReadonlySet<string> = new Set([
  ...SCHEMA_KEYWORDS,
  ...['$ref', 'type', 'const', 'enum'],
  ...['multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  ...['minLength', 'maxLength', 'pattern'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minContains', 'maxContains'],
  ...['minProperties', 'maxProperties', 'required', 'dependentRequired'],
]);

/**
 * What ajv reads as JSON Schema does. It obeys keywords that JSON Schema does not have: `nullable` lets null through,
 * `id` makes it throw, and with `$async` its verdict is a promise, which everything passes for. And it splits a
 * reference before it decodes it, so that `%2F` would lead elsewhere than `judgeEventSchema` has looked.
 */
function plainSchema(schema: JsonObject): JsonObject {
  return mapSchemas(schema, (one) => {
    const rules = Object.entries(one).filter(([keyword]) => enforced.has(keyword));
    return Object.fromEntries(
      rules.map(([keyword, value]) =>
        keyword === '$ref' ? [keyword, referenceTo(targetOf(String(value)))] : [keyword, value],
      ),
    );
  });
}

/**
 * Whether it matters what other keywords have evaluated. To keep account of that takes time, and ajv's code may throw.
 */
function asksForUnevaluated(schema: JsonObject): boolean {
  let asks = false;
  walkSchemas(schema, (one) => {
    asks ||= 'unevaluatedProperties' in one || 'unevaluatedItems' in one;
  });
  return asks;
}

/** @param schema JSON text of a schema that `schemaIssues` finds no fault with, or found none when it was stored */
export function compileEventSchema(schema: string): PayloadCheck {
  const plain = plainSchema(JSON.parse(schema));
  const counted = countedSchema(plain);
  const unevaluated = asksForUnevaluated(plain);
  return payloadCheck((steps, telling) => {
    // An instance each: ajv remembers whatever it has compiled.
    const ajv = new Ajv2020({ ...options, ...checkOptions(steps, telling), validateSchema: false });
    ajv.opts.unevaluated = unevaluated; // its constructor sets it
    return boundErrors(spendOnValues(replaceKeywords(ajv), steps), telling).compile(counted);
  });
}

const ISSUES_MAX = 20;

/**
 * What is wrong with a schema for payloads, each with its path in the schema: the rules of JSON Schema 2020-12 first,
 * then ours (domain/schema-rules/event-schema.ts).
 *
 * @param schema at most 64 levels deep
 */
export function schemaIssues(schema: Readonly<Record<string, unknown>>): InputIssue[] {
  const { $schema: _, ...rest } = schema; // judged by us: ajv throws at one that it does not know
  if (meta.validateSchema(rest) !== true) {
    const errors = (meta.errors ?? []).filter(({ keyword }) => !/^(\$dynamicRef|\$ref|allOf|anyOf)$/.test(keyword));
    meta.errors = null; // they would be kept until the next schema
    return different(errors.map(metaIssue)).slice(0, ISSUES_MAX);
  }
  const problems = judgeEventSchema(schema);
  if (problems.length > 0) {
    return problems.slice(0, ISSUES_MAX);
  }
  try {
    compileEventSchema(JSON.stringify(schema));
    return [];
  } catch (error) {
    return [{ path: [], code: 'schema_invalid', detail: `cannot be used: ${(error as Error).message}` }];
  }
}

function metaIssue({ instancePath, message = 'breaks the rules of JSON Schema', params }: ErrorObject): InputIssue {
  const allowed: unknown = params['allowedValues'];
  const values = Array.isArray(allowed) ? `: ${allowed.join(', ')}` : '';
  return { path: stepsOf(instancePath), code: 'schema_invalid', detail: `${message}${values}` };
}

/** The meta-schema says some things twice. */
function different(issues: InputIssue[]): InputIssue[] {
  return [...new Map(issues.map((issue) => [JSON.stringify(issue), issue])).values()];
}

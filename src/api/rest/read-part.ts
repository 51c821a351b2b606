import { z } from 'zod';
import { mustBe } from '../../domain/text/json-type.js';
import { type InputIssue, invalidInput, type Path, requireNoIssues } from '../../errors.js';
import { inputIssueOf, inWords, pathOf } from '../graphql/fields/input.js';
import type { RequestPart } from './problem.js';

const PROPERTY_SHOWN_LENGTH_MAX = 100;

/**
 * Reads a part of a request.
 *
 * @throws ApiError invalid_input with every broken rule, whose paths start with the part
 */
export function readPart<Schema extends z.ZodObject>(
  schema: Schema,
  value: unknown,
  part: RequestPart,
): z.output<Schema> {
  const result = schema.safeParse(value, { error: inWords });
  if (!result.success) {
    throw invalidInput(result.error.issues.flatMap((issue) => inputIssues(issue, schema, value, part)));
  }
  requireNoIssues(lostKeys(schema, value, [part]));
  return result.data;
}

/** Maps of zod leave out `__proto__` without a word. */
function lostKeys(form: unknown, value: unknown, path: Path): InputIssue[] {
  if (form instanceof z.ZodOptional || form instanceof z.ZodNullable) {
    return lostKeys(form.unwrap(), value, path);
  }
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  if (form instanceof z.ZodRecord && Object.hasOwn(value, '__proto__')) {
    return [{ path: [...path, '__proto__'], code: 'key_not_allowed', detail: 'is not allowed as a key' }];
  }
  return form instanceof z.ZodObject
    ? Object.entries(form.shape).flatMap(([key, inner]) => lostKeys(inner, valueAt(value, [key]), [...path, key]))
    : [];
}

function inputIssues(issue: z.core.$ZodIssue, schema: z.ZodObject, value: unknown, part: RequestPart): InputIssue[] {
  const path = pathOf(issue, [part]);
  if (issue.code === 'unrecognized_keys') {
    const noun = part === 'query' ? 'parameter' : 'property';
    const names = writable(objectAt(schema, issue.path)).join(', ');
    const owner = issue.path.length === 0 ? 'this request' : String(issue.path.at(-1));
    return issue.keys.map((key) => ({
      path: [...path, key.slice(0, PROPERTY_SHOWN_LENGTH_MAX)],
      code: `unknown_${noun}`,
      detail: `is not a ${noun} of ${owner}, which may have ${names || 'none'}`,
    }));
  }
  if (issue.code === 'invalid_type') {
    const given = valueAt(value, issue.path);
    if (given === undefined) {
      return [{ path, code: 'required', detail: 'is required' }];
    }
    return [{ path, code: 'invalid_type', detail: typeFault(issue, given, part) }];
  }
  return [inputIssueOf(issue, [part])];
}

function typeFault({ expected, message }: z.core.$ZodIssueInvalidType, given: unknown, part: RequestPart): string {
  if (part === 'query' && Array.isArray(given)) {
    return 'may be given once only';
  }
  // It has the right type, and is beyond what a number can be.
  return expected === 'number' && typeof given === 'number'
    ? message
    : mustBe([typeNames[expected] ?? expected], given);
}

const writable = (form: z.ZodObject | undefined): string[] =>
  Object.entries(form?.shape ?? {}).flatMap(([name, inner]) =>
    (inner as z.ZodType).meta()?.['readOnly'] ? [] : [name],
  );

/** The object at a path of a form; undefined: something else is there. */
function objectAt(form: unknown, [step, ...rest]: readonly PropertyKey[]): z.ZodObject | undefined {
  if (form instanceof z.ZodOptional || form instanceof z.ZodNullable) {
    return objectAt(form.unwrap(), step === undefined ? [] : [step, ...rest]);
  }
  if (step === undefined) {
    return form instanceof z.ZodObject ? form : undefined;
  }
  return form instanceof z.ZodObject
    ? objectAt(form.shape[String(step)], rest)
    : objectAt(form instanceof z.ZodRecord ? form.valueType : undefined, rest);
}

/** The names of JSON Schema. */
const typeNames: Partial<Record<string, string>> = { record: 'object', int: 'integer' };

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, step) => (at as Record<PropertyKey, unknown> | null)?.[step], value);
}

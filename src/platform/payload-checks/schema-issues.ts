import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { stepsOf } from '../../domain/schema-rules/json-pointer.js';
import { mustBe } from '../../domain/text/json-type.js';
import { oneOf } from '../../domain/text/nearest-word.js';
import type { InputIssue } from '../../errors.js';
import { judgeEventSchema } from './judge-schema.js';
import { ajvOptions, compileEventSchema } from './payload-check.js';

/** Compiles the meta-schema once, which takes longer than any schema of payloads. */
const meta = new Ajv2020({ ...ajvOptions, allErrors: true });

const ISSUES_MAX = 20;

/**
 * Finds what is wrong with a schema for payloads, each with its path in the schema: the rules of JSON Schema 2020-12
 * first, then those of docs/event-types.md.
 *
 * @param schema at most 64 levels deep
 */
export function schemaIssues(schema: Readonly<Record<string, unknown>>): InputIssue[] {
  const { $schema: _, ...rest } = schema; // ajv throws at one that it does not know
  if (meta.validateSchema(rest) !== true) {
    const errors = (meta.errors ?? []).filter(({ keyword }) => !/^(\$dynamicRef|\$ref|allOf|anyOf)$/.test(keyword));
    meta.errors = null; // they would be kept until the next schema
    const issues = ofWrittenForm(errors, schema).map((error) => metaIssue(error, schema));
    // The meta-schema says some things twice.
    return [...new Map(issues.map((issue) => [JSON.stringify(issue), issue])).values()].slice(0, ISSUES_MAX);
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

/** A `type` is one of the names, or a list of them: only the rule for the form that was written is an issue. */
function ofWrittenForm(errors: readonly ErrorObject[], schema: object): ErrorObject[] {
  const names = new Set(errors.filter(isOfNames).map(({ instancePath }) => instancePath));
  const lists = new Set(
    errors.flatMap((error) => [isOfNames(error) ? '' : error.instancePath, error.instancePath.replace(/\/\d+$/, '')]),
  );
  return errors.filter((error) => {
    const { instancePath, keyword } = error;
    return Array.isArray(valueAt(schema, error))
      ? !(isOfNames(error) && lists.has(instancePath))
      : !(keyword === 'type' && names.has(instancePath));
  });
}

const isOfNames = ({ keyword }: ErrorObject): boolean => keyword === 'enum';

const valueAt = (schema: object, { instancePath }: ErrorObject): unknown =>
  stepsOf(instancePath).reduce<unknown>((at, step) => (at as Readonly<Record<string, unknown>>)[step], schema);

function metaIssue(error: ErrorObject, schema: object): InputIssue {
  const { instancePath, keyword, message = 'breaks the rules of JSON Schema', params } = error;
  const value = valueAt(schema, error);
  const detail =
    keyword === 'enum'
      ? oneOf((params['allowedValues'] as unknown[]).map(String), value)
      : keyword === 'type'
        ? mustBe([params['type'] as string | string[]].flat(), value)
        : message;
  return { path: stepsOf(instancePath), code: 'schema_invalid', detail };
}

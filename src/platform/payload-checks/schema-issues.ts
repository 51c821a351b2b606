import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { stepsOf } from '../../domain/schema-rules/json-pointer.js';
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
    const issues = errors.map(metaIssue);
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

function metaIssue({ instancePath, message = 'breaks the rules of JSON Schema', params }: ErrorObject): InputIssue {
  const allowed: unknown = params['allowedValues'];
  const values = Array.isArray(allowed) ? `: ${allowed.join(', ')}` : '';
  return { path: stepsOf(instancePath), code: 'schema_invalid', detail: `${message}${values}` };
}

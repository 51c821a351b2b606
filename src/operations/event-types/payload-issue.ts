import type { ErrorObject } from 'ajv/dist/2020.js';
import { stepsOf } from '../../domain/schema-rules/json-pointer.js';
import type { InputIssue } from '../../errors.js';

/** A rule of its schema that a payload breaks, with its place, which starts with `payload`. */
export function issueOf(error: ErrorObject, payload: unknown): InputIssue {
  const path: (string | number)[] = ['payload'];
  let at = payload;
  for (const name of stepsOf(error.instancePath)) {
    path.push(Array.isArray(at) ? Number(name) : name);
    at = (at as Record<string, unknown> | undefined)?.[name];
  }
  const { params } = error;
  const field =
    error.propertyName ??
    params['missingProperty'] ??
    params['additionalProperty'] ??
    params['unevaluatedProperty'] ??
    params['propertyName'];
  if (typeof field === 'string') {
    path.push(field);
  }
  return { path, code: `schema_${error.keyword}`, detail: detailOf(error) };
}

function detailOf({ keyword, propertyName, message = 'breaks the schema of this event type' }: ErrorObject): string {
  if (propertyName !== undefined) {
    return `has a name that breaks a rule: ${message}`;
  }
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not a field of this event type';
    case 'propertyNames':
      return 'has a name that is not allowed';
    default:
      return message;
  }
}

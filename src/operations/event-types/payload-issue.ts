import type { ErrorObject } from 'ajv/dist/2020.js';
import { stepsOf } from '../../domain/schema-rules/json-pointer.js';
import { mustBe } from '../../domain/text/json-type.js';
import type { InputIssue } from '../../errors.js';

/** The rules of its schema that a payload breaks. The paths start with `payload`. */
export const issuesOf = (errors: readonly ErrorObject[], payload: unknown): InputIssue[] =>
  withJoinedTypes(errors).map((error) => issueOf(error, payload));

/** The path of a definition's own type: paths begin at the definition. */
const OF_DEFINITION = '#/type';

/** A choice between types is one issue, `must be a string or null`, in place of one for each branch. */
function withJoinedTypes(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  return errors
    .filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
    .reduce<readonly ErrorObject[]>((all, choice) => {
      const { instancePath: at, schemaPath } = choice;
      const others = all.filter((one) => one !== choice && `${one.instancePath}/`.startsWith(`${at}/`));
      const isBranch = (one: ErrorObject) =>
        one.keyword === 'type' &&
        one.instancePath === at &&
        (one.schemaPath.startsWith(`${schemaPath}/`) || one.schemaPath === OF_DEFINITION);
      const types = others.flatMap(({ params }) => params['type'] as string | string[]);
      const type = { ...choice, keyword: 'type', params: { type: [...new Set(types)] } };
      return others.length > 0 && others.every(isBranch)
        ? all.filter((one) => !others.includes(one)).map((one) => (one === choice ? type : one))
        : all;
    }, errors);
}

function issueOf(error: ErrorObject, payload: unknown): InputIssue {
  const path: (string | number)[] = ['payload'];
  let at = payload;
  for (const name of stepsOf(error.instancePath)) {
    path.push(Array.isArray(at) ? Number(name) : name);
    at = (at as Record<string, unknown> | undefined)?.[name];
  }
  const { params } = error;
  const field =
    error.propertyName ?? params['missingProperty'] ?? params['additionalProperty'] ?? params['propertyName'];
  if (typeof field === 'string') {
    path.push(field);
  }
  return { path, code: `schema_${error.keyword}`, detail: detailOf(error, at) };
}

/** @param value the one that breaks the rule */
function detailOf(
  { keyword, propertyName, message = 'breaks the schema', params }: ErrorObject,
  value: unknown,
): string {
  const text = `${message}${valuesText(params)}`;
  if (propertyName !== undefined) {
    return `has a name that breaks a rule: ${text}`;
  }
  switch (keyword) {
    case 'type':
      return mustBe([params['type']].flat(), value);
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not a field of this event type';
    case 'propertyNames':
      return 'has a name that is not allowed';
    default:
      return text;
  }
}

const VALUES_SHOWN_MAX = 20;
const VALUE_CHARS_MAX = 50;
const VALUES_CHARS_MAX = 200;

/** The values that `const` or `enum` allows, as JSON: the first ones of a long list. */
function valuesText({ allowedValue, allowedValues }: ErrorObject['params']): string {
  const values: unknown[] = allowedValues ?? (allowedValue === undefined ? [] : [allowedValue]);
  const shown: string[] = [];
  let room = VALUES_CHARS_MAX;
  for (const value of values.slice(0, VALUES_SHOWN_MAX)) {
    const text = shortened(JSON.stringify(value));
    room -= text.length;
    if (room < 0) {
      break;
    }
    shown.push(text);
  }
  const unnamed = values.length - shown.length;
  return values.length === 0 ? '' : `: ${shown.join(', ')}${unnamed > 0 ? ` and ${unnamed} more` : ''}`;
}

/** Ends with a whole character. */
const shortened = (text: string): string =>
  text.length > VALUE_CHARS_MAX ? `${text.slice(0, VALUE_CHARS_MAX).replace(/[\ud800-\udbff]$/, '')}…` : text;

import {
  coerceInputValue,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputObjectType,
  isInputType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import { type ApiError, type InputIssue, invalidInput, type Path } from '../../errors.js';
import { withEnumValues, withoutValue } from '../fields/errors.js';
import { surelyFits, tooLarge } from './variable-shapes.js';

/** A variable of an operation, with its type looked up. */
export interface KnownVariable {
  name: string;
  type: GraphQLInputType;
  hasDefault: boolean;
  isRequired: boolean;
}

/** Of an operation that fits the schema. */
export function variablesOf(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
): KnownVariable[] {
  return variableDefinitions.flatMap(({ variable, type: typeNode, defaultValue }) => {
    const type = typeFromAST(schema, typeNode as never);
    return isInputType(type)
      ? [{ name: variable.name.value, type, hasDefault: defaultValue !== undefined, isRequired: isNonNullType(type) }]
      : [];
  });
}

/** More than anybody reads; each costs its place and its sentence, and a list of variables may hold a million. */
const VARIABLE_ISSUES_MAX = 20;

/**
 * Thrown to end the coercion of a list. Made once: an error takes longer to make than the variables of an emit to
 * judge.
 */
const enough = new Error('enough issues');

/**
 * What is wrong with a request's variables, without repeating their values, as GraphQL's own messages do: they end up
 * in logs. Null when nothing is.
 *
 * @param schema whose names may be told, those that are like a misspelt one and the values of enums; null: none
 */
export function variableError(
  variables: readonly KnownVariable[],
  values: Readonly<Record<string, unknown>>,
  schema: GraphQLSchema | null,
): ApiError | null {
  const issues: InputIssue[] = [];
  const add = ({ path, code, detail }: InputIssue) => {
    const told = schema === null ? detail.replace(/ Did you mean .*$/s, '') : withEnumValues(detail, schema);
    issues.push({ path, code, detail: told });
    if (issues.length === VARIABLE_ISSUES_MAX) {
      throw enough;
    }
  };
  try {
    for (const variable of variables) {
      judgeVariable(variable, values, schema, add);
    }
  } catch (error) {
    if (error !== enough) {
      throw error;
    }
  }
  return issues.length > 0 ? invalidInput(issues) : null;
}

function judgeVariable(
  { name, type, hasDefault, isRequired }: KnownVariable,
  values: Readonly<Record<string, unknown>>,
  schema: GraphQLSchema | null,
  add: (issue: InputIssue) => void,
): void {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value !== undefined) {
    if (surelyFits(value, type)) {
      return;
    }
    const large = tooLarge(value, type, [name]);
    if (large !== null) {
      add({ ...large, detail: withoutValue(large.detail) });
      return;
    }
    coerceInputValue(value, type, (path, _value, error) => {
      add(issueOf([name, ...path], error.message, schema));
    });
  } else if (isRequired && !hasDefault) {
    add({ path: [name], code: 'required', detail: 'is required' });
  }
}

/** A field that is missing or unknown has a place of its own, as in REST: GraphQL names it in the sentence alone. */
function issueOf(path: Path, message: string, schema: GraphQLSchema | null): InputIssue {
  const [, missing] = /^Field "(\w+)" of required type "[^"]*" was not provided\.$/.exec(message) ?? [];
  if (missing !== undefined) {
    return { path: [...path, missing], code: 'required', detail: 'is required' };
  }
  const [, unknown, type = '', suggestion = ''] =
    /^Field "(.*?)" is not defined by type "([^"]*)"\.(.*)$/s.exec(message) ?? [];
  return unknown === undefined
    ? { path, code: 'invalid_type', detail: withoutValue(message) }
    : {
        path: [...path, withoutValue(unknown)],
        code: 'unknown_property',
        detail: `is not a field of this input${fieldsOf(type, schema)}.${withoutValue(suggestion)}`,
      };
}

function fieldsOf(typeName: string, schema: GraphQLSchema | null): string {
  const type = schema?.getType(typeName);
  return isInputObjectType(type) ? `, which may have ${Object.keys(type.getFields()).join(', ')}` : '';
}

import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromASTUntyped,
} from 'graphql';
import { type ApiError, type InputIssue, invalidInput } from '../../../errors.js';
import { enumRefusal, withoutValue } from '../fields/errors.js';

export interface KnownVariable {
  name: string;
  type: GraphQLInputType;
  hasDefault: boolean;
}

export function variablesOf(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
): KnownVariable[] {
  return variableDefinitions.flatMap(({ variable, type: node, defaultValue }) => {
    const type = typeFromAST(schema, node as never);
    return isInputType(type) ? [{ name: variable.name.value, type, hasDefault: defaultValue !== undefined }] : [];
  });
}

const ISSUES_MAX = 20;

/** No list takes more than 100 items, but the rule of a field runs only after each item was coerced three times. */
const LIST_ITEMS_MAX = 1_000;

/**
 * Checks the variables of a request as GraphQL would, whose messages repeat the values, which end up in logs.
 *
 * @param showsSchema whether messages may name fields and enum values
 */
export function variableError(
  variables: readonly KnownVariable[],
  values: Readonly<Record<string, unknown>>,
  showsSchema: boolean,
): ApiError | null {
  const check = new VariableCheck(showsSchema);
  for (const { name, type, hasDefault } of variables) {
    check.member(name, Object.hasOwn(values, name) ? values[name] : undefined, type, hasDefault);
  }
  return check.issues.length > 0 ? invalidInput(check.issues) : null;
}

class VariableCheck {
  readonly issues: InputIssue[] = [];
  readonly #path: (string | number)[] = [];

  constructor(private readonly showsSchema: boolean) {}

  /** Checks a variable, a field of an input or an item of a list. */
  member(name: string | number, value: unknown, type: GraphQLInputType, hasDefault = false): void {
    this.#path.push(name);
    if (value !== undefined) {
      this.#value(value, type);
    } else if (isNonNullType(type) && !hasDefault) {
      this.#add('required', 'is required');
    }
    this.#path.pop();
  }

  #value(value: unknown, type: GraphQLInputType): void {
    if (value === null) {
      if (isNonNullType(type)) {
        this.#add('invalid_type', 'must not be null');
      }
      return;
    }
    const inner = getNullableType(type);
    if (isInputObjectType(inner)) {
      this.#object(value, inner);
    } else if (!isListType(inner)) {
      this.#leaf(value, inner);
    } else if (!Array.isArray(value)) {
      this.#value(value, inner.ofType); // GraphQL makes a list of it
    } else if (value.length > LIST_ITEMS_MAX) {
      const detail = `has ${value.length} items; no list of an input may have more than ${LIST_ITEMS_MAX}`;
      this.#add('too_big', detail);
    } else {
      value.forEach((item, index) => {
        this.member(index, item ?? null, inner.ofType);
      });
    }
  }

  #object(value: unknown, type: GraphQLInputObjectType): void {
    if (typeof value !== 'object' || Array.isArray(value)) {
      this.#add('invalid_type', `Expected type "${type.name}" to be an object.`);
      return;
    }
    const fields = type.getFields();
    for (const name in fields) {
      const { type: fieldType, defaultValue } = fields[name]!;
      this.member(name, (value as Record<string, unknown>)[name], fieldType, defaultValue !== undefined);
    }
    for (const name in value) {
      if (this.issues.length === ISSUES_MAX) {
        return;
      }
      if (!Object.hasOwn(fields, name)) {
        const which = this.showsSchema ? `, which may have ${Object.keys(fields).join(', ')}` : '';
        this.#path.push(name);
        this.#add('unknown_property', `is not a field of this input${which}.`);
        this.#path.pop();
      }
    }
  }

  #leaf(value: unknown, type: GraphQLLeafType): void {
    try {
      // A scalar writes the whole object that it refuses into its message.
      type.parseValue(typeof value === 'object' && type.name !== 'JSONObject' ? {} : value);
    } catch (error) {
      const enumDetail = isEnumType(type) && this.showsSchema ? enumRefusal(type) : null;
      this.#add('invalid_type', enumDetail ?? withoutValue((error as Error).message).replace(/ Did you mean .*$/s, ''));
    }
  }

  #add(code: string, detail: string): void {
    if (this.issues.length < ISSUES_MAX) {
      this.issues.push({ path: [...this.#path], code, detail });
    }
  }
}

/** The variables of an operation, with defaults for missing ones. A null is not missing. */
export function withDefaults(
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const defaults = variableDefinitions.flatMap(({ variable: { name }, defaultValue }) =>
    defaultValue === undefined ? [] : [[name.value, valueFromASTUntyped(defaultValue)]],
  );
  return { ...Object.fromEntries(defaults), ...given };
}

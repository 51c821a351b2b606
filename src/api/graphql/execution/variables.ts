import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import { jsonTypeOf, mustBe } from '../../../domain/text/json-type.js';
import { nearestWord } from '../../../domain/text/nearest-word.js';
import { invalidInput } from '../../../errors.js';
import { enumRule, graphqlErrorOf, withoutValue } from '../fields/errors.js';

interface Variable {
  name: string;
  type: GraphQLInputType;
  hasDefault: boolean;
}

/** The variables of a valid operation. */
export function variablesOf(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
): readonly Variable[] {
  return variableDefinitions.map(({ variable, type, defaultValue }) => ({
    name: variable.name.value,
    type: typeFromAST(schema, type as never) as GraphQLInputType,
    hasDefault: defaultValue !== undefined,
  }));
}

/** No list takes more than 100 items, but the rule of a field runs only after each item was coerced three times. */
const LIST_ITEMS_MAX = 1_000;

/** Inputs that contain themselves, as filters do, could be nested deeper than the stack. */
const LEVELS_MAX = 50;

/**
 * Checks the variables of a request as GraphQL would, whose messages repeat the values, which end up in logs.
 *
 * @param showsSchema whether the message may name fields and enum values
 * @throws GraphQLError BAD_USER_INPUT for the first wrong value
 */
export function requireVariables(
  variables: readonly Variable[],
  values: Readonly<Record<string, unknown>>,
  showsSchema: boolean,
): void {
  const rules = new VariableRules(showsSchema);
  for (const { name, type, hasDefault } of variables) {
    rules.requireMember(name, Object.hasOwn(values, name) ? values[name] : undefined, type, hasDefault);
  }
}

class VariableRules {
  /** Leads to the value that is being checked. */
  readonly #path: (string | number)[] = [];

  constructor(private readonly showsSchema: boolean) {}

  /** Checks a variable, a field of an input or an item of a list. */
  requireMember(name: string | number, value: unknown, type: GraphQLInputType, hasDefault = false): void {
    this.#path.push(name);
    if (this.#path.length > LEVELS_MAX) {
      this.#refuse('too_deep', `is more than ${LEVELS_MAX} levels deep`);
    }
    if (value !== undefined) {
      this.#requireValue(value, type);
    } else if (isNonNullType(type) && !hasDefault) {
      this.#refuse('required', 'is required');
    }
    this.#path.pop();
  }

  #requireValue(value: unknown, type: GraphQLInputType): void {
    const inner = getNullableType(type);
    if (value === null) {
      if (isNonNullType(type)) {
        this.#refuse('invalid_type', 'must not be null');
      }
    } else if (isInputObjectType(inner)) {
      this.#requireObject(value, inner);
    } else if (!isListType(inner)) {
      this.#requireLeaf(value, inner);
    } else if (!Array.isArray(value)) {
      this.#requireValue(value, inner.ofType); // GraphQL makes a list of it
    } else if (value.length > LIST_ITEMS_MAX) {
      const detail = `has ${value.length} items; no list of an input may have more than ${LIST_ITEMS_MAX}`;
      this.#refuse('too_big', detail);
    } else {
      value.forEach((item, index) => {
        this.requireMember(index, item, inner.ofType);
      });
    }
  }

  /** Unknown fields come first: a misspelt name says more than the field that is missing instead. */
  #requireObject(value: unknown, type: GraphQLInputObjectType): void {
    if (typeof value !== 'object' || Array.isArray(value)) {
      this.#refuse('invalid_type', mustBe(['object'], value));
    }
    const fields = type.getFields();
    for (const name in value as object) {
      if (!Object.hasOwn(fields, name)) {
        this.#path.push(name);
        this.#refuse('unknown_property', `is not a field of this input${this.#fieldsFor(name, Object.keys(fields))}`);
      }
    }
    for (const name in fields) {
      const { type: fieldType, defaultValue } = fields[name]!;
      this.requireMember(name, (value as Record<string, unknown>)[name], fieldType, defaultValue !== undefined);
    }
  }

  #fieldsFor(given: string, names: readonly string[]): string {
    if (!this.showsSchema) {
      return '.';
    }
    const nearest = nearestWord(names, given);
    return `, which may have ${names.join(', ')}${nearest === undefined ? '.' : `; did you mean ${nearest}?`}`;
  }

  #requireLeaf(value: unknown, type: GraphQLLeafType): void {
    try {
      // A scalar writes the whole object that it refuses into its message.
      type.parseValue(typeof value === 'object' && type.name !== 'JSONObject' ? {} : value);
    } catch (error) {
      const [said = ''] = withoutValue((error as Error).message).split(' Did you mean ');
      const rule = isEnumType(type) && this.showsSchema ? enumRule(type, value) : typeRule(type, value);
      this.#refuse('invalid_type', rule ?? said);
    }
  }

  #refuse(code: string, detail: string): never {
    throw graphqlErrorOf(invalidInput([{ path: this.#path, code, detail }]), undefined, 400);
  }
}

/** The types of JSON that scalars are written as. */
const TYPES: Readonly<Record<string, string>> = {
  String: 'string',
  ID: 'string',
  Boolean: 'boolean',
  Int: 'integer',
  Float: 'number',
  JSONObject: 'object',
};

/** Says which type a value has instead of the scalar's. Null: its type is right, or the scalar says more itself. */
function typeRule({ name }: GraphQLLeafType, value: unknown): string | null {
  const type = TYPES[name];
  const isRight = type === undefined || (type === 'integer' ? 'number' : type) === jsonTypeOf(value);
  return isRight ? null : mustBe([type], value);
}

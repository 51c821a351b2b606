import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  typeFromAST,
} from 'graphql';
import { invalidInput, type Path } from '../../../errors.js';
import { enumRefusal, graphqlErrorOf, withoutValue } from '../fields/errors.js';
import type { KnownOperation } from './operation.js';

/** No list takes more than 100 items, but the rule of a field runs only after each item was coerced three times. */
const LIST_ITEMS_MAX = 1_000;

/**
 * Checks the variables of a request as GraphQL would, whose messages repeat the values, which end up in logs.
 *
 * @param showsSchema whether the message may name fields and enum values
 * @throws GraphQLError BAD_USER_INPUT for the first wrong value
 */
export function requireVariables(
  { schema, definition: { variableDefinitions = [] } }: KnownOperation,
  values: Readonly<Record<string, unknown>>,
  showsSchema: boolean,
): void {
  const rules = new VariableRules(showsSchema);
  for (const { variable, type: node, defaultValue } of variableDefinitions) {
    const name = variable.name.value;
    const type = typeFromAST(schema, node as never) as GraphQLInputType; // another rule refuses all others
    rules.requireMember(
      [name],
      Object.hasOwn(values, name) ? values[name] : undefined,
      type,
      defaultValue !== undefined,
    );
  }
}

function refuse(path: Path, code: string, detail: string): never {
  throw graphqlErrorOf(invalidInput([{ path, code, detail }]), undefined, 400);
}

class VariableRules {
  constructor(private readonly showsSchema: boolean) {}

  /** Checks a variable or a field of an input. */
  requireMember(path: Path, value: unknown, type: GraphQLInputType, hasDefault: boolean): void {
    if (value !== undefined) {
      this.#requireValue(path, value, type);
    } else if (isNonNullType(type) && !hasDefault) {
      refuse(path, 'required', 'is required');
    }
  }

  #requireValue(path: Path, value: unknown, type: GraphQLInputType): void {
    const inner = getNullableType(type);
    if (value === null) {
      if (isNonNullType(type)) {
        refuse(path, 'invalid_type', 'must not be null');
      }
    } else if (isInputObjectType(inner)) {
      this.#requireObject(path, value, inner);
    } else if (!isListType(inner)) {
      this.#requireLeaf(path, value, inner);
    } else if (!Array.isArray(value)) {
      this.#requireValue(path, value, inner.ofType); // GraphQL makes a list of it
    } else if (value.length > LIST_ITEMS_MAX) {
      const detail = `has ${value.length} items; no list of an input may have more than ${LIST_ITEMS_MAX}`;
      refuse(path, 'too_big', detail);
    } else {
      value.forEach((item, index) => {
        this.#requireValue([...path, index], item, inner.ofType);
      });
    }
  }

  /** Unknown fields come first: a misspelt name says more than the field that is missing instead. */
  #requireObject(path: Path, value: unknown, type: GraphQLInputObjectType): void {
    if (typeof value !== 'object' || Array.isArray(value)) {
      refuse(path, 'invalid_type', `Expected type "${type.name}" to be an object.`);
    }
    const fields = type.getFields();
    for (const name in value) {
      if (!Object.hasOwn(fields, name)) {
        const which = this.showsSchema ? `, which may have ${Object.keys(fields).join(', ')}` : '';
        refuse([...path, name], 'unknown_property', `is not a field of this input${which}.`);
      }
    }
    for (const { name, type: fieldType, defaultValue } of Object.values(fields)) {
      const member = (value as Record<string, unknown>)[name];
      this.requireMember([...path, name], member, fieldType, defaultValue !== undefined);
    }
  }

  #requireLeaf(path: Path, value: unknown, type: GraphQLLeafType): void {
    try {
      // A scalar writes the whole object that it refuses into its message.
      type.parseValue(typeof value === 'object' && type.name !== 'JSONObject' ? {} : value);
    } catch (error) {
      const [said = ''] = withoutValue((error as Error).message).split(' Did you mean ');
      refuse(path, 'invalid_type', isEnumType(type) && this.showsSchema ? enumRefusal(type) : said);
    }
  }
}

import type { DocumentNode, GraphQLSchema, OperationDefinitionNode, OperationTypeNode } from 'graphql';
import { type Root, rootOf } from './charge.js';
import { isFixed, type Reading, readingOf } from './cost.js';
import { variablesOf } from './variables.js';

const known = new WeakMap<OperationDefinitionNode, KnownOperation>();

/** @param operation of a validated document, which Apollo keeps */
export function knownOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): KnownOperation {
  let found = known.get(operation);
  if (found === undefined) {
    found = new KnownOperation(schema, document, operation);
    known.set(operation, found);
  }
  return found;
}

/** An operation of a validated document, with everything that is the same for each request that runs it. */
export class KnownOperation {
  readonly kind: OperationTypeNode;
  readonly variables: ReturnType<typeof variablesOf>;
  readonly root: Root;
  readonly isIntrospection: boolean;
  readonly #isFixed: boolean;
  #reading: Reading | null = null;

  constructor(
    readonly schema: GraphQLSchema,
    readonly document: DocumentNode,
    readonly definition: OperationDefinitionNode,
  ) {
    this.kind = definition.operation;
    this.variables = variablesOf(schema, definition);
    this.root = rootOf(document, definition);
    this.isIntrospection = definition.selectionSet.selections.every(
      (selection) => selection.kind === 'Field' && selection.name.value.startsWith('__'),
    );
    this.#isFixed = isFixed(definition);
  }

  /** The cost with any variables. Null before it was found, and where it depends on variables. */
  get fixedCost(): number | null {
    return this.#reading?.cost ?? null;
  }

  /** @throws GraphQLError BAD_USER_INPUT when an argument does not fit */
  reading(values: Readonly<Record<string, unknown>>): Reading {
    const reading = this.#reading ?? readingOf(this.schema, this.document, this.definition, values);
    this.#reading = this.#isFixed ? reading : null;
    return reading;
  }
}

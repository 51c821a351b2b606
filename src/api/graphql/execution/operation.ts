import type { DocumentNode, FieldNode, GraphQLSchema, OperationDefinitionNode, OperationTypeNode } from 'graphql';
import { fieldsIn, fragmentsOf } from '../fields/selection.js';
import { isFixed, type Reading, readingOf } from './cost.js';
import { type KnownVariable, variablesOf } from './variables.js';

const EMITS = new Set(['emitEvent', 'emitEvents']);

/** The whole schema counts as ten operations: its answer takes as long as ten pages. */
const SCHEMA_OPERATIONS = 10;

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
  readonly variables: readonly KnownVariable[];
  /** How many operations its root fields count, and those of them that emit. */
  readonly root: { operations: number; emits: readonly FieldNode[] };
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

/** Fields count even if `@skip` leaves them out. */
function rootOf(document: DocumentNode, { operation, selectionSet }: OperationDefinitionNode): KnownOperation['root'] {
  const fragments = fragmentsOf(document);
  const fields = fieldsIn(selectionSet, (name) => fragments.get(name));
  if (operation !== 'mutation') {
    const asksForSchema = fields.some(({ name }) => name.value === '__schema');
    return { operations: asksForSchema ? SCHEMA_OPERATIONS : 1, emits: [] };
  }
  // Fields with the same name in the answer run once.
  const unique = [...new Map(fields.map((field) => [(field.alias ?? field.name).value, field])).values()];
  const emits = unique.filter(({ name }) => EMITS.has(name.value));
  return { operations: unique.length - emits.length, emits };
}

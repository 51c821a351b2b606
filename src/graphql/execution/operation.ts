import type { DocumentNode, GraphQLSchema, OperationDefinitionNode, OperationTypeNode } from 'graphql';
import { costOf, hasFixedCost } from './cost.js';
import { type GuardedField, guardedFields } from './guarded-fields.js';
import { type RootFields, rootFieldsOf } from './root-fields.js';
import { type KnownVariable, variablesOf } from './variables.js';

type Values = Readonly<Record<string, unknown>>;

const known = new WeakMap<OperationDefinitionNode, KnownOperation>();

/** @param operation of a document that fits the schema; both are kept as long as Apollo keeps the document */
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

/** An operation of a document that may run, with all that is the same for every request that runs it. */
export class KnownOperation {
  readonly kind: OperationTypeNode;
  readonly variables: readonly KnownVariable[];
  readonly root: RootFields;
  /** Whether it asks for nothing but the schema. */
  readonly isIntrospection: boolean;
  readonly #hasFixedCost: boolean;
  #fixedCost: number | null = null;
  #guardedFields: readonly GuardedField[] | null = null;

  constructor(
    readonly schema: GraphQLSchema,
    readonly document: DocumentNode,
    readonly definition: OperationDefinitionNode,
  ) {
    this.kind = definition.operation;
    this.variables = variablesOf(schema, definition);
    this.root = rootFieldsOf(document, definition);
    this.isIntrospection = definition.selectionSet.selections.every(
      (selection) => selection.kind === 'Field' && selection.name.value.startsWith('__'),
    );
    this.#hasFixedCost = hasFixedCost(definition);
  }

  /** What it costs with any variables; null where that differs, or nobody has asked yet. */
  get fixedCost(): number | null {
    return this.#fixedCost;
  }

  /**
   * @param values of the variables, which fit
   * @throws GraphQLError BAD_USER_INPUT when an argument does not fit; that is not remembered
   */
  cost(values: Values): number {
    if (this.#fixedCost !== null) {
      return this.#fixedCost;
    }
    const cost = costOf(this.schema, this.document, this.definition, values);
    if (this.#hasFixedCost) {
      this.#fixedCost = cost;
    }
    return cost;
  }

  /** Those that it would run with these values of its variables. */
  guardedFields(values: Values): readonly GuardedField[] {
    if (this.#guardedFields !== null) {
      return this.#guardedFields;
    }
    const { fields, areFixed } = guardedFields(this.schema, this.document, this.definition, values);
    if (areFixed) {
      this.#guardedFields = fields;
    }
    return fields;
  }
}

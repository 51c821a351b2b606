import type { DocumentNode, FieldNode, OperationDefinitionNode } from 'graphql';
import { fieldsIn, fragmentsOf } from '../fields/selection.js';

const emitFields = new Set(['emitEvent', 'emitEvents']);

/** What the whole schema counts: to make that answer takes as long as ten pages. */
const SCHEMA_OPERATIONS = 10;

/** What an operation counts by its root fields. */
export interface RootFields {
  operations: number;
  emits: readonly FieldNode[];
}

/** Whatever `@skip` and `@include` say, a field counts. */
export function rootFieldsOf(document: DocumentNode, operation: OperationDefinitionNode): RootFields {
  const fragments = fragmentsOf(document);
  // By the name that they have in the answer: equal ones run once.
  const fields = new Map<string, FieldNode>();
  for (const field of fieldsIn(operation.selectionSet, (name) => fragments.get(name))) {
    fields.set((field.alias ?? field.name).value, field);
  }
  const all = [...fields.values()];
  if (operation.operation !== 'mutation') {
    const asksForSchema = all.some(({ name }) => name.value === '__schema');
    return { operations: asksForSchema ? SCHEMA_OPERATIONS : 1, emits: [] };
  }
  const emits = all.filter(isEmit);
  return { operations: all.length - emits.length, emits };
}

function isEmit({ name }: FieldNode): boolean {
  return emitFields.has(name.value);
}

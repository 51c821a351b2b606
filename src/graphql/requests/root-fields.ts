import type { DocumentNode, FieldNode, OperationDefinitionNode } from 'graphql';
import { fieldsIn, fragmentsOf } from '../fields/selection.js';

const emitFields = new Set(['emitEvent', 'emitEvents']);

/** What an operation counts by its root fields. */
export interface RootFields {
  operations: number;
  emits: readonly FieldNode[];
}

/** Whatever `@skip` and `@include` say, a field counts. */
export function rootFieldsOf(document: DocumentNode, operation: OperationDefinitionNode): RootFields {
  if (operation.operation !== 'mutation') {
    return { operations: 1, emits: [] };
  }
  const fragments = fragmentsOf(document);
  // By the name that they have in the answer: equal ones run once.
  const fields = new Map<string, FieldNode>();
  for (const field of fieldsIn(operation.selectionSet, (name) => fragments.get(name))) {
    fields.set((field.alias ?? field.name).value, field);
  }
  const all = [...fields.values()];
  const emits = all.filter(isEmit);
  return { operations: all.length - emits.length, emits };
}

function isEmit({ name }: FieldNode): boolean {
  return emitFields.has(name.value);
}

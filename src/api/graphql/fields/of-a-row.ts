import { type GraphQLSchema, isInterfaceType, isObjectType } from 'graphql';
import { getMetadataStorage } from 'type-graphql';

/** The extension of a field that is read by a statement of its own, apart from the row that it belongs to. */
export const OF_A_ROW = 'ofARow';

/** Gives the extension to the fields of a `Node` that have a resolver. */
export function markFieldsOfRows(schema: GraphQLSchema): void {
  const node = schema.getType('Node');
  for (const { kind, schemaName, getObjectType } of getMetadataStorage().fieldResolvers) {
    const type = schema.getType(getObjectType!().name);
    const isRow = isObjectType(type) && isInterfaceType(node) && type.getInterfaces().includes(node);
    const field = isRow ? type.getFields()[schemaName] : undefined;
    if (kind === 'external' && field !== undefined) {
      field.extensions = { ...field.extensions, [OF_A_ROW]: true };
    }
  }
}

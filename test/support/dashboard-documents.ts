import { Kind, type OperationDefinitionNode, type OperationTypeNode, parse } from 'graphql';
import { readDocuments } from '../../dashboard/build/documents.js';

export interface DashboardDocument {
  name: string;
  operation: OperationTypeNode;
  /** With its fragments. */
  text: string;
  variables: NonNullable<OperationDefinitionNode['variableDefinitions']>;
}

/** Every document that the dashboard sends, by name. */
export const dashboardDocuments: readonly DashboardDocument[] = [...readDocuments().values()]
  .map((text) => {
    const operation = parse(text).definitions.find(
      (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
    )!;
    const { name, variableDefinitions = [] } = operation;
    return { name: name?.value ?? '', operation: operation.operation, text, variables: variableDefinitions };
  })
  .toSorted((a, b) => (a.name < b.name ? -1 : 1));

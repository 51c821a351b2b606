import { readFileSync } from 'node:fs';
import { Kind, type OperationDefinitionNode, type OperationTypeNode, parse } from 'graphql';

export interface DashboardDocument {
  name: string;
  operation: OperationTypeNode;
  /** With its fragments. */
  text: string;
  variables: NonNullable<OperationDefinitionNode['variableDefinitions']>;
}

const LIST = new URL('../../dashboard/api/generated/persisted-documents.json', import.meta.url);

/** Every document that the dashboard sends, as the build lists them (`npm run dashboard:documents`), by name. */
export const dashboardDocuments: readonly DashboardDocument[] = Object.values(
  JSON.parse(readFileSync(LIST, 'utf8')) as Record<string, string>,
)
  .map((text) => {
    const operation = parse(text).definitions.find(
      (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
    )!;
    const { name, variableDefinitions = [] } = operation;
    return { name: name?.value ?? '', operation: operation.operation, text, variables: variableDefinitions };
  })
  .toSorted((a, b) => (a.name < b.name ? -1 : 1));

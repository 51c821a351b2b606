import { readFileSync } from 'node:fs';
import { type FieldNode, Kind, parse } from 'graphql';

/** The page that documents the GraphQL interface. */
export const graphqlPage = readFileSync(new URL('../../docs/graphql.md', import.meta.url), 'utf8');

interface Example {
  query: string;
  /** As the page has it. */
  variables: string;
  rootFields: string[];
}

/** The examples of the page. */
export const graphqlExamples: Example[] = [
  ...graphqlPage.matchAll(/```graphql\n(.*?)```(?:\n```json\n(.*?)```)?/gs),
].map(([, query = '', variables = '{}']) => ({
  query,
  variables,
  rootFields: parse(query).definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION
      ? definition.selectionSet.selections.map((selection) => (selection as FieldNode).name.value)
      : [],
  ),
}));

import { readFileSync } from 'node:fs';
import { type FieldNode, Kind, parse } from 'graphql';

const page = (name: string) => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');

/** The guide to the GraphQL interface. */
export const graphqlPage = page('graphql');

interface Example {
  query: string;
  /** In the form of the page. */
  variables: string;
  rootFields: string[];
}

/** The examples of the guide and of the pages beside it. */
export const graphqlExamples: Example[] = [
  ...[graphqlPage, page('graphql-examples'), page('live-updates')]
    .join('')
    .matchAll(/```graphql\n(.*?)```(?:\n```json\n(.*?)```)?/gs),
].map(([, query = '', variables = '{}']) => ({
  query,
  variables,
  rootFields: parse(query).definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION
      ? definition.selectionSet.selections.map((selection) => (selection as FieldNode).name.value)
      : [],
  ),
}));

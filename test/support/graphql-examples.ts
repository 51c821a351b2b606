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

/** The documents of pages, each with the variables below it. */
const examplesOf = (...names: string[]) => [
  ...names
    .map(page)
    .join('')
    .matchAll(/```graphql\n(.*?)```(?:\n```json\n(.*?)```)?/gs),
];

/** The examples of the guide and of the pages beside it; of the pages about options, those that have variables. */
export const graphqlExamples: Example[] = [
  ...examplesOf('graphql', 'graphql-examples', 'live-updates'),
  ...examplesOf('content', 'ordering').filter(([, , variables]) => variables !== undefined),
].map(([, query = '', variables = '{}']) => ({
  query,
  variables,
  rootFields: parse(query).definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION
      ? definition.selectionSet.selections.map((selection) => (selection as FieldNode).name.value)
      : [],
  ),
}));

import { GraphQLError } from 'graphql';
import { expect, test } from 'vitest';
import { buildGraphqlSchema } from '../../src/graphql/schema.js';
import { prepareOperation } from '../../src/rest/run-operation.js';

test("a REST route's document that does not fit the schema stops the start", async () => {
  const schema = await buildGraphqlSchema();
  expect(() => prepareOperation(schema, '{ webhooks { edges { node { renamed } } } }')).toThrow(/renamed/);
  expect(() => prepareOperation(schema, '{ webhooks {')).toThrow(GraphQLError);
});

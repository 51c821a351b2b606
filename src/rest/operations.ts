import type { GraphQLSchema } from 'graphql';
import type { z } from 'zod';
import { graphqlName } from './names.js';
import { type Operation, prepareOperation } from './run-operation.js';
import { webhook } from './schemas.js';

/** A webhook as the documents below ask for it: as REST answers with it, and its version. */
export type WebhookNode = z.output<typeof webhook> & { version: number };

/** In the order of docs/interface.md, "A webhook"; `secret` follows after them where it is due. */
const names = Object.keys(webhook.shape).map((name) => `${name}: ${graphqlName(name)}`);
const fields = `version ${names.join(' ')}`;

const documents = {
  create: `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { ${fields} } secret } }`,
  list: `query ($first: Int, $after: String, $filter: WebhookFilter) {
    webhooks(first: $first, after: $after, filter: $filter) {
      edges { node { ${fields} } }
      pageInfo { hasNextPage endCursor }
    }
  }`,
  read: `query ($id: ID!) { webhook(id: $id) { ${fields} } }`,
  update: `mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { ${fields} } } }`,
  delete: 'mutation ($input: DeleteWebhookInput!) { deleteWebhook(input: $input) { deletedWebhookId } }',
  test: `mutation ($input: TestWebhookInput!) {
    testWebhook(input: $input) { delivery { id: databaseId event: eventType status created_at: createdAt } }
  }`,
};

interface TestDeliveryNode {
  id: number;
  event: string;
  status: string;
  created_at: string;
}

interface WebhookPageNode {
  edges: { node: WebhookNode }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

interface ListVariables extends Record<string, unknown> {
  first: number;
  after: string | null;
  filter: { active: boolean | null; eventType: string | null };
}

export interface Operations {
  create: Operation<{ input: Record<string, unknown> }, { createWebhook: { webhook: WebhookNode; secret: string } }>;
  list: Operation<ListVariables, { webhooks: WebhookPageNode }>;
  read: Operation<{ id: string }, { webhook: WebhookNode }>;
  update: Operation<{ input: Record<string, unknown> }, { updateWebhook: { webhook: WebhookNode } }>;
  delete: Operation<{ input: { id: string; ifVersion?: number | undefined } }, unknown>;
  test: Operation<{ input: { id: string } }, { testWebhook: { delivery: TestDeliveryNode } }>;
}

/** @throws Error when a document does not fit the schema */
export function prepareOperations(schema: GraphQLSchema): Operations {
  return {
    create: prepareOperation(schema, documents.create),
    list: prepareOperation(schema, documents.list),
    read: prepareOperation(schema, documents.read),
    update: prepareOperation(schema, documents.update),
    delete: prepareOperation(schema, documents.delete),
    test: prepareOperation(schema, documents.test),
  };
}

import type { GraphQLSchema } from 'graphql';
import { z } from 'zod';
import { webhookFields } from '../../domain/fields/webhook-fields.js';
import { type BulkErasureNode, type ErasedNode, erasedEvent } from './erasure.js';
import { optionSelection, placeInWebhook, type restPlace } from './field-forms.js';
import { type LimitsNode, limits } from './limits.js';
import { graphqlName, restStep } from './names.js';
import type { webhookOptions } from './option-schemas.js';
import { prepareOperation } from './run-operation.js';
import { testDelivery, webhook } from './schemas.js';
import { verification } from './verification.js';

/** A webhook as REST shows it, and its version. */
export type WebhookNode = z.output<typeof webhook> & { version: number };
/** The options of a webhook, and its version. */
export type OptionsNode = z.output<typeof webhookOptions> & { version: number };
type TestDeliveryNode = Omit<z.output<typeof testDelivery>, 'webhook_id'>;

/** The proof of a webhook's endpoint; null: it was never asked for one. */
export interface VerificationNode {
  verification: z.output<typeof verification> | null;
}

/** The GraphQL fields of a REST shape, under the names and in the order that REST has them. */
const selectionOf = (shape: object): string =>
  Object.entries(shape)
    .map(([name, form]) => {
      const members = form instanceof z.ZodObject ? ` { ${selectionOf(form.shape)} }` : '';
      return `${name}: ${graphqlName(name)}${members}`;
    })
    .join(' ');

const fields = `version ${selectionOf(webhook.shape)}`;
const optionFields = `version ${optionSelection(webhookFields)}`;
const { webhook_id: _, ...deliveryShape } = testDelivery.shape; // the id is in the request
const { since: _since, ...limitShape } = limits.shape; // beside the limits in GraphQL
const verificationField = `verification { ${selectionOf(verification.shape)} }`;
const deliveryFields = selectionOf(deliveryShape);
const { id: _id, ...erasedShape } = erasedEvent.shape; // a number would not say whether the event was scheduled
const erasedFields = `id ${selectionOf(erasedShape)}`;
const startedFields = 'total total_capped: totalCapped operation: bulkOperation { id status begins_at: beginsAt }';

interface WebhookPage {
  edges: { node: WebhookNode }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

type ListVariables = {
  first: number;
  after: string | null;
  filter: {
    active: boolean | null;
    eventType: string | null;
    externalId: string | null;
    search: string | null;
    metadata: { key: string; value: string } | null;
  };
};

type Input<Fields = Record<string, unknown>> = { input: Fields };

export type Operations = ReturnType<typeof prepareOperations>;

/** @throws Error when a document does not fit the schema */
export function prepareOperations(schema: GraphQLSchema) {
  const prepare = <Variables extends Record<string, unknown>, Data>(source: string, placeOf?: typeof restPlace) =>
    prepareOperation<Variables, Data>(schema, source, placeOf);
  return {
    create: prepare<Input, { createWebhook: { webhook: WebhookNode; secret: string } }>(
      `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { ${fields} } secret } }`,
      placeInWebhook,
    ),
    list: prepare<ListVariables, { webhooks: WebhookPage }>(
      `query ($first: Int, $after: String, $filter: WebhookFilter) {
        webhooks(first: $first, after: $after, filter: $filter) {
          edges { node { ${fields} } }
          pageInfo { hasNextPage endCursor }
        }
      }`,
    ),
    read: prepare<{ id: string }, { webhook: WebhookNode }>(`query ($id: ID!) { webhook(id: $id) { ${fields} } }`),
    update: prepare<Input, { updateWebhook: { webhook: WebhookNode } }>(
      `mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { ${fields} } } }`,
      placeInWebhook,
    ),
    readOptions: prepare<{ id: string }, { webhook: OptionsNode }>(
      `query ($id: ID!) { webhook(id: $id) { ${optionFields} } }`,
    ),
    updateOptions: prepare<Input, { updateWebhook: { webhook: OptionsNode } }>(
      `mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { ${optionFields} } } }`,
    ),
    delete: prepare<Input<{ id: string; ifVersion?: number | undefined }>, unknown>(
      'mutation ($input: DeleteWebhookInput!) { deleteWebhook(input: $input) { deletedWebhookId } }',
    ),
    readVerification: prepare<{ id: string }, { webhook: VerificationNode }>(
      `query ($id: ID!) { webhook(id: $id) { ${verificationField} } }`,
    ),
    verify: prepare<Input, { verifyWebhook: { webhook: VerificationNode } }>(
      `mutation ($input: VerifyWebhookInput!) { verifyWebhook(input: $input) { webhook { ${verificationField} } } }`,
    ),
    readLimits: prepare<Record<string, never>, LimitsNode>(
      `query { viewer { tenant { limits { ${selectionOf(limitShape)} } since: limitedSince } } }`,
    ),
    eraseEvent: prepare<Input, ErasedNode>(
      `mutation ($input: EraseEventInput!) {
        eraseEvent(input: $input) { event { ${erasedFields} } scheduledEvent { ${erasedFields} } }
      }`,
    ),
    eraseEvents: prepare<Input, BulkErasureNode>(
      `mutation ($input: EraseEventsInput!) { eraseEvents(input: $input) { ${startedFields} } }`,
      (path) => path.map(restStep), // its filter is not that of a webhook
    ),
    test: prepare<Input, { testWebhook: { delivery: TestDeliveryNode } }>(
      `mutation ($input: TestWebhookInput!) { testWebhook(input: $input) { delivery { ${deliveryFields} } } }`,
    ),
  };
}

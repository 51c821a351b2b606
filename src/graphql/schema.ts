import 'reflect-metadata';
import {
  type GraphQLFieldResolver,
  type GraphQLSchema,
  isObjectType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { buildSchema, type ContainerType, type PubSub } from 'type-graphql';
import { GLOBAL_ID } from '../entities/node.js';
import { BulkMutations } from './bulk/bulk-mutations.js';
import { BulkOperationResolver } from './bulk/bulk-operation.js';
import { AttemptResolver } from './deliveries/attempt.js';
import { CurlResolver } from './deliveries/curl.js';
import { DeliveryResolver } from './deliveries/delivery.js';
import { EventResolver } from './deliveries/event.js';
import { FanOutResolver } from './deliveries/fan-out.js';
import { EmitResolver } from './emits/emit.js';
import { EventTypeResolver, EventTypeVersionResolver } from './event-types/event-type.js';
import { EventTypeMutations } from './event-types/event-type-mutations.js';
import { DateTime } from './fields/scalars.js';
import { InstallationResolver, TopWebhookResolver } from './installation/installation.js';
import { ApiKeyResolver } from './keys/api-key.js';
import { PortalSessionResolver } from './keys/portal-session.js';
import { LiveUpdateResolver } from './live-updates.js';
import { NodeResolver } from './node.js';
import { StatsResolver } from './stats/stats.js';
import { AuditLogResolver } from './tenants/audit-log.js';
import { TenantResolver } from './tenants/tenant.js';
import { TenantUsageResolver } from './tenants/tenant-usage.js';
import { ViewerResolver } from './tenants/viewer.js';
import { WebhookResolver } from './webhooks/webhook.js';
import { WebhookMutations } from './webhooks/webhook-mutations.js';
import { WebhookOutlookResolver } from './webhooks/webhook-outlook.js';

const resolvers = [
  ApiKeyResolver,
  AttemptResolver,
  AuditLogResolver,
  BulkMutations,
  BulkOperationResolver,
  CurlResolver,
  DeliveryResolver,
  EmitResolver,
  EventResolver,
  EventTypeMutations,
  EventTypeResolver,
  EventTypeVersionResolver,
  FanOutResolver,
  InstallationResolver,
  LiveUpdateResolver,
  NodeResolver,
  PortalSessionResolver,
  StatsResolver,
  TenantResolver,
  TenantUsageResolver,
  TopWebhookResolver,
  ViewerResolver,
  WebhookMutations,
  WebhookOutlookResolver,
  WebhookResolver,
] as const;

/** type-graphql asks for one. Subscriptions are fed by what is read from the database (src/live/change-feed.ts). */
const noTopics: PubSub = {
  publish: () => {},
  subscribe: () => {
    throw new Error('There are no topics.');
  },
};

/** Of types that libraries make: the root types are type-graphql's, and SafeInt is from graphql-scalars. */
const descriptions: Readonly<Record<string, string>> = {
  Query: 'What can be read, each with an API key that has the scope for it.',
  Mutation: 'What can be done. Each takes one `input` and answers with a payload of its own.',
  Subscription: 'What can be followed as it changes, as server-sent events at `/graphql/stream`.',
  SafeInt: 'A whole number that may be larger than an Int, of at most 53 bits: JavaScript has it exactly.',
};

/** The schema with its resolvers. They keep nothing themselves: all they need is in the request's context. */
export async function buildGraphqlSchema(): Promise<GraphQLSchema> {
  const instances = new Map<unknown, unknown>(resolvers.map((type) => [type, new type()]));
  const container: ContainerType = { get: (type) => instances.get(type) };
  const schema = await buildSchema({
    resolvers: [...resolvers],
    container,
    // Inputs are judged by the zod schemas of input.ts.
    validate: false,
    scalarsMap: [{ type: Date, scalar: DateTime }],
    pubSub: noTopics,
  });
  for (const [name, description] of Object.entries(descriptions)) {
    schema.getType(name)!.description = description;
  }
  showGlobalIds(schema);
  return schema;
}

/** By functions of their own, past type-graphql's middlewares: a page has hundreds of ids. */
function showGlobalIds(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields())) {
      const idOf = field.extensions[GLOBAL_ID] as GraphQLFieldResolver<unknown, unknown> | undefined;
      if (idOf !== undefined) {
        field.resolve = idOf;
      }
    }
  }
}

/** The schema as `schema.graphql` has it: sorted, so that a difference is a change. */
export function printGraphqlSchema(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}

import 'reflect-metadata';
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { buildSchema, type ContainerType } from 'type-graphql';
import { ApiKeyResolver } from './api-key.js';
import { AttemptResolver } from './attempt.js';
import { AuditLogResolver } from './audit-log.js';
import { CurlResolver } from './curl.js';
import { DeliveryResolver } from './delivery.js';
import { EmitResolver } from './emit.js';
import { EventResolver } from './event.js';
import { EventTypeResolver } from './event-type.js';
import { FanOutResolver } from './fan-out.js';
import { DateTime } from './scalars.js';
import { TenantResolver } from './tenant.js';
import { ViewerResolver } from './viewer.js';
import { WebhookResolver } from './webhook.js';
import { WebhookMutations } from './webhook-mutations.js';

const resolvers = [
  ApiKeyResolver,
  AttemptResolver,
  AuditLogResolver,
  CurlResolver,
  DeliveryResolver,
  EmitResolver,
  EventResolver,
  EventTypeResolver,
  FanOutResolver,
  TenantResolver,
  ViewerResolver,
  WebhookResolver,
  WebhookMutations,
] as const;

/** The schema with its resolvers. They keep nothing themselves: all they need is in the request's context. */
export function buildGraphqlSchema(): Promise<GraphQLSchema> {
  const instances = new Map<unknown, unknown>(resolvers.map((type) => [type, new type()]));
  const container: ContainerType = { get: (type) => instances.get(type) };
  return buildSchema({
    resolvers: [...resolvers],
    container,
    // Inputs are judged by the zod schemas of input.ts.
    validate: false,
    scalarsMap: [{ type: Date, scalar: DateTime }],
  });
}

/** The schema as `schema.graphql` has it: sorted, so that a difference is a change. */
export function printGraphqlSchema(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}

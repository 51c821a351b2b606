import 'reflect-metadata';
import {
  type GraphQLFieldResolver,
  type GraphQLSchema,
  isObjectType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { buildSchema, type ContainerType, type PubSub } from 'type-graphql';
import { GLOBAL_ID } from '../../entities/node.js';
import { DateTime } from '../../entities/scalars.js';
import { BulkMutations } from './bulk/bulk-mutations.js';
import { BulkOperationResolver } from './bulk/bulk-operation.js';
import { AttemptResolver } from './deliveries/attempt.js';
import { CurlResolver } from './deliveries/curl.js';
import { DeliveryResolver } from './deliveries/delivery.js';
import { DeliveryCountsResolver } from './deliveries/delivery-counts.js';
import { EventResolver } from './deliveries/event.js';
import { FanOutResolver } from './deliveries/fan-out.js';
import { EmitResolver } from './emits/emit.js';
import { ScheduledEventResolver } from './emits/scheduled-events.js';
import { EraseMutations } from './erasure/erase-mutations.js';
import { AffectedShapeResolver } from './event-types/affected-shape.js';
import { ConverterMutations } from './event-types/converter-mutations.js';
import { EventSchemaResolver } from './event-types/event-schema.js';
import { EventTypeResolver, EventTypeVersionResolver } from './event-types/event-type.js';
import { EventTypeMutations, UpdateEventTypePayloadResolver } from './event-types/event-type-mutations.js';
import { RefusedEventResolver } from './event-types/payload-issues.js';
import { ReleaseResolver } from './event-types/release.js';
import { BrokenOptionResolver } from './event-types/schema-impact.js';
import { markFieldsOfRows } from './fields/of-a-row.js';
import { FailingTenantResolver, FailingWebhookResolver } from './installation/failing.js';
import { FindAnyIdResolver } from './installation/find-any-id.js';
import { InstallationResolver } from './installation/installation.js';
import { OverTimeOfAllResolver } from './installation/over-time-of-all.js';
import { TopResolver, TopWebhookNamesResolver, TopWebhookResolver } from './installation/top.js';
import { ApiKeyResolver } from './keys/api-key.js';
import { PortalSessionResolver } from './keys/portal-session.js';
import { LiveUpdateResolver } from './live-updates.js';
import { NodeResolver } from './node.js';
import { NoticeRecipientResolver } from './notices/notice-recipients.js';
import { OverTimeResolver } from './stats/over-time.js';
import { StatsResolver } from './stats/stats.js';
import { AuditLogResolver } from './tenants/audit-log.js';
import { SigningKeyResolver } from './tenants/signing-keys.js';
import { TenantResolver } from './tenants/tenant.js';
import { TenantUsageResolver } from './tenants/tenant-usage.js';
import { ViewerResolver } from './tenants/viewer.js';
import { OrderingKeyResolver, OrderingResolver } from './webhooks/ordering.js';
import { PreviewContentResolver } from './webhooks/preview-content.js';
import { SentVersionsResolver } from './webhooks/sent-versions.js';
import { SignatureResolver } from './webhooks/signatures.js';
import { AttemptTokenFailureResolver, TokenFailureResolver } from './webhooks/token-failure.js';
import { VerificationResolver } from './webhooks/verification.js';
import { WebhookResolver } from './webhooks/webhook.js';
import { WebhookMutations } from './webhooks/webhook-mutations.js';
import { WebhookOutlookResolver } from './webhooks/webhook-outlook.js';

const resolvers = [
  AffectedShapeResolver,
  ApiKeyResolver,
  AttemptResolver,
  AuditLogResolver,
  BrokenOptionResolver,
  BulkMutations,
  EraseMutations,
  BulkOperationResolver,
  CurlResolver,
  DeliveryCountsResolver,
  DeliveryResolver,
  EmitResolver,
  EventResolver,
  EventSchemaResolver,
  ConverterMutations,
  EventTypeMutations,
  EventTypeResolver,
  EventTypeVersionResolver,
  FailingTenantResolver,
  FailingWebhookResolver,
  FanOutResolver,
  InstallationResolver,
  LiveUpdateResolver,
  NodeResolver,
  NoticeRecipientResolver,
  OrderingKeyResolver,
  OrderingResolver,
  PortalSessionResolver,
  PreviewContentResolver,
  RefusedEventResolver,
  ReleaseResolver,
  SentVersionsResolver,
  ScheduledEventResolver,
  SignatureResolver,
  TokenFailureResolver,
  AttemptTokenFailureResolver,
  SigningKeyResolver,
  StatsResolver,
  OverTimeResolver,
  OverTimeOfAllResolver,
  TenantResolver,
  TenantUsageResolver,
  TopResolver,
  TopWebhookNamesResolver,
  TopWebhookResolver,
  UpdateEventTypePayloadResolver,
  VerificationResolver,
  ViewerResolver,
  WebhookMutations,
  WebhookOutlookResolver,
  FindAnyIdResolver,
  WebhookResolver,
] as const;

/** type-graphql requires it, but updates come from the database (src/api/live/change-feed.ts). */
const noTopics: PubSub = {
  publish: () => {},
  subscribe: () => {
    throw new Error('There are no topics.');
  },
};

/** Descriptions of the types that libraries make. */
const descriptions: Readonly<Record<string, string>> = {
  Query: 'Queries. Each needs an API key with the matching scope.',
  Mutation: 'Mutations. Each takes one `input` and returns its own payload type.',
  Subscription: 'Subscriptions, as server-sent events at `/graphql/stream`.',
  SafeInt: 'A whole number of at most 53 bits, which JavaScript represents exactly.',
};

let built: Promise<GraphQLSchema> | undefined;

/** Builds the schema, once. Resolvers are stateless: everything they need is in the context of the request. */
export function buildGraphqlSchema(): Promise<GraphQLSchema> {
  built ??= build();
  return built;
}

async function build(): Promise<GraphQLSchema> {
  const instances = new Map<unknown, unknown>(resolvers.map((type) => [type, new type()]));
  const container: ContainerType = { get: (type) => instances.get(type) };
  const schema = await buildSchema({
    resolvers: [...resolvers],
    container,
    // The zod schemas of input.ts check inputs.
    validate: false,
    // It would ask the schema for a description of all of it, a twentieth of a start. Apollo Server judges it, too.
    skipCheck: true,
    scalarsMap: [{ type: Date, scalar: DateTime }],
    pubSub: noTopics,
  });
  for (const [name, description] of Object.entries(descriptions)) {
    schema.getType(name)!.description = description;
  }
  showGlobalIds(schema);
  markFieldsOfRows(schema);
  return schema;
}

/** Without type-graphql's middlewares, because a page has hundreds of ids. */
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

export function printGraphqlSchema(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}

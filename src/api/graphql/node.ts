import 'reflect-metadata';
import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import { Arg, type ClassType, Ctx, ID, Info, Query, Resolver } from 'type-graphql';
import { attemptKey, type NodeType, parseAttemptKey, parseGlobalId } from '../../domain/ids/global-id.js';
import { ApiKey } from '../../entities/api-key.js';
import { Attempt } from '../../entities/attempt.js';
import { AuditEntry } from '../../entities/audit-entry.js';
import { BulkOperation } from '../../entities/bulk-operation.js';
import { Delivery } from '../../entities/delivery.js';
import { Event } from '../../entities/event.js';
import { EventType } from '../../entities/event-type.js';
import { Node } from '../../entities/node.js';
import { NoticeRecipient } from '../../entities/notice-recipient.js';
import { ScheduledEvent } from '../../entities/scheduled-event.js';
import { Webhook } from '../../entities/webhook.js';
import { type ApiError, type InputIssue, invalidInput } from '../../errors.js';
import { readTenants } from '../../operations/tenants/read-usage.js';
import { FRESH, UNFILTERED } from '../../platform/database/tenant-database.js';
import type { Context } from '../context/context.js';
import { Release } from './event-types/release.js';
import { NullableQuery } from './fields/nullable.js';
import { RequiresKey, requirementOf } from './fields/requires.js';
import { readPortalSessions } from './keys/portal-session.js';

const NODES_MAX = 100;

type NodeId = NonNullable<ReturnType<typeof parseGlobalId>>;

/** Reads objects of the tenant of the request, by keys without duplicates. */
type Read = (context: Context, keys: readonly string[]) => Promise<ReadonlyMap<string, object>>;

/** How objects of each type are read, and the field of Query whose requirement applies. */
const readers: Record<NodeType, [query: string, read: Read]> = {
  ApiKey: ['apiKeys', rowsOfOwner(ApiKey)],
  Attempt: ['delivery', readAttempts],
  AuditEntry: ['auditLog', rowsOfOwner(AuditEntry)],
  BulkOperation: ['bulkOperation', rowsOfTenant(BulkOperation)],
  Delivery: ['delivery', rowsOfTenant(Delivery)],
  Event: ['event', rowsOfTenant(Event)],
  EventType: ['eventType', readEventTypes],
  NoticeRecipient: ['noticeRecipients', rowsOfTenant(NoticeRecipient)],
  PortalSession: ['portalSessions', byNumber(readPortalSessions)],
  Release: ['release', readReleases],
  ScheduledEvent: ['scheduledEvent', rowsOfTenant(ScheduledEvent)],
  Tenant: ['tenant', byNumber(({ db }, ids) => readTenants(db, ids))],
  Webhook: ['webhook', rowsOfTenant(Webhook)],
};

/** Finds objects by their ids (relay.dev/graphql/objectidentification.htm). */
@Resolver()
export class NodeResolver {
  @RequiresKey()
  @NullableQuery(
    () => Node,
    'The object with this id. Null without an error when it does not exist. Needs the same scope as the field for this type.',
  )
  async node(
    @Arg('id', () => ID, { description: 'A global id, such as `wh_12`. A number alone is not enough.' })
    id: string,
    @Ctx() context: Context,
    @Info() { schema }: GraphQLResolveInfo,
  ): Promise<object | null> {
    return (await readNodes(context, schema, [idOf(['id'], id)]))[0]!;
  }

  @RequiresKey()
  @Query(() => [Node], {
    nullable: 'items',
    description:
      'The objects with these ids, in the same order. Null for an object that does not exist, and with an error for an invalid id or a type that the key may not read.',
  })
  nodes(
    @Arg('ids', () => [ID], { description: `At most ${NODES_MAX} global ids. Each one adds to the cost.` })
    ids: string[],
    @Ctx() context: Context,
    @Info() { schema }: GraphQLResolveInfo,
  ): Promise<(object | null)[]> {
    if (ids.length > NODES_MAX) {
      throw invalidInput([{ path: ['ids'], code: 'too_big', detail: `must have at most ${NODES_MAX} ids` }]);
    }
    const read = ids.map((id, index) => idOf(['ids', index], id));
    return readNodes(context, schema, read);
  }
}

/** The id, or the error of a text that is not an id. */
const idOf = (path: InputIssue['path'], text: string): NodeId | ApiError =>
  parseGlobalId(text) ?? invalidInput([{ path, code: 'invalid_id', detail: 'is not a global id, such as wh_12' }]);

/** Reads with one query for each type. GraphQL reports an error among the results at its path. */
async function readNodes(
  context: Context,
  schema: GraphQLSchema,
  ids: readonly (NodeId | ApiError)[],
): Promise<(object | null)[]> {
  const good = ids.filter((id): id is NodeId => !(id instanceof Error));
  const groups = [...Map.groupBy(good, ({ type }) => type)].map(async ([type, group]) => {
    const [query, read] = readers[type];
    try {
      requirementOf(schema.getQueryType()!.getFields()[query]!)!(context);
      return [type, await read(context, [...new Set(group.map(({ key }) => key))])] as const;
    } catch (error) {
      return [type, error as Error] as const;
    }
  });
  const found = new Map<NodeType, ReadonlyMap<string, object> | Error>(await Promise.all(groups));
  return ids.map((id) => {
    const ofType = id instanceof Error ? id : found.get(id.type)!;
    return ofType instanceof Error ? ofType : (ofType.get((id as NodeId).key) ?? null);
  });
}

function byNumber(read: (context: Context, ids: number[]) => Promise<readonly { id: number }[]>): Read {
  return async (context, keys) => new Map((await read(context, keys.map(Number))).map((row) => [String(row.id), row]));
}

function rowsOfTenant(type: ClassType<{ id: number }>): Read {
  return byNumber(({ em }, ids) => em.find(type, { id: { $in: ids } }, FRESH));
}

/** Without a tenant, rows of the installation itself. */
function rowsOfOwner(type: ClassType<{ id: number; tenantId: number | null }>): Read {
  return byNumber(({ em, tenantId }, ids) => em.find(type, { id: { $in: ids }, tenantId }, UNFILTERED));
}

async function readAttempts({ em }: Context, keys: readonly string[]) {
  const rows = await em.find(Attempt, { $or: keys.map((key) => parseAttemptKey(key)!) }, FRESH);
  return new Map(rows.map((row) => [attemptKey(row.deliveryId, row.number), row]));
}

async function readEventTypes({ eventTypes }: Context, keys: readonly string[]) {
  const wanted = (await eventTypes.all()).filter(({ name }) => keys.includes(name));
  return new Map(wanted.map((type) => [type.name, Object.assign(new EventType(), type)]));
}

async function readReleases({ releases }: Context, keys: readonly string[]) {
  const wanted = (await releases.all()).filter(({ name }) => keys.includes(name));
  return new Map(wanted.map((release) => [release.name, Object.assign(new Release(), release)]));
}

import 'reflect-metadata';
import { Arg, Args, Ctx, Field, FieldResolver, ID, InputType, Query, Resolver, Root } from 'type-graphql';
import type { Context } from '../../context/context.js';
import { UNFILTERED } from '../../database/tenant-database.js';
import { isEventTypeName } from '../../domain/events/event-type.js';
import { globalId, type NodeType, parseGlobalId } from '../../domain/ids/global-id.js';
import { parseId } from '../../domain/ids/id.js';
import { AuditAction, AuditEntry, AuditTarget } from '../../entities/audit-entry.js';
import { invalidInput } from '../../errors.js';
import { searchError } from '../../operations/explorer/search.js';
import { type Connection, ConnectionArgs, connectionOf, readConnection, sliceQuery } from '../fields/connection.js';
import { idIn, otherType } from '../fields/ids.js';
import { JsonText } from '../fields/json-text.js';
import { RequiresScope } from '../fields/requires.js';
import { JSONObject } from '../fields/scalars.js';
import { requireRange } from '../fields/time-range.js';

@InputType({ description: 'Which entries; all conditions together.' })
class AuditLogFilter {
  @Field(() => AuditAction, { nullable: true, description: 'Only this kind of change.' })
  action?: AuditAction | null;

  @Field(() => AuditTarget, { nullable: true, description: 'Only changes of this kind of thing.' })
  targetType?: AuditTarget | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'Only changes of the one with this id, or with this number, whatever its type, or of the event type of this name.',
  })
  targetId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Only what was done with this API key.' })
  apiKeyId?: string | null;

  @Field(() => Date, { nullable: true, description: 'Only at this moment or later.' })
  since?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Only before this moment.' })
  until?: Date | null;
}

const AuditEntryConnection = connectionOf(AuditEntry, 'AuditEntry', 'changes');

@Resolver(() => AuditEntry)
export class AuditLogResolver {
  @RequiresScope('keys:admin', 'platform:read')
  @Query(() => AuditEntryConnection, {
    nullable: true,
    description:
      'Who changed what, newest first. For a platform key that names no tenant: what concerns the installation itself.',
  })
  auditLog(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('filter', () => AuditLogFilter, { nullable: true, description: 'Which ones; without it all.' })
    filter: AuditLogFilter | null,
    @Ctx() context: Context,
  ): Promise<Connection<AuditEntry>> {
    const { tenantId } = context;
    const conditions = { tenantId, ...conditionsOf(filter) };
    return readConnection('auditLog', page, (slice) => {
      const { where, options } = sliceQuery(slice);
      // The conditions name the tenant themselves, because it may be null here.
      const read = () => context.em.find(AuditEntry, { ...conditions, ...where }, { ...options, ...UNFILTERED });
      return tenantId === null ? read() : search(context, tenantId, read);
    });
  }

  @FieldResolver(() => ID, { description: 'To which one. It may have been deleted since.' })
  targetId(@Root() { targetType, targetId }: AuditEntry): string {
    return globalId(nodeTypes[targetType], targetId);
  }

  @FieldResolver(() => JSONObject, {
    nullable: true,
    description: 'What changed, as it was before; null where there was nothing.',
  })
  before(@Root() { before }: AuditEntry): JsonText | null {
    return before === null ? null : new JsonText(before);
  }

  @FieldResolver(() => JSONObject, {
    nullable: true,
    description: 'What changed, as it was afterwards; null where nothing was left. Secrets are never in it.',
  })
  after(@Root() { after }: AuditEntry): JsonText | null {
    return after === null ? null : new JsonText(after);
  }
}

/** The log is never shortened: what is rare in it may take long to find. */
async function search<Result>({ searches }: Context, tenantId: number, read: () => Promise<Result>) {
  try {
    return await searches.run(tenantId, read);
  } catch (error) {
    throw searchError(error, 'Searching the audit log took too long. Search a shorter time, with since and until.');
  }
}

/** @throws ApiError invalid_input */
function conditionsOf(filter: AuditLogFilter | null) {
  requireRange(filter);
  const since = filter?.since ? { $gte: storable(filter.since) } : {};
  const until = filter?.until ? { $lt: storable(filter.until) } : {};
  const times = { ...since, ...until };
  return {
    ...(filter?.action ? { action: filter.action } : {}),
    ...(filter?.targetType ? { targetType: filter.targetType } : {}),
    ...(typeof filter?.targetId === 'string' ? targetIn(filter.targetId, filter.targetType) : {}),
    ...(typeof filter?.apiKeyId === 'string'
      ? { apiKeyId: idIn('ApiKey', filter.apiKeyId, ['filter', 'apiKeyId']) }
      : {}),
    ...(Object.keys(times).length > 0 ? { createdAt: times } : {}),
  };
}

/** What has changes noted, as a type of the schema. */
const nodeTypes: Record<AuditTarget, NodeType> = {
  WEBHOOK: 'Webhook',
  DELIVERY: 'Delivery',
  BULK_OPERATION: 'BulkOperation',
  API_KEY: 'ApiKey',
  PORTAL_SESSION: 'PortalSession',
  TENANT: 'Tenant',
  EVENT_TYPE: 'EventType',
};

/**
 * A global id says the type too; a number, or the name of an event type, stands for itself. An event type that is named
 * like a global id (`et_a.b`) is found by its own one.
 */
function targetIn(text: string, wanted: AuditTarget | null | undefined) {
  const path = ['filter', 'targetId'];
  const id = parseGlobalId(text);
  if (id === null) {
    if (parseId(text) === null && !isEventTypeName(text)) {
      const detail = 'is neither an id nor the name of an event type';
      throw invalidInput([{ path, code: 'invalid_id', detail }]);
    }
    return { targetId: text };
  }
  const targetType = Object.values(AuditTarget).find((target) => nodeTypes[target] === id.type);
  if (targetType === undefined) {
    throw otherType(path, id.type, 'the audit log has no changes of that');
  }
  if (wanted && wanted !== targetType) {
    throw otherType(path, id.type, `\`targetType\` is ${wanted}`);
  }
  return { targetType, targetId: id.key };
}

const LATEST_MS = Date.UTC(9999, 11, 31);

/** Nothing is from before 1970, and Postgres takes neither the year 0 nor the year 10000 from us. */
const storable = (date: Date) => new Date(Math.min(Math.max(date.getTime(), 0), LATEST_MS));

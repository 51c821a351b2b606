import 'reflect-metadata';
import { Args, Ctx, FieldResolver, ID, InputType, Resolver, Root } from 'type-graphql';
import { isEventTypeName } from '../../../domain/events/event-type.js';
import { globalId, type NodeType, parseGlobalId } from '../../../domain/ids/global-id.js';
import { parseId } from '../../../domain/ids/id.js';
import { AuditAction, AuditEntry, AuditTarget } from '../../../entities/audit-entry.js';
import { Nullable } from '../../../entities/nullable.js';
import { JSONObject } from '../../../entities/scalars.js';
import { invalidInput } from '../../../errors.js';
import { searchError } from '../../../operations/explorer/search.js';
import { UNFILTERED } from '../../../platform/database/tenant-database.js';
import type { Context } from '../../context/context.js';
import { FilterArg } from '../fields/arguments.js';
import {
  type Connection,
  ConnectionArgs,
  connectionOf,
  pagedQuery,
  readConnection,
  type Slice,
} from '../fields/connection.js';
import { idIn, otherType } from '../fields/ids.js';
import { JsonText } from '../fields/json-text.js';
import { NullableQuery, NullableResolver } from '../fields/nullable.js';
import { RequiresScope } from '../fields/requires.js';
import { requireRange, TimeRange } from '../fields/time-range.js';

@InputType({ description: 'Conditions for entries. All of them must be met.' })
class AuditLogFilter extends TimeRange {
  @Nullable(() => AuditAction, 'Only changes of this kind.')
  action?: AuditAction | null;

  @Nullable(() => AuditTarget, 'Only changes of objects of this kind.')
  targetType?: AuditTarget | null;

  @Nullable(
    () => ID,
    'Only changes of the object with this id, or of objects of any type with this number, or of the event type with this name.',
  )
  targetId?: string | null;

  @Nullable(() => ID, 'Only changes that were made with this API key.')
  apiKeyId?: string | null;
}

const AuditEntryConnection = connectionOf(AuditEntry, 'AuditEntry', 'changes');

@Resolver(() => AuditEntry)
export class AuditLogResolver {
  @RequiresScope('keys:admin', 'platform:read')
  @NullableQuery(
    () => AuditEntryConnection,
    'Changes that people made, newest first. For a platform key that names no tenant: changes of the installation itself.',
  )
  auditLog(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @FilterArg(() => AuditLogFilter) filter: AuditLogFilter | null,
    @Ctx() context: Context,
  ): Promise<Connection<AuditEntry>> {
    const { tenantId } = context;
    const conditions = conditionsOf(filter);
    const read =
      tenantId !== null && Object.keys(conditions).length === 0
        ? wholeLog(context, tenantId)
        : pagedQuery(context.em, AuditEntry, { tenantId, ...conditions }, UNFILTERED);
    return readConnection('auditLog', page, (slice) =>
      tenantId === null ? read(slice) : search(context, tenantId, () => read(slice)),
    );
  }

  @FieldResolver(() => ID, { description: 'The id of the changed object, which may have been deleted since.' })
  targetId(@Root() { targetType, targetId }: AuditEntry): string {
    return globalId(nodeTypes[targetType], targetId);
  }

  @NullableResolver(() => JSONObject, 'The changed properties before the change. Null when there were none.')
  before(@Root() { before }: AuditEntry): JsonText | null {
    return before === null ? null : new JsonText(before);
  }

  @NullableResolver(
    () => JSONObject,
    'The changed properties after the change. Null when there are none. Secrets are never included.',
  )
  after(@Root() { after }: AuditEntry): JsonText | null {
    return after === null ? null : new JsonText(after);
  }
}

/**
 * Pages of all entries of a tenant. With an equation Postgres may look for them from the end of the installation's log,
 * however far back they are. A range, and an order that begins with the tenant, leave it the tenant's index.
 */
export const wholeLog =
  ({ em }: Pick<Context, 'em'>, tenantId: number) =>
  (slice: Slice): Promise<AuditEntry[]> => {
    const orderBy = { tenantId: slice.order === 'desc' ? 'asc' : 'desc' } as const;
    const range = { tenantId: { $gte: tenantId, $lte: tenantId } };
    return pagedQuery(em, AuditEntry, range, { ...UNFILTERED, orderBy })(slice);
  };

/** The log is never shortened, so a search for rare entries may take long. */
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

/** The types of changed objects in the schema. */
const nodeTypes: Record<AuditTarget, NodeType> = {
  WEBHOOK: 'Webhook',
  DELIVERY: 'Delivery',
  BULK_OPERATION: 'BulkOperation',
  API_KEY: 'ApiKey',
  PORTAL_SESSION: 'PortalSession',
  NOTICE_RECIPIENT: 'NoticeRecipient',
  EVENT: 'Event',
  SCHEDULED_EVENT: 'ScheduledEvent',
  TENANT: 'Tenant',
  EVENT_TYPE: 'EventType',
  RELEASE: 'Release',
};

/**
 * A target is a global id, a number or the name of an event type. An event type whose name looks like a global id
 * (`et_a.b`) is found by its own global id.
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

/** Keeps times within the years that Postgres accepts. */
const storable = (date: Date) => new Date(Math.min(Math.max(date.getTime(), 0), LATEST_MS));

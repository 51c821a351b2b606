import 'reflect-metadata';
import { Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { BulkOperation } from '../../../entities/bulk-operation.js';
import { JSONObject } from '../../../entities/scalars.js';
import { Webhook } from '../../../entities/webhook.js';
import { found } from '../../../errors.js';
import { FRESH } from '../../../platform/database/tenant-database.js';
import type { Context } from '../../context/context.js';
import { FilterArg, IdArg } from '../fields/arguments.js';
import { type Connection, ConnectionArgs, connectionOf, pagedQuery, readConnection } from '../fields/connection.js';
import { idOf } from '../fields/ids.js';
import { JsonText } from '../fields/json-text.js';
import { NullableQuery, NullableResolver } from '../fields/nullable.js';
import { Requires } from '../fields/requires.js';
import { BulkOperationFilter } from './bulk-operation-types.js';

const BulkOperationConnection = connectionOf(BulkOperation, 'BulkOperation', 'bulk operations');

@Resolver(() => BulkOperation)
export class BulkOperationResolver {
  @Requires('deliveries:read')
  @NullableQuery(() => BulkOperation, 'One bulk operation. Null with NOT_FOUND when it does not exist.')
  async bulkOperation(@IdArg() id: string, @Ctx() context: Context): Promise<BulkOperation> {
    const number = idOf('BulkOperation', id, ['id']);
    return found(await context.em.findOne(BulkOperation, { id: number }, FRESH), 'bulk operation', number);
  }

  @Requires('deliveries:read')
  @Query(() => BulkOperationConnection, { nullable: true, description: "The tenant's bulk operations, newest first." })
  bulkOperations(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @FilterArg(() => BulkOperationFilter) filter: BulkOperationFilter | null,
    @Ctx() context: Context,
  ): Promise<Connection<BulkOperation>> {
    const conditions = filter?.status ? { status: filter.status } : {};
    return readConnection('bulkOperations', page, pagedQuery(context.em, BulkOperation, conditions));
  }

  @FieldResolver(() => JSONObject, {
    description:
      'The conditions of the mutation, with defaults filled in. `until` is never null: later items are not included.',
  })
  filter(@Root() { filter }: BulkOperation): JsonText {
    return new JsonText(filter);
  }

  @Requires('webhooks:read', 'webhooks:write')
  @NullableResolver(
    () => Webhook,
    'The webhook of the operation. Null when it is about all webhooks, or when the webhook was deleted.',
  )
  async webhook(@Root() { webhookId }: BulkOperation, @Ctx() context: Context): Promise<Webhook | null> {
    return webhookId === null ? null : context.loaders.webhookById.load(webhookId);
  }
}

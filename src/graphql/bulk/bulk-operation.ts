import 'reflect-metadata';
import { Arg, Args, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import type { Context } from '../../context/context.js';
import { FRESH } from '../../database/tenant-database.js';
import { BulkOperation } from '../../entities/bulk-operation.js';
import { Webhook } from '../../entities/webhook.js';
import { type Connection, ConnectionArgs, connectionOf, readConnection, sliceQuery } from '../fields/connection.js';
import { found, idOf } from '../fields/ids.js';
import { JsonText } from '../fields/json-text.js';
import { Requires } from '../fields/requires.js';
import { JSONObject } from '../fields/scalars.js';
import { BulkOperationFilter } from './bulk-operation-types.js';

const BulkOperationConnection = connectionOf(BulkOperation, 'BulkOperation', 'bulk operations');

@Resolver(() => BulkOperation)
export class BulkOperationResolver {
  @Requires('deliveries:read')
  @Query(() => BulkOperation, {
    nullable: true,
    description: 'One bulk operation; null with NOT_FOUND when there is none.',
  })
  bulkOperation(
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
    @Ctx() context: Context,
  ): Promise<BulkOperation> {
    return readBulkOperation(context, idOf('BulkOperation', id, ['id']));
  }

  @Requires('deliveries:read')
  @Query(() => BulkOperationConnection, { nullable: true, description: "The tenant's bulk operations, newest first." })
  bulkOperations(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('filter', () => BulkOperationFilter, { nullable: true, description: 'Which ones; without it all.' })
    filter: BulkOperationFilter | null,
    @Ctx() context: Context,
  ): Promise<Connection<BulkOperation>> {
    const conditions = filter?.status ? { status: filter.status } : {};
    return readConnection('bulkOperations', page, (slice) => {
      const { where, options } = sliceQuery(slice);
      return context.em.find(BulkOperation, { ...conditions, ...where }, options);
    });
  }

  @FieldResolver(() => JSONObject, {
    description:
      'What it goes through: the conditions of its mutation, with defaults for what that left open. `until` is never null: what is made later is not in it.',
  })
  filter(@Root() { filter }: BulkOperation): JsonText {
    return new JsonText(filter);
  }

  @Requires('webhooks:read', 'webhooks:write')
  @FieldResolver(() => Webhook, {
    nullable: true,
    description: 'The webhook that it is about; null for deliveries of all, and once it is deleted.',
  })
  async webhook(@Root() { webhookId }: BulkOperation, @Ctx() context: Context): Promise<Webhook | null> {
    return webhookId === null ? null : context.loaders.webhookById.load(webhookId);
  }
}

/** @throws ApiError not_found */
async function readBulkOperation(context: Context, id: number): Promise<BulkOperation> {
  return found(await context.em.findOne(BulkOperation, { id }, FRESH), 'BulkOperation', id);
}

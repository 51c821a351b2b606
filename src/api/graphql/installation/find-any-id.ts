import 'reflect-metadata';
import { Arg, Ctx, Field, ID, ObjectType, Resolver, Root } from 'type-graphql';
import { markedExternalId } from '../../../domain/ids/external-id.js';
import {
  attemptKey,
  globalId,
  type NodeType,
  parseAttemptKey,
  parseGlobalId,
  readId,
} from '../../../domain/ids/global-id.js';
import { parseId } from '../../../domain/ids/id.js';
import { snakeCase } from '../../../domain/text/snake-case.js';
import { graphqlEnum } from '../../../entities/graphql-enum.js';
import { Tenant } from '../../../entities/tenant.js';
import { invalidInput } from '../../../errors.js';
import { whereIs, whereIsExternal } from '../../../operations/installation/where-is.js';
import { type Context, callerOf } from '../../context/context.js';
import { leastTenantSeen } from '../../context/installation.js';
import { NullableQuery, NullableResolver } from '../fields/nullable.js';
import { RequiresScope } from '../fields/requires.js';

const ObjectKind = graphqlEnum('ObjectKind', 'A kind of object that has an id.', {
  API_KEY: 'An API key.',
  ATTEMPT: 'An attempt of a delivery.',
  AUDIT_ENTRY: 'An entry of an audit log.',
  BULK_OPERATION: 'A bulk operation.',
  DELIVERY: 'A delivery.',
  EVENT: 'An event.',
  EVENT_TYPE: 'An event type.',
  PORTAL_SESSION: 'A session of the portal.',
  TENANT: 'A tenant.',
  WEBHOOK: 'A webhook.',
});
type ObjectKind = keyof typeof ObjectKind;

@ObjectType({ description: 'The tenant of an object, without its contents.' })
class FoundObject {
  @Field(() => ID, {
    description: 'The global id. Not `id`: two tenants may have an event with the same number.',
  })
  objectId!: string;

  @Field(() => ObjectKind, { description: 'The kind of object.' })
  kind!: ObjectKind;

  @Field(() => Date, { description: 'When the object was created; for an attempt, when it began.' })
  createdAt!: Date;

  tenantId!: number | null;
}

const NO_ID = 'is neither a number nor a global id, nor ext: and an external id';

const kindOf = (type: NodeType) => snakeCase(type).slice(1).toUpperCase() as ObjectKind;

@Resolver(() => FoundObject)
export class FindAnyIdResolver {
  @RequiresScope('platform:read')
  @NullableQuery(
    () => [FoundObject],
    'The objects of all tenants with this number, global id or external id; empty when there are none. A number may belong to several: a webhook, an operation, a key. ' +
      "Acting for a tenant is not needed, and no entry is written to the tenant's audit log. For platform keys only.",
  )
  async whereIs(
    @Arg('id', () => ID, {
      description:
        'A number, such as the value of the header `X-Service-Delivery`; a global id; or `ext:` and the external id of a tenant or of webhooks, of which the newest 100 are found.',
    })
    id: string,
    @Ctx() context: Context,
  ): Promise<FoundObject[]> {
    const externalId = markedExternalId(id);
    if (externalId !== null) {
      const found = await whereIsExternal(context.db, externalId);
      return found
        .filter(isSeenBy(context))
        .map((one) => ({ ...one, objectId: globalId(one.type, one.number), kind: kindOf(one.type) }));
    }
    const wanted = parseGlobalId(id);
    if (wanted?.type === 'EventType') {
      return eventType(context, wanted.key);
    }
    const attempt = wanted?.type === 'Attempt' ? parseAttemptKey(wanted.key) : null;
    const number = attempt?.deliveryId ?? parseId(wanted?.key ?? id);
    if (number === null) {
      throw invalidInput([{ path: ['id'], code: 'invalid_id', detail: NO_ID }]);
    }
    const found = await whereIs(context.db, number, attempt?.number ?? null);
    return found
      .filter(isSeenBy(context))
      .filter(({ type }) => wanted === null || type === wanted.type)
      .map(({ type, tenantId, createdAt }) => ({
        objectId: globalId(type, attempt === null ? number : attemptKey(number, attempt.number)),
        kind: kindOf(type),
        tenantId,
        createdAt,
      }));
  }

  @NullableResolver(
    () => Tenant,
    'The tenant that has the object; of a tenant, itself. Null for an object of the installation.',
  )
  tenant(@Root() { tenantId }: FoundObject, @Ctx() context: Context): Promise<Tenant | null> | null {
    return tenantId === null ? null : context.loaders.tenantById.load(tenantId);
  }

  @NullableResolver(() => String, 'The URL of a webhook. Null for other objects.')
  async url(@Root() found: FoundObject, @Ctx() context: Context): Promise<string | null> {
    return (await namesOf(found, context))?.url ?? null;
  }

  @NullableResolver(() => String, 'The name of a webhook. Null for other objects.')
  async name(@Root() found: FoundObject, @Ctx() context: Context): Promise<string | null> {
    return (await namesOf(found, context))?.name ?? null;
  }

  @NullableResolver(() => String, 'The external id of a webhook. Null for other objects.')
  async externalId(@Root() found: FoundObject, @Ctx() context: Context): Promise<string | null> {
    return (await namesOf(found, context))?.externalId ?? null;
  }
}

function isSeenBy(context: Context): (found: Pick<FoundObject, 'tenantId'>) => boolean {
  const least = leastTenantSeen(callerOf(context).scopes);
  return ({ tenantId }) => tenantId === null || tenantId >= least;
}

/** The URL, name and external id of a webhook; null for all else. */
const namesOf = async (found: FoundObject, { loaders }: Context) => {
  const id = found.kind === 'WEBHOOK' ? readId('Webhook', found.objectId) : null;
  return typeof id === 'number' && found.tenantId !== null
    ? await loaders.namesByWebhookOfAll.load({ tenantId: found.tenantId, webhookId: id })
    : null;
};

async function eventType({ eventTypes }: Context, name: string): Promise<FoundObject[]> {
  const found = (await eventTypes.all()).filter((type) => type.name === name);
  return found.map(({ createdAt }) => ({
    objectId: globalId('EventType', name),
    kind: kindOf('EventType'),
    tenantId: null,
    createdAt,
  }));
}

import 'reflect-metadata';
import { Ctx, Field, ObjectType, Query, Resolver } from 'type-graphql';
import { type Context, callerOf } from '../../context/context.js';
import { tenantEntityManager, UNFILTERED } from '../../database/tenant-database.js';
import { ApiKey } from '../../entities/api-key.js';
import { Tenant } from '../../entities/tenant.js';
import { ApiError } from '../../errors.js';
import { RequiresKey } from '../fields/requires.js';
import { PortalSession, portalSessionOf } from '../keys/portal-session-types.js';

@ObjectType({ description: 'Who asks.' })
class Viewer {
  @Field(() => Tenant, {
    nullable: true,
    description: 'The tenant acted for; null for a platform key that names none.',
  })
  tenant!: Tenant | null;

  @Field(() => ApiKey, { description: 'The key of this request.' })
  apiKey!: ApiKey;

  @Field(() => [String], { description: 'What the key may do.' })
  scopes!: string[];

  @Field(() => PortalSession, {
    nullable: true,
    description: 'The portal session of this request; null for any other key.',
  })
  portalSession!: PortalSession | null;
}

@Resolver()
export class ViewerResolver {
  @RequiresKey()
  @Query(() => Viewer, { description: 'Who asks, for which tenant, with what rights.' })
  async viewer(@Ctx() context: Context): Promise<Viewer> {
    const { tenantId } = context;
    const { keyId, scopes, tenantId: owner } = callerOf(context);
    // The caller's own key, also when it is a platform key that acts for a tenant.
    const [apiKey, tenant] = await Promise.all([
      tenantEntityManager(context.db.orm.em, owner).findOne(ApiKey, { id: keyId }, UNFILTERED),
      tenantId === null ? null : context.em.findOne(Tenant, { id: tenantId }),
    ]);
    if (apiKey === null) {
      throw new ApiError('unauthenticated', 'This API key does not exist any more.');
    }
    const portalSession = apiKey.portalId === null ? null : portalSessionOf(apiKey, context.clock());
    return { tenant, apiKey, scopes: [...scopes], portalSession };
  }
}

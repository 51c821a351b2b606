import 'reflect-metadata';
import { Ctx, Field, ObjectType, Query, Resolver } from 'type-graphql';
import { OPTION_PARTS } from '../../../domain/fields/field.js';
import { INSTALLATION_TENANT } from '../../../domain/installation/installation-tenant.js';
import { ApiKey } from '../../../entities/api-key.js';
import { Nullable } from '../../../entities/nullable.js';
import { Tenant } from '../../../entities/tenant.js';
import { ApiError } from '../../../errors.js';
import { unmadeInstallationTenant } from '../../../operations/webhooks/installation-tenant.js';
import { tenantEntityManager, UNFILTERED } from '../../../platform/database/tenant-database.js';
import { missingForMail } from '../../../platform/settings/mail-settings.js';
import { type Context, callerOf } from '../../context/context.js';
import { RequiresKey } from '../fields/requires.js';
import { Retention, retentionOf } from '../installation/installation-types.js';
import { PortalSession, portalSessionOf } from '../keys/portal-session-types.js';

@ObjectType({ description: 'The API key of the request, its tenant and its rights.' })
class Viewer {
  @Nullable(
    () => Tenant,
    'The tenant of the request. Null for a platform key that names no tenant. Of the header `Hookwright-Tenant: installation` it is the one that no list shows.',
  )
  tenant!: Tenant | null;

  @Field(() => ApiKey, { description: 'The key of this request.' })
  apiKey!: ApiKey;

  @Field(() => [String], { description: 'Scopes of the key.' })
  scopes!: string[];

  @Nullable(() => PortalSession, 'The portal session of this request. Null for an ordinary key.')
  portalSession!: PortalSession | null;

  @Field(() => [String], {
    description: `The parts of options of webhooks that the operator lets this key write: ${OPTION_PARTS.map((part) => `\`${part}\``).join(', ')}.`,
  })
  endpointOptions!: string[];

  @Field(() => Retention, { description: 'Retention times of this installation.' })
  retention!: Retention;

  @Field(() => [String], {
    description:
      'The addresses and address ranges that deliveries come from, for firewalls. Empty where the installation names none.',
  })
  egressAddresses!: readonly string[];

  @Field(() => Boolean, {
    description: 'Whether new endpoints must prove that they want deliveries (`Webhook.verification`).',
  })
  endpointChallenge!: boolean;

  @Field(() => Boolean, { description: 'Whether this installation sends notices by e-mail.' })
  mailConfigured!: boolean;

  @Field(() => [String], {
    description:
      'The settings that the operator must set before notices are sent, such as `SMTP_URL`. Empty for a key of a tenant.',
  })
  mailSettingsMissing!: string[];
}

@Resolver()
export class ViewerResolver {
  @RequiresKey()
  @Query(() => Viewer, { description: 'The API key of this request, its tenant and its rights.' })
  async viewer(@Ctx() context: Context): Promise<Viewer> {
    const { tenantId } = context;
    const { keyId, scopes, tenantId: owner } = callerOf(context);
    // A platform key that acts for a tenant is read as a key of the platform.
    const [apiKey, tenant] = await Promise.all([
      tenantEntityManager(context.db.orm.em, owner).findOne(ApiKey, { id: keyId }, UNFILTERED),
      tenantId === null ? null : context.em.findOne(Tenant, { id: tenantId }),
    ]);
    if (apiKey === null) {
      throw new ApiError('unauthenticated', 'This API key no longer exists.');
    }
    const portalSession = apiKey.portalId === null ? null : portalSessionOf(apiKey, context.clock());
    const { config } = context;
    const isUnmade = tenant === null && tenantId === INSTALLATION_TENANT;
    return {
      tenant: isUnmade ? unmadeInstallationTenant(context.clock()) : tenant,
      apiKey,
      scopes: [...scopes],
      portalSession,
      endpointOptions: [...(owner === null ? OPTION_PARTS : config.endpointOptions)],
      retention: retentionOf(config),
      egressAddresses: config.delivery.egressAddresses,
      endpointChallenge: config.endpointChallenge === 'required',
      mailConfigured: config.mail !== null,
      mailSettingsMissing: owner === null ? missingForMail(config) : [],
    };
  }
}

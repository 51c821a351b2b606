import 'reflect-metadata';
import { Ctx, Field, FieldResolver, InputType, Int, Mutation, ObjectType, Resolver, Root } from 'type-graphql';
import { publicKeyText } from '../../../domain/signing/key-pair.js';
import { Nullable } from '../../../entities/nullable.js';
import { Tenant } from '../../../entities/tenant.js';
import { ApiError } from '../../../errors.js';
import type { NewSigningKey } from '../../../operations/secrets/secret-vault.js';
import { BY_KEY, rotateSigningKey } from '../../../operations/signing-keys/change-signing-keys.js';
import { JWKS_PATH } from '../../../operations/signing-keys/read-signing-keys.js';
import { actorOf, type Context, tenantOf } from '../../context/context.js';
import { InputArg } from '../fields/arguments.js';
import { baseUrlOf } from '../fields/base-url.js';
import { parseInput, ROTATION_HOURS_DEFAULT, rotationHours } from '../fields/input.js';
import { Requires, RequiresScope } from '../fields/requires.js';

@ObjectType({
  description: 'The public half of a key pair that signs deliveries of a tenant: `v1a` in `webhook-signature`.',
})
class SigningKey {
  @Field(() => String, { description: 'Names the key: the thumbprint of RFC 7638.' })
  kid!: string;

  @Field(() => String, {
    description: 'The public key as Standard Webhooks writes it: `whpk_` and the base64 of its 32 bytes.',
  })
  publicKey!: string;

  @Field(() => String, {
    description:
      'Where receivers read all public keys of the tenant as JWKS, without an API key. It stays the same through rotations.',
  })
  jwksUrl!: string;

  @Field(() => Date, { description: 'When the key begins to sign. It is published before.' })
  usedFrom!: Date;

  @Nullable(() => Date, 'When the key is no longer published. Null: no other key has taken its place.')
  endsAt!: Date | null;
}

@InputType({ description: 'When the new key pair signs.' })
class RotateSigningKeyInput {
  @Nullable(
    () => Int,
    'Hours until the new key signs, 24 to 168; the one before stays published for 7 days more. 0, as after a leak: the new key signs in ten minutes, and the one before ends then.',
    { defaultValue: ROTATION_HOURS_DEFAULT },
  )
  inHours?: number | null;
}

@ObjectType({ description: 'The tenant that has another key pair.' })
class RotateSigningKeyPayload {
  @Field(() => Tenant, { description: 'The tenant, whose `signingKeys` begin with the new one.' })
  tenant!: Tenant;
}

@Resolver(() => Tenant)
export class SigningKeyResolver {
  @RequiresScope('webhooks:read')
  @FieldResolver(() => [SigningKey], {
    description:
      'The published key pairs of the tenant, the newest first. It has one since a webhook, or its defaults, were first set to `SECRET_AND_KEY`.',
  })
  async signingKeys(@Root() { id }: Tenant, @Ctx() context: Context): Promise<SigningKey[]> {
    const rows = (await context.loaders.signingKeysByTenant.load(id)) ?? [];
    return rows.map(({ kid, jwksId, publicKey, usedFrom, endsAt }) => ({
      kid,
      publicKey: publicKeyText(publicKey),
      jwksUrl: `${baseUrlOf(context, 'The url of public keys')}${JWKS_PATH}${jwksId}.json`,
      usedFrom,
      endsAt,
    }));
  }

  @Requires('webhooks:secrets')
  @Mutation(() => RotateSigningKeyPayload, {
    description:
      'Gives the tenant another key pair, for all webhooks that are signed by one. Receivers that read the JWKS need to do nothing.',
  })
  async rotateSigningKey(
    @InputArg(() => RotateSigningKeyInput) { inHours }: RotateSigningKeyInput,
    @Ctx() context: Context,
  ): Promise<RotateSigningKeyPayload> {
    const hours = parseInput(rotationHours, inHours ?? ROTATION_HOURS_DEFAULT, ['input', 'inHours']);
    requireSigning(context, { signing: BY_KEY });
    const rotation = { inHours: hours, by: actorOf(context) };
    return rotateSigningKey(context.db, context.vault, tenantOf(context), rotation);
  }
}

/**
 * The key pair that a tenant needs as soon as something of it is signed by one; null: these settings ask for none.
 *
 * @throws ApiError signing_not_available
 */
export async function signingKeyFor(
  context: Context,
  tenantId: number,
  { signing }: { signing?: unknown },
): Promise<NewSigningKey | null> {
  requireSigning(context, { signing });
  return signing === BY_KEY ? context.vault.newSigningKey(tenantId) : null;
}

/** @throws ApiError signing_not_available */
export function requireSigning({ config }: Context, { signing }: { signing?: unknown }): void {
  if (signing === BY_KEY && !config.delivery.standardWebhooks) {
    const detail =
      'A signature by a key pair is in the header webhook-signature, and this service runs with STANDARD_WEBHOOKS=false.';
    throw new ApiError('signing_not_available', detail);
  }
}

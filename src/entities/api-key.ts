import { OptionalProps, raw } from '@mikro-orm/core';
import { Entity, Filter, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ObjectType } from 'type-graphql';
import { creationTimeColumn, idColumn, nullableTimeColumn, reference, tenantFilter } from './columns.js';
import { Node, NumberedNode } from './node.js';
import { Tenant } from './tenant.js';

@Entity({ schema: 'hookwright', tableName: 'api_keys' })
@Filter(tenantFilter())
@NumberedNode('ApiKey', 'Its number, which also stands in the key itself.')
@ObjectType({
  implements: Node,
  description: 'A credential of the API. The key itself is shown once, when it is made; only its hash is stored.',
})
export class ApiKey {
  [OptionalProps]?: 'createdAt';

  @PrimaryKey(idColumn())
  id!: number;

  /** Null for a platform key. */
  @ManyToOne(() => Tenant, { ...reference('tenant_id'), nullable: true })
  tenantId!: number | null;

  @Property({ type: 'text' })
  @Field(() => String, { description: 'What the key is for, in the words of whoever made it.' })
  name!: string;

  @Property({ type: 'blob', hidden: true, lazy: true })
  hash!: Buffer;

  @Property({ type: 'string[]', columnType: 'text[]' })
  @Field(() => [String], { description: 'What the key may do, such as `webhooks:read` or `events:emit`.' })
  scopes!: string[];

  @Property(creationTimeColumn())
  @Field(() => Date, { description: 'When it was made.' })
  createdAt!: Date;

  @Property(nullableTimeColumn())
  @Field(() => Date, { nullable: true, description: 'When it expires; null when it does not.' })
  expiresAt!: Date | null;

  @Property(nullableTimeColumn())
  @Field(() => Date, { nullable: true, description: 'When it was revoked; null when it was not.' })
  revokedAt!: Date | null;

  @Property(nullableTimeColumn())
  @Field(() => Date, { nullable: true, description: 'When it was last used, to the minute; null when it never was.' })
  lastUsedAt!: Date | null;

  /** The public id in the url of a portal session; null: an ordinary key. */
  @Property({ type: 'text', nullable: true })
  portalId!: string | null;

  /** SHA-256 of the code that is exchanged for the key of a portal session, which does not exist before. */
  @Property({ type: 'blob', hidden: true, lazy: true, nullable: true })
  portalCodeHash!: Buffer | null;

  @Property(nullableTimeColumn())
  portalCodeExpiresAt!: Date | null;

  @Property(nullableTimeColumn())
  portalExchangedAt!: Date | null;

  /** JSON of StoredPortalSettings (src/domain/keys/portal-session.ts); null: an ordinary key. */
  @Property({ type: 'text', nullable: true })
  portalSettings!: string | null;
}

/** Conditions: it is neither revoked nor expired, by the clock of Postgres and as the index of active keys has it. */
export const activeKeys = () => ({
  revokedAt: null,
  [raw((table) => `coalesce(${table}.expires_at, 'infinity')`)]: { $gt: raw('now()') },
});

/** Conditions, of which one holds: it was revoked, or has expired. */
export const endedKeys = () => [{ revokedAt: { $ne: null } }, { expiresAt: { $lte: raw('now()') } }];

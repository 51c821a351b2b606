import { OptionalProps, raw } from '@mikro-orm/core';
import { Entity, Filter, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { ObjectType } from 'type-graphql';
import { idColumn, nullableTimeColumn, reference, shown, tenantFilter } from './columns.js';
import { Node, NumberedNode } from './node.js';
import { Tenant } from './tenant.js';

@Entity({ schema: 'hookwright', tableName: 'api_keys' })
@Filter(tenantFilter())
@NumberedNode('ApiKey', 'The number of the key, which is also part of the key itself.')
@ObjectType({
  implements: Node,
  description: 'A credential of the API. The key itself is shown once, when it is created; only its hash is stored.',
})
export class ApiKey {
  [OptionalProps]?: 'createdAt' | 'consoleSession';

  @PrimaryKey(idColumn())
  id!: number;

  /** Null for a platform key. */
  @ManyToOne(() => Tenant, { ...reference('tenant_id'), nullable: true })
  tenantId!: number | null;

  @shown.text('The purpose of the key, as its creator named it.')
  name!: string;

  @Property({ type: 'blob', hidden: true, lazy: true })
  hash!: Buffer;

  @shown.texts('Scopes of the key, such as `webhooks:read` or `events:emit`.')
  scopes!: string[];

  @shown.creationTime('When the key was created.')
  createdAt!: Date;

  @shown.nullableTime('When the key expires. Null when it does not.')
  expiresAt!: Date | null;

  @shown.nullableTime('When the key was revoked. Null when it was not.')
  revokedAt!: Date | null;

  @shown.nullableTime('When the key was last used, to the minute. Null when it was never used.')
  lastUsedAt!: Date | null;

  @shown.boolean('Whether the key is the session of a person who is signed in to the console.', { default: false })
  consoleSession!: boolean;

  /** The session in which the key was made, and with which it is revoked. Null: in none. */
  @ManyToOne(() => ApiKey, { ...reference('made_in'), nullable: true })
  madeIn!: number | null;

  /** The public id in the url of a portal session. Null for an ordinary key. */
  @Property({ type: 'text', nullable: true })
  portalId!: string | null;

  /** SHA-256 of the code that is exchanged for the key of a portal session. */
  @Property({ type: 'blob', hidden: true, lazy: true, nullable: true })
  portalCodeHash!: Buffer | null;

  @Property(nullableTimeColumn())
  portalCodeExpiresAt!: Date | null;

  @Property(nullableTimeColumn())
  portalExchangedAt!: Date | null;

  /** StoredPortalSettings as JSON (src/domain/keys/portal-session.ts). Null for an ordinary key. */
  @Property({ type: 'text', nullable: true })
  portalSettings!: string | null;
}

/** Conditions for keys that are neither revoked nor expired, in the form of the index of active keys. */
export const activeKeys = () => ({
  revokedAt: null,
  [raw((table) => `coalesce(${table}.expires_at, 'infinity')`)]: { $gt: raw('now()') },
});

/** The end of a portal session: of its code, until that is exchanged. In the form of the index of open sessions. */
const endOfSession = (table: string) =>
  `case when ${table}.portal_exchanged_at is null then ${table}.portal_code_expires_at else ${table}.expires_at end`;

/** Conditions for portal sessions that were opened, or still can be, and are neither revoked nor expired. */
export const activeSessions = () => ({
  portalId: { $ne: null },
  revokedAt: null,
  [raw(endOfSession)]: { $gt: raw('now()') },
});

/** Conditions for all other portal sessions. */
export const endedSessions = () => ({
  portalId: { $ne: null },
  $or: [{ revokedAt: { $ne: null } }, { [raw(endOfSession)]: { $lte: raw('now()') } }],
});

/** Alternative conditions for keys that were revoked or have expired. */
export const endedKeys = () => [{ revokedAt: { $ne: null } }, { expiresAt: { $lte: raw('now()') } }];

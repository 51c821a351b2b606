import { OptionalProps } from '@mikro-orm/core';
import { Entity, Filter, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { ObjectType } from 'type-graphql';
import type { NewValuesOf, OptionsRowOf, RowOf } from '../domain/fields/field.js';
import { webhookFields } from '../domain/fields/webhook-fields.js';
import { idColumn, nullableTimeColumn, reference, shown, tenantFilter } from './columns.js';
import { graphqlEnum } from './graphql-enum.js';
import { Node, NumberedNode } from './node.js';
import { Nullable } from './nullable.js';
import { Stored } from './stored.js';
import { Tenant } from './tenant.js';

export const DisabledReason = graphqlEnum('WebhookDisabledReason', 'Why a webhook is inactive.', {
  PAUSED: 'Somebody set `active: false`.',
  FAILURES: 'Ten attempts failed in a row.',
  GONE: 'The endpoint answered 410 Gone.',
  UNVERIFIED: 'Its endpoint has not proved yet that it wants deliveries (`verification`).',
});
export type DisabledReason = keyof typeof DisabledReason;

const overlapUntil = (alias: unknown) =>
  `case when ${alias}.previous_secret_expires_at > now() then ${alias}.previous_secret_expires_at end`;

/** Settings in the webhook's own row. */
export type OwnSettings = RowOf<typeof webhookFields>;
/** Settings in the options row. */
export type OptionSettings = OptionsRowOf<typeof webhookFields>;
export type StoredSettings = OwnSettings & OptionSettings;
export type NewWebhookSettings = NewValuesOf<typeof webhookFields>;

/** @Stored makes these properties. */
export interface Webhook extends OwnSettings {}

@Entity({ schema: 'hookwright', tableName: 'webhooks' })
@Filter(tenantFilter())
@Filter({ name: 'alive', cond: { deletedAt: null }, default: true })
@NumberedNode(
  'Webhook',
  'The number of the webhook: its id in the REST interface and in the payloads of operational events.',
)
@ObjectType({
  implements: Node,
  description: "An endpoint of a tenant's customer and its subscription to events.",
})
@Stored(webhookFields)
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the interface has what @Stored makes.
export class Webhook {
  [OptionalProps]?:
    | 'version'
    | 'optionsVersion'
    | 'active'
    | 'generation'
    | 'consecutiveFailures'
    | 'keepHeld'
    | 'moving'
    | 'createdAt';

  @PrimaryKey(idColumn())
  id!: number;

  @ManyToOne(() => Tenant, reference('tenant_id'))
  tenantId!: number;

  /** Raised by each change through the unit of work, and by SQL that changes what people set. */
  @shown.integer(
    'Goes up with each change that somebody makes, and when the service disables the webhook. Results of deliveries do not change it. Pass it as `ifVersion`.',
    { version: true },
  )
  version!: number;

  /** Sealed with the tenant's data key and bound to tenant and webhook: see operations/secrets/secret-vault.ts. */
  @Property({ type: 'blob', hidden: true, lazy: true })
  sealedSecret!: Buffer;

  @Property({ type: 'blob', hidden: true, lazy: true, nullable: true })
  previousSealedSecret!: Buffer | null;

  @Property({ ...nullableTimeColumn(), fieldName: 'previous_secret_expires_at' })
  overlapEndsAt!: Date | null;

  /** Compared with the clock of Postgres, which set it: the clock of this process may differ. */
  @Property({ ...nullableTimeColumn(), fieldName: 'overlap_until', formula: overlapUntil })
  @Nullable(() => Date, 'End of the time in which the previous secret signs too. Null when no previous secret signs.')
  previousSecretExpiresAt!: Date | null;

  /** Another number with each change of the options row. Null: there is none. */
  @Property({ type: 'integer', nullable: true })
  optionsVersion!: number | null;

  /** The options row, if it was read. */
  options?: OptionSettings | null;

  /** The tenant's row, if it was read: some options are inherited from it. */
  tenant?: Tenant;

  @shown.boolean('True while deliveries are sent.', { default: true })
  active!: boolean;

  /** Goes up whenever `active` changes, to distinguish attempts from before the change. */
  @Property({ type: 'integer', default: 0 })
  generation!: number;

  @shown.integer(
    'Consecutive failed attempts, across deliveries. A success sets it to 0; at 10 the webhook is disabled.',
    { default: 0 },
  )
  consecutiveFailures!: number;

  @shown.nullableTime('Time of the last successful attempt. Null before the first.')
  lastSuccessAt!: Date | null;

  @shown.nullableTime('Time of the last failed attempt. Null before the first.')
  lastFailureAt!: Date | null;

  @shown.nullableTime('When the webhook became inactive. Null while it is active.')
  disabledAt!: Date | null;

  @shown.enum(() => DisabledReason, 'Why the webhook is inactive. Null while it is active.', { nullable: true })
  disabledReason!: DisabledReason | null;

  @shown.nullableTime('Events are collected as held deliveries until this time. Null while the webhook is active.')
  holdUntil!: Date | null;

  /** Enabled with `held: KEEP`: held deliveries stay held until `releaseHeld`. */
  @Property({ type: 'boolean', default: false })
  keepHeld!: boolean;

  /** Deliveries up to these ids that were open when the webhook was enabled count as held (docs/decisions/0021). */
  @Property({ ...idColumn(), nullable: true, hidden: true })
  keepHeldUpTo!: number | null;

  @Property({ ...idColumn(), nullable: true, hidden: true })
  discardHeldUpTo!: number | null;

  @shown.nullableTime(
    'Nothing is sent before this time, because the endpoint asked for a pause (429, or 503 with Retry-After). Null, or a time in the past, when there is no pause.',
  )
  closedUntil!: Date | null;

  /** When the failure streak began that `consecutiveFailures` counts. */
  @Property(nullableTimeColumn())
  failingSince!: Date | null;

  /** Nothing is sent before this time, because the last attempts have failed. */
  @Property(nullableTimeColumn())
  nextProbeAt!: Date | null;

  @shown.creationTime('When the webhook was created.')
  createdAt!: Date;

  @Property(nullableTimeColumn())
  deletedAt!: Date | null;

  /** The tenant's `moving` is set: nothing is sent. */
  @Property({ type: 'boolean', default: false, hidden: true })
  moving!: boolean;
}

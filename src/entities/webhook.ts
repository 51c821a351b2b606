import { OptionalProps } from '@mikro-orm/core';
import { Entity, Enum, Filter, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import { creationTimeColumn, idColumn, nullableTimeColumn, reference, tenantFilter } from './columns.js';
import { Node, NumberedNode } from './node.js';
import { Tenant } from './tenant.js';

export enum DisabledReason {
  PAUSED = 'PAUSED',
  FAILURES = 'FAILURES',
  GONE = 'GONE',
}
registerEnumType(DisabledReason, {
  name: 'WebhookDisabledReason',
  description: 'Why a webhook is inactive.',
  valuesConfig: {
    PAUSED: { description: 'Somebody set `active: false`.' },
    FAILURES: { description: 'Ten attempts failed in a row.' },
    GONE: { description: 'The endpoint answered 410 Gone.' },
  },
});

const overlapUntil = (alias: unknown) =>
  `case when ${alias}.previous_secret_expires_at > now() then ${alias}.previous_secret_expires_at end`;

@Entity({ schema: 'hookwright', tableName: 'webhooks' })
@Filter(tenantFilter())
@Filter({ name: 'alive', cond: { deletedAt: null }, default: true })
@NumberedNode('Webhook', 'Its number: the id in the REST interface, and in payloads of operational events.')
@ObjectType({
  implements: Node,
  description: "An endpoint of a tenant's customer, and the events that are sent to it.",
})
export class Webhook {
  [OptionalProps]?: 'version' | 'active' | 'generation' | 'consecutiveFailures' | 'keepHeld' | 'createdAt';

  @PrimaryKey(idColumn())
  id!: number;

  @ManyToOne(() => Tenant, reference('tenant_id'))
  tenantId!: number;

  /** Raised by each change through the unit of work, and by SQL where that changes what people see of their own. */
  @Property({ type: 'integer', version: true })
  @Field(() => Int, {
    description:
      'Raised by each change that somebody makes, and when the service disables the webhook; not by the results of deliveries. For `ifVersion`.',
  })
  version!: number;

  @Property({ type: 'text' })
  @Field(() => String, { description: 'The address that receives the deliveries.' })
  url!: string;

  @Property({ type: 'string[]', columnType: 'text[]' })
  @Field(() => [String], {
    description: 'Names of the subscribed event types, or `["*"]` for all, later ones included.',
  })
  eventTypes!: string[];

  /** Sealed with the tenant's data key and bound to tenant and webhook: see operations/secrets/secret-vault.ts. */
  @Property({ type: 'blob', hidden: true, lazy: true })
  sealedSecret!: Buffer;

  @Property({ type: 'blob', hidden: true, lazy: true, nullable: true })
  previousSealedSecret!: Buffer | null;

  @Property({ ...nullableTimeColumn(), fieldName: 'previous_secret_expires_at' })
  overlapEndsAt!: Date | null;

  /** As read by the clock of Postgres, which set it: that of this process may say otherwise. */
  @Property({ ...nullableTimeColumn(), fieldName: 'overlap_until', formula: overlapUntil })
  @Field(() => Date, {
    nullable: true,
    description:
      'Until when the secret before the last rotation signs too; null when there is none, or its time is over.',
  })
  previousSecretExpiresAt!: Date | null;

  @Property({ type: 'boolean', default: true })
  @Field(() => Boolean, { description: 'True while deliveries are sent.' })
  active!: boolean;

  /** Raised whenever `active` changes, so that an attempt from before the change can be told from one after it. */
  @Property({ type: 'integer', default: 0 })
  generation!: number;

  @Property({ type: 'integer', default: 0 })
  @Field(() => Int, {
    description: 'Failed attempts in a row, across deliveries. A success sets it to 0; at 10 the webhook is disabled.',
  })
  consecutiveFailures!: number;

  @Property(nullableTimeColumn())
  @Field(() => Date, { nullable: true, description: 'When an attempt last succeeded; null until one has.' })
  lastSuccessAt!: Date | null;

  @Property(nullableTimeColumn())
  @Field(() => Date, { nullable: true, description: 'When an attempt last failed; null until one has.' })
  lastFailureAt!: Date | null;

  @Property(nullableTimeColumn())
  @Field(() => Date, { nullable: true, description: 'Since when it is inactive; null while it is active.' })
  disabledAt!: Date | null;

  @Enum({ items: () => DisabledReason, type: 'text', nullable: true })
  @Field(() => DisabledReason, { nullable: true, description: 'Why it is inactive; null while it is active.' })
  disabledReason!: DisabledReason | null;

  @Property(nullableTimeColumn())
  @Field(() => Date, {
    nullable: true,
    description: 'Until when events are collected as held deliveries; null while it is active.',
  })
  holdUntil!: Date | null;

  /** Enabled with `held: KEEP`: held deliveries stay held until `releaseHeld`. */
  @Property({ type: 'boolean', default: false })
  keepHeld!: boolean;

  /** What was open when it was enabled, up to these ids, counts as held (docs/decisions/0021). */
  @Property({ ...idColumn(), nullable: true, hidden: true })
  keepHeldUpTo!: number | null;

  @Property({ ...idColumn(), nullable: true, hidden: true })
  discardHeldUpTo!: number | null;

  @Property(nullableTimeColumn())
  @Field(() => Date, {
    nullable: true,
    description:
      'Until when nothing is sent, because the endpoint asked for a pause (429, or 503 with Retry-After). It is open when that is null or has passed.',
  })
  closedUntil!: Date | null;

  /** When the row of failures began that `consecutiveFailures` counts. */
  @Property(nullableTimeColumn())
  failingSince!: Date | null;

  /** Nothing is sent before this time, because the last attempts have failed. */
  @Property(nullableTimeColumn())
  nextProbeAt!: Date | null;

  @Property(creationTimeColumn())
  @Field(() => Date, { description: 'When it was made.' })
  createdAt!: Date;

  @Property(nullableTimeColumn())
  deletedAt!: Date | null;
}

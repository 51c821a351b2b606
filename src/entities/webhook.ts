import { Entity, Enum, Filter, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import { idColumn, nullableTimeColumn, tenantFilter, timeColumn } from './columns.js';
import { Node, NumberedNode } from './node.js';

enum DisabledReason {
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
  @PrimaryKey(idColumn())
  id!: number;

  @Property(idColumn())
  tenantId!: number;

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

  /** By the clock of Postgres, which set it: that of this process may say otherwise. */
  @Property({ ...nullableTimeColumn(), formula: overlapUntil })
  @Field(() => Date, {
    nullable: true,
    description:
      'Until when the secret before the last rotation signs too; null when there is none, or its time is over.',
  })
  previousSecretExpiresAt!: Date | null;

  @Property({ type: 'boolean' })
  @Field(() => Boolean, { description: 'True while deliveries are sent.' })
  active!: boolean;

  /** Raised whenever `active` changes, so that an attempt from before the change can be told from one after it. */
  @Property({ type: 'integer' })
  generation!: number;

  @Property({ type: 'integer' })
  @Field(() => Int, {
    description:
      'Failed attempts in a row, across deliveries. A success sets it to 0; at 10 the webhook is disabled.',
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
  @Field(() => DisabledReason, {
    nullable: true,
    description: 'Why it is inactive; null while it is active.',
  })
  disabledReason!: DisabledReason | null;

  @Property(nullableTimeColumn())
  @Field(() => Date, {
    nullable: true,
    description: 'Until when events are collected as held deliveries; null while it is active.',
  })
  holdUntil!: Date | null;

  /** Enabled with `held: KEEP`: held deliveries stay held until `releaseHeld`. */
  @Property({ type: 'boolean' })
  keepHeld!: boolean;

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
  nextLookAt!: Date | null;

  @Property(timeColumn())
  @Field(() => Date, { description: 'When it was made.' })
  createdAt!: Date;

  @Property(nullableTimeColumn())
  deletedAt!: Date | null;
}

import { Entity, Filter, OneToOne, Property } from '@mikro-orm/decorators/legacy';
import { webhookFields } from '../domain/fields/webhook-fields.js';
import { idColumn, nullableTimeColumn, reference, tenantFilter } from './columns.js';
import { Stored } from './stored.js';
import { type OptionSettings, Webhook } from './webhook.js';

/** @Stored makes these properties. */
export interface WebhookOptions extends OptionSettings {}

/** The options row: fields that few webhooks have. Each batch of outcomes writes the webhook's own row again. */
@Entity({ schema: 'hookwright', tableName: 'webhook_options' })
@Filter(tenantFilter())
@Stored(webhookFields, 'options')
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the interface has what @Stored makes.
export class WebhookOptions {
  @OneToOne(() => Webhook, { ...reference('webhook_id'), primary: true })
  webhookId!: number;

  @Property(idColumn())
  tenantId!: number;

  /** `filter` as Postgres judges by it. */
  @Property({ type: 'text', columnType: 'jsonpath', nullable: true })
  filterPath!: string | null;

  @Property({ type: 'integer', nullable: true })
  filterComparisons!: number | null;

  @Property({ type: 'integer', nullable: true })
  filterCompiling!: number | null;

  /** Whether the filter asks what has changed; null: it does not. */
  @Property({ type: 'boolean', nullable: true })
  filterChanges!: boolean | null;

  /** The row of webhook_contents that new deliveries name; null: they send the plain payload. */
  @Property({ ...idColumn(), nullable: true })
  contentId!: number | null;

  /** `keyPath` as Postgres reads by it. */
  @Property({ type: 'text', columnType: 'jsonpath', nullable: true })
  orderingPath!: string | null;

  /** When the first of the certificates in `tls` ends. */
  @Property(nullableTimeColumn())
  certificateEndsAt!: Date | null;
}

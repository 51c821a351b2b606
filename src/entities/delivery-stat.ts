import { Entity, Enum, Filter, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { registerEnumType } from 'type-graphql';
import { idColumn, tenantFilter, timeColumn } from './columns.js';

export enum StatsResolution {
  MINUTE = 'MINUTE',
  HOUR = 'HOUR',
  DAY = 'DAY',
}
registerEnumType(StatsResolution, {
  name: 'StatsResolution',
  description: 'How long the buckets of statistics are. They begin with the minutes, hours and days of UTC.',
  valuesConfig: {
    MINUTE: { description: 'Kept for 2 days.' },
    HOUR: { description: 'Kept for 90 days.' },
    DAY: { description: 'Kept for 2 years.' },
  },
});

/**
 * Attempts of one webhook and event type in one minute, hour or day; minutes are written with the outcomes and rolled up
 * to hours and days (domain/roll-up.ts). Beside them stand their sums, which are not to be added to them: of all webhooks
 * (webhook 0), of all event types (''), and of both.
 */
@Entity({ schema: 'hookwright', tableName: 'delivery_stats' })
@Filter(tenantFilter())
export class DeliveryStat {
  @PrimaryKey(idColumn())
  tenantId!: number;

  @PrimaryKey(idColumn())
  webhookId!: number;

  @PrimaryKey({ type: 'text' })
  eventType!: string;

  @Enum({ items: () => StatsResolution, type: 'text', primary: true })
  resolution!: StatsResolution;

  @PrimaryKey(timeColumn())
  bucket!: Date;

  @Property({ type: 'integer' })
  successes!: number;

  @Property({ type: 'integer' })
  failures!: number;

  /** Attempts per latency bucket: see domain/latency.ts. */
  @Property({ type: 'number[]', columnType: 'integer[]' })
  latencyHistogram!: number[];
}

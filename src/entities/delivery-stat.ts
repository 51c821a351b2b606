import { Entity, Enum, Filter, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { idColumn, tenantFilter, timeColumn } from './columns.js';

export enum StatsResolution {
  MINUTE = 'MINUTE',
  HOUR = 'HOUR',
  DAY = 'DAY',
}

/** Attempts of one webhook and event type in one minute, hour or day; written with the outcomes, read by dashboards. */
@Entity({ schema: 'hookwright', tableName: 'delivery_stats' })
@Filter(tenantFilter())
export class DeliveryStat {
  @Property(idColumn())
  tenantId!: number;

  @PrimaryKey(idColumn())
  webhookId!: number;

  @Enum({ items: () => StatsResolution, type: 'text', primary: true })
  resolution!: StatsResolution;

  @PrimaryKey(timeColumn())
  bucket!: Date;

  @PrimaryKey({ type: 'text' })
  eventType!: string;

  @Property({ type: 'integer' })
  successes!: number;

  @Property({ type: 'integer' })
  failures!: number;

  /** Attempts per latency bucket: see domain/latency.ts. */
  @Property({ type: 'number[]', columnType: 'integer[]' })
  latencyHistogram!: number[];
}

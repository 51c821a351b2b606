import { Entity, Filter, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { idColumn, tenantFilter, timeColumn } from './columns.js';

/** A producer's key for one emit, kept 7 days: the same key again answers with the same event. */
@Entity({ schema: 'hookwright', tableName: 'idempotency_keys' })
@Filter(tenantFilter())
export class IdempotencyKey {
  @PrimaryKey(idColumn())
  tenantId!: number;

  @PrimaryKey({ type: 'text' })
  key!: string;

  @Property(idColumn())
  eventId!: number;

  /** SHA-256 of type and body: the same key with another request is a conflict. */
  @Property({ type: 'blob' })
  requestHash!: Buffer;

  @Property(timeColumn())
  createdAt!: Date;
}

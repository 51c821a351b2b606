import { OptionalProps } from '@mikro-orm/core';
import { Entity, Filter, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { ObjectType } from 'type-graphql';
import { idColumn, nullableTimeColumn, reference, shown, tenantFilter } from './columns.js';
import { graphqlEnum } from './graphql-enum.js';
import { Node, NumberedNode } from './node.js';
import { Tenant } from './tenant.js';

export const NoticeTopic = graphqlEnum('NoticeTopic', 'A subject of notices.', {
  FAILING: 'Five attempts at a webhook have failed in a row. Sent if it still fails a minute later.',
  DISABLED: 'A webhook was disabled. Sent again after 1 and 3 days while it still holds deliveries.',
  RECOVERED: 'A webhook that was disabled by failures works again.',
  HELD_EXPIRING: 'Held deliveries will be canceled soon.',
  EXHAUSTED: 'Deliveries have failed for good.',
  KEY_BLOCKED: 'An ordering key is blocked. Not sent if it is unblocked within a minute.',
  CERTIFICATE: 'A certificate of a webhook ends within 14 days; again within 3. Not sent if it is replaced before.',
});
export type NoticeTopic = keyof typeof NoticeTopic;

export const NoticeDigest = graphqlEnum('NoticeDigest', 'When notices are sent.', {
  AT_ONCE: 'After a minute. Everything that happens in that minute is one mail.',
  DAILY: "Once a day, at 08:00 of the recipient's time zone, if something has happened.",
});
export type NoticeDigest = keyof typeof NoticeDigest;

@Entity({ schema: 'hookwright', tableName: 'notice_recipients' })
@Filter(tenantFilter())
@Filter({ name: 'alive', cond: { deletedAt: null }, default: true })
@NumberedNode('NoticeRecipient', 'The number of the recipient.')
@ObjectType({
  implements: Node,
  description: "An e-mail address that gets notices about the tenant's webhooks.",
})
export class NoticeRecipient {
  [OptionalProps]?: 'createdAt' | 'digest' | 'timeZone';

  @PrimaryKey(idColumn())
  id!: number;

  @ManyToOne(() => Tenant, reference('tenant_id'))
  tenantId!: number;

  @shown.text('The e-mail address.')
  address!: string;

  @shown.enums(() => NoticeTopic, 'The subjects that the recipient gets notices of.')
  topics!: NoticeTopic[];

  @shown.enum(() => NoticeDigest, 'When notices are sent.', { default: 'AT_ONCE' })
  digest!: NoticeDigest;

  @shown.nullableText('The language of the mails and the form of dates, as a language tag (BCP 47). Null: English.')
  locale!: string | null;

  @shown.text('The time zone of the mails and of DAILY, such as `Europe/Berlin`.', { default: 'UTC' })
  timeZone!: string;

  @shown.nullableTime('When the address was confirmed. Null: it gets no notices until it is.')
  confirmedAt!: Date | null;

  @shown.nullableTime('When the recipient unsubscribed. Null: they did not.')
  unsubscribedAt!: Date | null;

  @shown.nullableText('Why the last mail could not be delivered. Null after a mail that was taken.')
  lastError!: string | null;

  /** SHA-256 of the secret in the last link for confirmation. */
  @Property({ type: 'blob', hidden: true, lazy: true, nullable: true })
  confirmHash!: Buffer | null;

  @Property(nullableTimeColumn())
  confirmUntil!: Date | null;

  @Property(nullableTimeColumn())
  deletedAt!: Date | null;

  @shown.creationTime('When the recipient was added.')
  createdAt!: Date;
}

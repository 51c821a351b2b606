import 'reflect-metadata';
import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { ShowsIdOf } from '../../../entities/node.js';
import { NoticeDigest, NoticeRecipient, NoticeTopic } from '../../../entities/notice-recipient.js';
import { Nullable } from '../../../entities/nullable.js';
import { RECIPIENTS_MAX } from '../../../operations/notices/change-recipients.js';
import { connectionOf } from '../fields/connection.js';

const LOCALE = 'Language of the mails and form of dates, as a language tag (BCP 47): English or German.';
const TIME_ZONE = 'Time zone of the mails and of DAILY, such as `Europe/Berlin`.';

@InputType({ description: 'The recipient of notices to add.' })
export class CreateNoticeRecipientInput {
  @Field(() => String, { description: 'One e-mail address of ASCII characters, such as `ops@example.com`.' })
  address!: string;

  @Nullable(() => [NoticeTopic], 'The subjects. Omit for all.')
  topics?: NoticeTopic[] | null;

  @Nullable(() => NoticeDigest, 'When notices are sent. Default AT_ONCE.')
  digest?: NoticeDigest | null;

  @Nullable(() => String, `${LOCALE} Default: English.`)
  locale?: string | null;

  @Nullable(() => String, `${TIME_ZONE} Default UTC.`)
  timeZone?: string | null;

  @Nullable(
    () => Boolean,
    'For platform keys: the address is known to belong to somebody who wants the notices, so no mail asks for a confirmation.',
  )
  confirmed?: boolean | null;
}

@InputType({ description: 'Changes of a recipient of notices. What is left out stays.' })
export class UpdateNoticeRecipientInput {
  @Field(() => ID, { description: 'The id of the recipient.' })
  id!: string;

  @Nullable(() => [NoticeTopic], 'The subjects.')
  topics?: NoticeTopic[] | null;

  @Nullable(() => NoticeDigest, 'When notices are sent.')
  digest?: NoticeDigest | null;

  @Nullable(() => String, `${LOCALE} Null or an empty text: English.`)
  locale?: string | null;

  @Nullable(() => String, TIME_ZONE)
  timeZone?: string | null;

  @Nullable(
    () => Boolean,
    'Sends another link for confirmation, also to somebody who has unsubscribed. An address gets 3 a day at most.',
  )
  askAgain?: boolean | null;
}

@InputType({ description: 'The recipient of notices to delete.' })
export class DeleteNoticeRecipientInput {
  @Field(() => ID, { description: 'The id of the recipient.' })
  id!: string;
}

@InputType({ description: 'The recipient of a test.' })
export class SendTestNoticeInput {
  @Field(() => ID, { description: 'The id of the recipient.' })
  id!: string;
}

@ObjectType({ description: 'The new recipient.' })
export class CreateNoticeRecipientPayload {
  @Field(() => NoticeRecipient, {
    description: 'The recipient. It gets notices once somebody has followed the link in the mail that is sent now.',
  })
  noticeRecipient!: NoticeRecipient;
}

@ObjectType({ description: 'The changed recipient.' })
export class UpdateNoticeRecipientPayload {
  @Field(() => NoticeRecipient, { description: 'The recipient after the change.' })
  noticeRecipient!: NoticeRecipient;
}

@ObjectType({ description: 'The deleted recipient.' })
export class DeleteNoticeRecipientPayload {
  @ShowsIdOf('NoticeRecipient', { description: 'The id of the deleted recipient.' })
  deletedNoticeRecipientId!: number;
}

@ObjectType({ description: 'The recipient of the test.' })
export class SendTestNoticePayload {
  @Field(() => NoticeRecipient, { description: 'The recipient. `lastError` says later whether the mail was refused.' })
  noticeRecipient!: NoticeRecipient;
}

export const NoticeRecipientConnection = connectionOf(
  NoticeRecipient,
  'NoticeRecipient',
  `recipients of notices, ${RECIPIENTS_MAX} at most`,
);

import 'reflect-metadata';
import { Args, Ctx, Mutation, Resolver } from 'type-graphql';
import { z } from 'zod';
import { INSTALLATION_TENANT } from '../../../domain/installation/installation-tenant.js';
import { isTimeZone } from '../../../domain/notices/digest.js';
import { MAIL_ADDRESS } from '../../../domain/notices/mail-address.js';
import { NoticeRecipient, NoticeTopic } from '../../../entities/notice-recipient.js';
import { ApiError, refusedInput } from '../../../errors.js';
import {
  createRecipient,
  deleteRecipient,
  sendTestNotice,
  updateRecipient,
} from '../../../operations/notices/change-recipients.js';
import { actorOf, type Context, callerOf, tenantOf } from '../../context/context.js';
import { installationHasNone } from '../../context/installation.js';
import { InputArg } from '../fields/arguments.js';
import { type Connection, ConnectionArgs, pagedQuery, readConnection } from '../fields/connection.js';
import { idOf } from '../fields/ids.js';
import { parseInput } from '../fields/input.js';
import { NullableQuery } from '../fields/nullable.js';
import { Requires } from '../fields/requires.js';
import {
  CreateNoticeRecipientInput,
  CreateNoticeRecipientPayload,
  DeleteNoticeRecipientInput,
  DeleteNoticeRecipientPayload,
  NoticeRecipientConnection,
  SendTestNoticeInput,
  SendTestNoticePayload,
  UpdateNoticeRecipientInput,
  UpdateNoticeRecipientPayload,
} from './notice-types.js';

@Resolver()
export class NoticeRecipientResolver {
  @Requires('webhooks:options', 'platform:read')
  @NullableQuery(
    () => NoticeRecipientConnection,
    'The recipients of notices about the webhooks of the tenant, newest first.',
  )
  noticeRecipients(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Ctx() { em }: Context,
  ): Promise<Connection<NoticeRecipient>> {
    return readConnection('noticeRecipients', page, pagedQuery(em, NoticeRecipient, {}));
  }

  @Requires('webhooks:options')
  @Mutation(() => CreateNoticeRecipientPayload, {
    description: 'Adds a recipient of notices, and has a mail sent that asks for a confirmation of the address.',
  })
  async createNoticeRecipient(
    @InputArg(() => CreateNoticeRecipientInput) input: CreateNoticeRecipientInput,
    @Ctx() context: Context,
  ): Promise<CreateNoticeRecipientPayload> {
    requireMail(context);
    if (context.tenantId === INSTALLATION_TENANT) {
      throw installationHasNone();
    }
    const { confirmed = false, ...wanted } = input;
    if (confirmed && callerOf(context).tenantId !== null) {
      throw new ApiError(
        'scope_missing',
        'Only a platform key can say that an address is confirmed; leave out `confirmed`, and a mail asks for it.',
      );
    }
    const settings = parseInput(newRecipient, wanted, ['input']);
    const [tenantId, by] = [tenantOf(context), actorOf(context)];
    const made = await createRecipient(context.db, { tenantId, ...settings, confirmed: confirmed === true, by });
    return { noticeRecipient: made };
  }

  @Requires('webhooks:options')
  @Mutation(() => UpdateNoticeRecipientPayload, { description: 'Changes a recipient of notices.' })
  async updateNoticeRecipient(
    @InputArg(() => UpdateNoticeRecipientInput) { id, askAgain, ...wanted }: UpdateNoticeRecipientInput,
    @Ctx() context: Context,
  ): Promise<UpdateNoticeRecipientPayload> {
    const recipientId = idOf('NoticeRecipient', id, ['input', 'id']);
    const settings = parseInput(changes, wanted, ['input']);
    if (askAgain) {
      requireMail(context);
    } else if (Object.keys(settings).length === 0) {
      const detail = 'must have at least one of topics, digest, locale, timeZone, askAgain';
      throw refusedInput([], 'nothing_to_change', detail);
    }
    const change = { ...settings, askAgain: askAgain === true };
    const noticeRecipient = await updateRecipient(context.db, tenantOf(context), recipientId, change, actorOf(context));
    return { noticeRecipient };
  }

  @Requires('webhooks:options')
  @Mutation(() => DeleteNoticeRecipientPayload, {
    description: 'Deletes a recipient of notices. Mails that wait are not sent, and its address is erased.',
  })
  async deleteNoticeRecipient(
    @InputArg(() => DeleteNoticeRecipientInput) { id }: DeleteNoticeRecipientInput,
    @Ctx() context: Context,
  ): Promise<DeleteNoticeRecipientPayload> {
    const recipientId = idOf('NoticeRecipient', id, ['input', 'id']);
    await deleteRecipient(context.db, tenantOf(context), recipientId, actorOf(context));
    return { deletedNoticeRecipientId: recipientId };
  }

  @Requires('webhooks:options')
  @Mutation(() => SendTestNoticePayload, {
    description: 'Sends a mail that only says that mails arrive, to a recipient that is confirmed.',
  })
  async sendTestNotice(
    @InputArg(() => SendTestNoticeInput) { id }: SendTestNoticeInput,
    @Ctx() context: Context,
  ): Promise<SendTestNoticePayload> {
    requireMail(context);
    const recipientId = idOf('NoticeRecipient', id, ['input', 'id']);
    return { noticeRecipient: await sendTestNotice(context.db, tenantOf(context), recipientId) };
  }
}

/** @throws ApiError mail_not_configured */
function requireMail({ config }: Context): void {
  if (config.mail === null) {
    throw new ApiError(
      'mail_not_configured',
      'This installation sends no mails: SMTP_URL, MAIL_FROM and PUBLIC_URL must all be set.',
    );
  }
}

const ALL_TOPICS = Object.keys(NoticeTopic) as NoticeTopic[];
const LANGUAGE_TAG_LENGTH_MAX = 35;

function isLanguageTag(text: string): boolean {
  try {
    return text.length <= LANGUAGE_TAG_LENGTH_MAX && Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

const address = z
  .string()
  .trim()
  .regex(MAIL_ADDRESS, 'must be one e-mail address of ASCII characters, such as ops@example.com');
const topics = z
  .array(z.enum(ALL_TOPICS))
  .min(1, 'must name at least one topic')
  .transform((named) => ALL_TOPICS.filter((topic) => named.includes(topic)));
const digest = z.enum(['AT_ONCE', 'DAILY']);
const locale = z.preprocess(
  (text) => text || null,
  z.string().refine(isLanguageTag, 'must be a language tag such as de or en-GB').nullable(),
);
const timeZone = z.string().refine(isTimeZone, 'must be the name of a time zone, such as Europe/Berlin');

const newRecipient = z.object({
  address,
  topics: topics.nullish().transform((named) => named ?? ALL_TOPICS),
  digest: digest.nullish().transform((named) => named ?? 'AT_ONCE'),
  locale: locale.default(null),
  timeZone: timeZone.nullish().transform((named) => named ?? 'UTC'),
});

/** A property that is left out stays, and so does one that is null where that is not a value. */
const changes = z
  .object({
    topics: topics.nullish(),
    digest: digest.nullish(),
    locale: locale.optional(),
    timeZone: timeZone.nullish(),
  })
  .transform(({ locale: tag, ...others }) => ({
    ...(Object.fromEntries(Object.entries(others).filter(([, value]) => value != null)) as Partial<
      Pick<NoticeRecipient, 'topics' | 'digest' | 'timeZone'>
    >),
    ...(tag === undefined ? {} : { locale: tag }),
  }));

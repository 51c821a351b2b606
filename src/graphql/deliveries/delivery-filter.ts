import 'reflect-metadata';
import { Field, ID, InputType, registerEnumType } from 'type-graphql';
import { z } from 'zod';
import { type Context, requireScope, tenantOf } from '../../context/context.js';
import { SEND_ERROR_CODES } from '../../domain/outcome.js';
import { DeliveryStatus } from '../../entities/delivery.js';
import type { DeliveryConditions, StatusClass } from '../../operations/explorer/page-deliveries.js';
import { eventOfKey } from '../../operations/explorer/page-events.js';
import { idempotencyKey, parseInput } from '../fields/input.js';

enum StatusCodeClass {
  HTTP_2XX = 'HTTP_2XX',
  HTTP_3XX = 'HTTP_3XX',
  HTTP_4XX = 'HTTP_4XX',
  HTTP_5XX = 'HTTP_5XX',
  NO_ANSWER = 'NO_ANSWER',
}
registerEnumType(StatusCodeClass, {
  name: 'StatusCodeClass',
  description: 'What the latest attempt of a delivery was answered with.',
  valuesConfig: {
    HTTP_2XX: { description: '200 to 299: a success.' },
    HTTP_3XX: { description: '300 to 399: a redirect, which is not followed.' },
    HTTP_4XX: { description: '400 to 499: the endpoint refused it.' },
    HTTP_5XX: { description: '500 to 599: the endpoint failed.' },
    NO_ANSWER: { description: 'Nothing: there was no connection, or it broke, or the time was over.' },
  },
});

const statusClasses: Record<StatusCodeClass, StatusClass> = {
  HTTP_2XX: 2,
  HTTP_3XX: 3,
  HTTP_4XX: 4,
  HTTP_5XX: 5,
  NO_ANSWER: 0,
};

@InputType({ description: 'Which deliveries of a webhook; all conditions together.' })
export class WebhookDeliveryFilter {
  @Field(() => DeliveryStatus, { nullable: true, description: 'Only those in this state.' })
  status?: DeliveryStatus | null;

  @Field(() => String, { nullable: true, description: 'Only those of events of this type.' })
  eventType?: string | null;

  @Field(() => StatusCodeClass, { nullable: true, description: 'Only those whose latest attempt was answered so.' })
  statusCodeClass?: StatusCodeClass | null;

  @Field(() => String, {
    nullable: true,
    description: 'Only those whose latest attempt failed for this reason, such as `TIMEOUT` or `HTTP_503`.',
  })
  errorCode?: string | null;

  @Field(() => Date, { nullable: true, description: 'Only those made at this moment or later.' })
  since?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Only those made before this moment.' })
  until?: Date | null;
}

const PAYLOAD_PART_CHARS = { min: 3, max: 200 };
const SEARCHED_DAYS_MAX = 7;

/** In deliveries and events alike. */
export const PAYLOAD_CONTAINS =
  'Only those whose payload has this text in it, letter by letter as in `Event.body`: ' +
  `${PAYLOAD_PART_CHARS.min} to ${PAYLOAD_PART_CHARS.max} characters. It needs \`since\` and a time of at most ${SEARCHED_DAYS_MAX} days.`;

@InputType({ description: 'Which deliveries; all conditions together.' })
export class DeliveryFilter extends WebhookDeliveryFilter {
  @Field(() => ID, { nullable: true, description: 'Only those to this webhook, which may have been deleted since.' })
  webhookId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Only those of this event.' })
  eventId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Only those of the event that was emitted with this key; keys are kept 7 days.',
  })
  idempotencyKey?: string | null;

  @Field(() => String, { nullable: true, description: `${PAYLOAD_CONTAINS} Needs \`events:read\`.` })
  payloadContains?: string | null;
}

const errorCode = z.string().superRefine((code, context) => {
  if (!(SEND_ERROR_CODES as string[]).includes(code) && !/^HTTP_[3-9][0-9]{2}$/.test(code)) {
    const message = `is not an error code: they are ${SEND_ERROR_CODES.join(', ')}, and HTTP_ with a status from 300 on`;
    context.addIssue({ code: 'custom', message, params: { code: 'error_code_unknown' } });
  }
});

const payloadContains = z
  .string()
  .min(PAYLOAD_PART_CHARS.min, `must have at least ${PAYLOAD_PART_CHARS.min} characters`)
  .max(PAYLOAD_PART_CHARS.max, `must have at most ${PAYLOAD_PART_CHARS.max} characters`)
  .refine((text) => !text.includes('\0') && text.isWellFormed(), {
    message: 'must have no U+0000 and no half of a surrogate pair: JSON has them escaped',
  });

/** What any search of payloads asks of its filter. */
interface PayloadFilter {
  payloadContains?: string | null;
  since?: Date | null;
  until?: Date | null;
}

/**
 * The text to search payloads for, if any.
 *
 * @throws ApiError invalid_input; scope_missing, since a search tells what payloads are
 */
export function payloadPartIn(context: Context, filter: PayloadFilter | null): string | undefined {
  if (typeof filter?.payloadContains !== 'string') {
    return undefined;
  }
  requireScope(context, 'events:read');
  const { since = null, until } = filter;
  const search = { payloadContains: filter.payloadContains, since };
  return parseInput(payloadSearch(until ?? context.clock()), search, ['filter']).payloadContains;
}

const payloadSearch = (until: Date) =>
  z.object({
    payloadContains,
    since: z
      .date()
      .nullable()
      .superRefine((since, context) => {
        const refuse = (code: string, message: string) =>
          context.addIssue({ code: 'custom', message, params: { code } });
        if (!since) {
          refuse('required', 'is required together with `payloadContains`');
        } else if (until.getTime() - since.getTime() > SEARCHED_DAYS_MAX * 86_400_000) {
          refuse('out_of_range', `must lie at most ${SEARCHED_DAYS_MAX} days before \`until\`, or before now`);
        }
      }),
  });

/**
 * The id of the event that the filter's idempotency key made; null when there is none, undefined without a key.
 *
 * @throws ApiError invalid_input
 */
export async function eventOfKeyIn(
  context: Context,
  filter: { idempotencyKey?: string | null } | null,
): Promise<number | null | undefined> {
  if (typeof filter?.idempotencyKey !== 'string') {
    return undefined;
  }
  const key = parseInput(idempotencyKey, filter.idempotencyKey, ['filter', 'idempotencyKey']);
  return eventOfKey(context, tenantOf(context), key);
}

/** What a filter says of a delivery itself, whoever it goes to. @throws ApiError invalid_input */
export function conditionsIn(filter: WebhookDeliveryFilter | null): DeliveryConditions {
  return {
    status: filter?.status ?? undefined,
    statusClass: filter?.statusCodeClass ? statusClasses[filter.statusCodeClass] : undefined,
    errorCode:
      typeof filter?.errorCode === 'string'
        ? parseInput(errorCode, filter.errorCode, ['filter', 'errorCode'])
        : undefined,
  };
}

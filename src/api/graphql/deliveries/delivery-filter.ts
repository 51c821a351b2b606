import 'reflect-metadata';
import { ID, InputType } from 'type-graphql';
import { z } from 'zod';
import { SEND_ERROR_CODES } from '../../../domain/deliveries/outcome.js';
import { PAYLOAD_PART_CHARS, SEARCHED_DAYS_MAX } from '../../../domain/events/payload-search.js';
import { DAY_MS } from '../../../domain/text/durations.js';
import { DeliveryStatus } from '../../../entities/delivery.js';
import { graphqlEnum } from '../../../entities/graphql-enum.js';
import { Nullable } from '../../../entities/nullable.js';
import { invalidInput } from '../../../errors.js';
import {
  type DeliveryConditions,
  STATUS_CODE_CLASSES,
  type StatusCodeClass as StatusCodeClassName,
} from '../../../operations/explorer/page-deliveries.js';
import { eventOfKey } from '../../../operations/explorer/page-events.js';
import { type Context, requireScope, tenantOf } from '../../context/context.js';
import { idempotencyKey, parseInput } from '../fields/input.js';
import { TimeRange } from '../fields/time-range.js';

const StatusCodeClass = graphqlEnum<StatusCodeClassName>(
  'StatusCodeClass',
  'The kind of answer to the latest attempt of a delivery.',
  {
    HTTP_2XX: '200 to 299: success.',
    HTTP_3XX: '300 to 399: a redirect, which is not followed.',
    HTTP_4XX: '400 to 499: the endpoint refused the delivery.',
    HTTP_5XX: '500 to 599: the endpoint failed.',
    NO_ANSWER: 'No answer: no connection, a broken connection, or a time-out.',
  },
);

@InputType({ description: 'Conditions for deliveries of a webhook. All of them must be met.' })
export class WebhookDeliveryFilter extends TimeRange {
  @Nullable(() => DeliveryStatus, 'Only deliveries in this state.')
  status?: DeliveryStatus | null;

  @Nullable(() => String, 'Only deliveries of events of this type.')
  eventType?: string | null;

  @Nullable(() => StatusCodeClass, 'Only deliveries whose latest attempt got this kind of answer.')
  statusCodeClass?: StatusCodeClassName | null;

  @Nullable(
    () => String,
    'Only deliveries whose latest attempt failed for this reason, such as `TIMEOUT` or `HTTP_503`.',
  )
  errorCode?: string | null;

  @Nullable(() => Boolean, 'True: only deliveries whose latest attempt failed, whatever their state.')
  lastAttemptFailed?: boolean | null;

  @Nullable(() => Boolean, 'True: only pending deliveries that were attempted before and will be attempted again.')
  retrying?: boolean | null;
}

export const PAYLOAD_CONTAINS =
  'Only items whose payload contains this exact text, as in `Event.body`: ' +
  `${PAYLOAD_PART_CHARS.min} to ${PAYLOAD_PART_CHARS.max} characters. Needs \`since\`, and a range of at most ${SEARCHED_DAYS_MAX} days.`;

@InputType({ description: 'Conditions for deliveries. All of them must be met.' })
export class DeliveryFilter extends WebhookDeliveryFilter {
  @Nullable(() => ID, 'Only deliveries to this webhook, which may have been deleted since.')
  webhookId?: string | null;

  @Nullable(() => ID, 'Only deliveries of this event.')
  eventId?: string | null;

  @Nullable(() => String, 'Only deliveries of the event that was emitted with this key. Keys are kept for 7 days.')
  idempotencyKey?: string | null;

  @Nullable(() => String, `${PAYLOAD_CONTAINS} Needs \`events:read\`.`)
  payloadContains?: string | null;
}

/** The path of the filter of a list. */
const FILTER: readonly string[] = ['filter'];

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

/** A text to look for in a payload that is known already. @throws ApiError invalid_input */
export const textIn = (text: string | null | undefined, path: readonly string[]): string | null =>
  typeof text === 'string' ? parseInput(payloadContains, text, path) : null;

interface PayloadFilter extends TimeRange {
  payloadContains?: string | null;
}

/**
 * The text to search payloads for.
 *
 * @throws ApiError invalid_input; scope_missing, because a search reveals payloads
 */
export function payloadPartIn(
  context: Context,
  filter: PayloadFilter | null,
  path: readonly string[] = FILTER,
): string | undefined {
  if (typeof filter?.payloadContains !== 'string') {
    return undefined;
  }
  requireScope(context, 'events:read');
  const { since = null, until } = filter;
  const search = { payloadContains: filter.payloadContains, since };
  return parseInput(payloadSearch(until ?? context.clock()), search, path).payloadContains;
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
        } else if (until.getTime() - since.getTime() > SEARCHED_DAYS_MAX * DAY_MS) {
          refuse('out_of_range', `must lie at most ${SEARCHED_DAYS_MAX} days before \`until\`, or before now`);
        }
      }),
  });

/**
 * The event that was emitted with the idempotency key of the filter. Null when there is none, undefined without a key.
 *
 * @throws ApiError invalid_input
 */
export async function eventOfKeyIn(
  context: Context,
  filter: { idempotencyKey?: string | null } | null,
  path: readonly string[] = FILTER,
): Promise<number | null | undefined> {
  if (typeof filter?.idempotencyKey !== 'string') {
    return undefined;
  }
  const key = parseInput(idempotencyKey, filter.idempotencyKey, [...path, 'idempotencyKey']);
  return eventOfKey(context, tenantOf(context), key);
}

/** The conditions of a filter that any webhook can meet. @throws ApiError invalid_input */
export function conditionsIn(
  filter: WebhookDeliveryFilter | null,
  path: readonly string[] = FILTER,
): DeliveryConditions {
  const { status, retrying, statusCodeClass, lastAttemptFailed } = filter ?? {};
  if (retrying && status && status !== 'PENDING') {
    const detail = 'has a meaning only for PENDING deliveries';
    throw invalidInput([{ path: [...path, 'retrying'], code: 'contradiction', detail }]);
  }
  return {
    status: status ?? undefined,
    statusClass: statusCodeClass ? STATUS_CODE_CLASSES[statusCodeClass] : undefined,
    errorCode:
      typeof filter?.errorCode === 'string'
        ? parseInput(errorCode, filter.errorCode, [...path, 'errorCode'])
        : undefined,
    lastAttemptFailed: lastAttemptFailed || undefined,
    retrying: retrying || undefined,
  };
}

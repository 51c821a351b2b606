import { z } from 'zod';
import { judgeUrl, type TargetPolicy, URL_LENGTH_MAX } from '../../domain/addresses/target.js';
import { EVENT_TYPE_NAME, EVENT_TYPE_NAME_LENGTH_MAX, listNames, WILDCARD } from '../../domain/events/event-type.js';
import type { Webhook } from '../../entities/webhook.js';

export const EVENT_TYPES_MAX = 100;

/** A component of the OpenAPI document. */
export const subscribedEvent = z.string().meta({
  id: 'SubscribedEvent',
  maxLength: EVENT_TYPE_NAME_LENGTH_MAX,
  pattern: `^\\${WILDCARD}$|${EVENT_TYPE_NAME.source}`,
  description: `The name of an event, or "${WILDCARD}" for all events. More names can be registered at any time.`,
  examples: ['booking.created', WILDCARD],
});

interface WebhookRules {
  target: TargetPolicy;
  /** The names of all event types. */
  eventTypes: readonly string[];
}

/**
 * The fields of a webhook that people write, by the names of the entity. `form` is a field's shape in REST and its
 * OpenAPI document; `rule` checks a value, for REST and GraphQL alike, and returns the value to store.
 */
export const webhookSettings = {
  url: {
    form: z
      .string()
      .refine((text) => text.length <= URL_LENGTH_MAX, {
        message: `must have at most ${URL_LENGTH_MAX} characters`,
        params: { code: 'url_too_long' },
      })
      .meta({
        format: 'uri',
        maxLength: URL_LENGTH_MAX,
        description: `The address that receives deliveries: an absolute https URL of at most ${URL_LENGTH_MAX} characters, without userinfo and fragment, whose host is public. Its port is 443, 80, or one from 1024 on which no database or other internal service is usual. It is kept in its normal form: https://example.com becomes https://example.com/.`,
        examples: ['https://example.com/hooks'],
      }),
    rule: ({ target }: WebhookRules) => webhookUrl(target),
  },
  eventTypes: {
    form: z
      .array(subscribedEvent)
      .min(1, 'must name at least one event, or be ["*"]')
      .max(EVENT_TYPES_MAX, `must have at most ${EVENT_TYPES_MAX} names`)
      .meta({
        uniqueItems: true,
        description: `1 to ${EVENT_TYPES_MAX} different names of events, or exactly ["*"] for all events, including events added later.`,
        examples: [['booking.created', 'booking.canceled'], ['*']],
      }),
    rule: ({ eventTypes }: WebhookRules) => webhookEventTypes(eventTypes),
  },
};

export type WebhookSettings = Pick<Webhook, keyof typeof webhookSettings>;

function inputOf(rules: WebhookRules) {
  const shape = Object.entries(webhookSettings).map(([name, { rule }]) => [name, rule(rules)] as const);
  return z.object(Object.fromEntries<z.ZodType>(shape));
}

export const newWebhookInput = (rules: WebhookRules) => inputOf(rules) as unknown as z.ZodType<WebhookSettings>;

/** The input of a change. Its output leaves out the same fields. */
export const webhookChangeInput = (rules: WebhookRules) =>
  inputOf(rules).partial() as unknown as z.ZodType<Partial<WebhookSettings>>;

/** Null is a setting that was left out. */
export const settingsIn = (input: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(input).filter(([name, value]) => name in webhookSettings && value !== null));

function webhookUrl(policy: TargetPolicy) {
  return z.string().transform((text, context) => {
    const verdict = judgeUrl(text, policy);
    if (verdict.allowed) {
      return verdict.url;
    }
    context.addIssue({ code: 'custom', message: verdict.reason, params: { code: verdict.code } });
    return z.NEVER;
  });
}

/** 1–100 different names of event types that exist, or exactly `["*"]`. */
export function webhookEventTypes(knownNames: readonly string[], forAll = `, or ["${WILDCARD}"] for all`) {
  return z
    .array(z.string())
    .min(1, 'must name at least one event type, or be ["*"]')
    .max(EVENT_TYPES_MAX, `must have at most ${EVENT_TYPES_MAX} names`)
    .superRefine((names, context) => {
      const add = (path: number[], code: string, message: string) =>
        context.addIssue({ code: 'custom', path, message, params: { code } });
      // There may be a million names: then only their number is reported.
      const judged = names.length > EVENT_TYPES_MAX ? [] : names;
      judged.forEach((name, index) => {
        if (name === WILDCARD) {
          if (names.length > 1) {
            add([index], 'wildcard_not_alone', '"*" means all event types and must stand alone');
          }
        } else if (!knownNames.includes(name)) {
          add([index], 'event_type_unknown', `${notAType(knownNames)}${forAll}`);
        } else if (names.indexOf(name) < index) {
          add([index], 'duplicate', 'stands in the list twice');
        }
      });
    });
}

export const notAType = (knownNames: readonly string[]) =>
  `is not an event type; known types: ${listNames(knownNames)}`;

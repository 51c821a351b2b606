import { CONDITIONS_MAX, FILTER_CHARS_MAX, FILTER_DEPTH_MAX } from '../content/filter.js';
import { CONTENT_FORMATS, TEMPLATE_BYTES_MAX, TEXT_CHARS_MAX } from '../content/formats.js';
import { DEFAULT_METHOD, DELIVERY_METHODS } from '../deliveries/delivery-method.js';
import { ATTEMPT_MS_MAX } from '../deliveries/health-limits.js';
import { RETRY_SECONDS_MAX } from '../deliveries/retry-policy.js';
import { DAY_MS } from '../text/durations.js';
import type { Fields } from './field.js';
import { HEADERS_MAX } from './headers.js';
import { ordering } from './ordering-fields.js';

export const URL_LENGTH_MAX = 2048;
export const EVENT_TYPES_MAX = 100;

const NAME_CHARS_MAX = 100;
const DESCRIPTION_CHARS_MAX = 1_000;
const METADATA_MAX = 20;
const METADATA_VALUE_CHARS_MAX = 500;
const metadataRules = `at most ${METADATA_MAX}, each of at most ${METADATA_VALUE_CHARS_MAX} characters, under keys of 1 to 40 letters, digits, \`_\`, \`.\` and \`-\`.`;

const SHAPE_CHARS_MAX = 16_384;

const TIMEOUT_MS_MIN = 1_000;
const RETRIES_MAX = 20;
const RETRY_DAYS_MAX = 7;
const retryRules = `At most ${RETRIES_MAX} delays of 1 to ${RETRY_SECONDS_MAX} seconds, together at most ${RETRY_DAYS_MAX} days, and a day less than deliveries are kept. An empty list means one attempt.`;

export const RATE_MIN = 0.01;
const RATE_MAX = 1_000;
const CONCURRENCY_MAX = 1_000;
const divided =
  'is divided by the daemons that run, with at least 1 for each. The value of the installation holds in each daemon.';

const filterRules = `At most ${CONDITIONS_MAX} conditions, nested at most ${FILTER_DEPTH_MAX} levels deep, and ${FILTER_CHARS_MAX} characters as JSON. Tests and operational events are always sent.`;
const ofEvent =
  '`{{path}}` stands for a value of the payload, `{{@type}}`, `{{@id}}` and `{{@time}}` for those of the event.';
const chatRate = 'A chat gets one message a second, unless the webhook or its tenant sets a rate.';

const port = 'or one from 1024 on which no database or other internal service is usual';

/** The fields of a webhook that people write. Each has its label in dashboard/text/field-names.ts. */
export const webhookFields = {
  url: {
    kind: 'url',
    description: 'The address that receives the deliveries.',
    input: `An absolute https url of at most ${URL_LENGTH_MAX} characters, without userinfo and fragment, on port 443, 80, or a port from 1024 that no database or other internal service commonly uses. It is stored in its normal form: \`https://example.com\` becomes \`https://example.com/\`.`,
    rest: `The address that receives deliveries: an absolute https URL of at most ${URL_LENGTH_MAX} characters, without userinfo and fragment, whose host is public. Its port is 443, 80, ${port}. It is kept in its normal form: https://example.com becomes https://example.com/.`,
    sent: true,
  },
  name: {
    kind: 'text',
    charsMax: NAME_CHARS_MAX,
    part: 'labels',
    optionsRow: true,
    optional: true,
    description: 'What people call the webhook. Null when it has no name.',
    input: `A name of at most ${NAME_CHARS_MAX} characters, in one line. Null or an empty text removes it.`,
    rest: `What people call the webhook; null when it has no name. At most ${NAME_CHARS_MAX} characters, in one line.`,
  },
  description: {
    kind: 'text',
    charsMax: DESCRIPTION_CHARS_MAX,
    lines: true,
    part: 'labels',
    optionsRow: true,
    optional: true,
    description: 'What the webhook is for. Null when it has no description.',
    input: `What the webhook is for: at most ${DESCRIPTION_CHARS_MAX} characters. Null or an empty text removes it.`,
    rest: `What the webhook is for; null when it has no description. At most ${DESCRIPTION_CHARS_MAX} characters.`,
  },
  eventTypes: {
    kind: 'eventTypes',
    description: 'Names of the subscribed event types, or `["*"]` for all types, including those added later.',
    input: `1 to ${EVENT_TYPES_MAX} different names of event types, or exactly \`["*"]\` for all types, including those added later.`,
    rest: `1 to ${EVENT_TYPES_MAX} different names of events, or exactly ["*"] for all events, including events added later.`,
  },
  metadata: {
    kind: 'textMap',
    countMax: METADATA_MAX,
    valueCharsMax: METADATA_VALUE_CHARS_MAX,
    part: 'labels',
    optionsRow: true,
    optional: true,
    default: {},
    description: 'Texts by keys, for your own programs. They are not sent.',
    input: `Texts by keys, in place of those before: ${metadataRules} Null removes them.`,
    rest: `Texts by keys, for your own programs; they are not sent. ${metadataRules}`,
  },
  delivery: {
    kind: 'group',
    type: 'DeliveryOptions',
    option: 'DeliveryOption',
    scope: 'webhooks:options',
    warns: true,
    optionsRow: true,
    description: 'How the endpoint is called.',
    input: 'How the endpoint is called. Options that are left out stay as they are.',
    rest: 'How the endpoint is called. null resets an option.',
    fields: {
      timeoutMs: {
        kind: 'number',
        part: 'pace',
        whole: true,
        min: TIMEOUT_MS_MIN,
        max: ATTEMPT_MS_MAX,
        unit: 'ms',
        maxOf: 'attemptTimeoutMsMax',
        refusedAs: 'timeout_out_of_range',
        inherited: 'timeoutMs',
        description: 'The longest time for a whole attempt, in milliseconds. Connecting gets at most half of it.',
        input: `The longest time for a whole attempt, in milliseconds: ${TIMEOUT_MS_MIN} to the operator's maximum, usually 30000.`,
        rest: `The longest time for a whole attempt, in milliseconds: ${TIMEOUT_MS_MIN} to the operator's maximum, usually 30000.`,
      },
      retryDelaysSeconds: {
        kind: 'delays',
        part: 'retry',
        countMax: RETRIES_MAX,
        secondsMax: RETRY_SECONDS_MAX,
        totalSecondsMax: (RETRY_DAYS_MAX * DAY_MS) / 1_000,
        refusedAs: { count: 'retry_delays_too_many', each: 'retry_delay_out_of_range', total: 'retry_delays_too_long' },
        inherited: 'retryDelaysSeconds',
        description:
          'The delays between a failed attempt and its retry, in seconds. There is one attempt more than there are delays.',
        input: `The delays between a failed attempt and its retry, in seconds. ${retryRules} A retry that is planned keeps its time.`,
        rest: `The delays between a failed attempt and its retry, in seconds. ${retryRules} A retry that is planned keeps its time.`,
      },
      recovery: {
        kind: 'choice',
        part: 'retry',
        type: 'Recovery',
        about: 'Who enables a webhook that failures have disabled.',
        values: {
          MANUAL: 'A person.',
          AUTOMATIC:
            'The service, when the endpoint answers again. It sends the oldest held delivery after 1, 2, 4 ... 60 minutes.',
        },
        inherited: 'recovery',
        description: 'Who enables the webhook after failures have disabled it.',
        input: 'Who enables the webhook after failures have disabled it.',
        rest: 'Who enables the webhook after failures have disabled it: MANUAL (a person) or AUTOMATIC (the service, when the endpoint answers again).',
      },
      ratePerSecond: {
        kind: 'number',
        part: 'pace',
        min: RATE_MIN,
        max: RATE_MAX,
        refusedAs: 'rate_out_of_range',
        optional: true,
        inherited: 'ratePerSecond',
        description: `The most requests a second, over all processes. Null when there is no limit. ${chatRate}`,
        input: `The most requests a second, ${RATE_MIN} to ${RATE_MAX}, over all processes. Deliveries above it wait, without an attempt. ${chatRate}`,
        rest: `The most requests a second, ${RATE_MIN} to ${RATE_MAX}, over all processes. Deliveries above it wait, without an attempt; null means no limit. ${chatRate}`,
      },
      concurrencyMax: {
        kind: 'number',
        part: 'pace',
        whole: true,
        min: 1,
        max: CONCURRENCY_MAX,
        maxOf: 'endpointConcurrencyMax',
        refusedAs: 'concurrency_out_of_range',
        inherited: 'concurrencyMax',
        description: `The most requests at a time. A value that the webhook or its tenant sets ${divided}`,
        input: `The most requests at a time, 1 to the operator's maximum, usually 64. It ${divided}`,
        rest: `The most requests at a time, 1 to the operator's maximum, usually 64. It ${divided}`,
      },
      method: {
        kind: 'choice',
        part: 'headers',
        type: 'DeliveryMethod',
        about: 'The method of requests to an endpoint.',
        values: DELIVERY_METHODS,
        optional: true,
        default: DEFAULT_METHOD,
        description: 'The method of requests.',
        input: 'The method of requests, which holds from the next attempt on. Null means POST.',
        rest: 'The method of requests: POST, PUT or PATCH. It holds from the next attempt on; null means POST.',
      },
      headers: {
        kind: 'headers',
        part: 'headers',
        optional: true,
        default: [],
        description: 'Headers that each request has besides those of the service, which are not signed.',
        input: `At most ${HEADERS_MAX} headers by their names. Those of the service and of the connection are refused.`,
        rest: `Headers that each request has besides those of the service, by their names: at most ${HEADERS_MAX}. They are not signed. null removes a header; one without \`value\` stays as it is. A header is secret unless \`secret\` is false: then nobody can read its value.`,
      },
      auth: {
        kind: 'auth',
        part: 'auth',
        optional: true,
        description: 'How requests prove to the endpoint who sends them. Null: by their signature alone.',
        input: 'How requests prove to the endpoint who sends them, as a whole. Null removes it.',
        rest: 'How requests prove to the endpoint who sends them: exactly one of `basic`, `bearer` and `api_key`. Passwords, tokens and keys are never shown. An object with none of them leaves it as it is; null removes it.',
      },
    },
  },
  content: {
    kind: 'group',
    part: 'content',
    type: 'ContentOptions',
    scope: 'webhooks:options',
    warns: true,
    optionsRow: true,
    description: 'What is sent to the endpoint.',
    input: 'What is sent to the endpoint. Options that are left out stay as they are; null removes one.',
    rest: 'What is sent to the endpoint. null removes an option.',
    fields: {
      filter: {
        kind: 'filter',
        optional: true,
        description:
          'Conditions on the payload, as they were written: the webhook gets no other events of its types. Null: it gets all.',
        input: `Conditions on the payload: the webhook gets no other events of its types. ${filterRules} It is replaced as a whole; null removes it.`,
        rest: `Conditions on the payload: the webhook gets no other events of its types. Each level has exactly one of \`all\`, \`any\`, \`not\` and \`field\`. ${filterRules} It is replaced as a whole; null removes it.`,
      },
      shape: {
        kind: 'shape',
        charsMax: SHAPE_CHARS_MAX,
        optional: true,
        description: 'The fields that are sent, as a subscription of GraphQL. Null: the whole payload is sent.',
        input: `The fields that are sent, as a subscription of GraphQL over the types that \`eventSchema\` shows: at most ${SHAPE_CHARS_MAX} characters, 200 fields and 10 levels. Null or an empty text removes it.`,
        rest: `The fields that are sent, as a subscription of GraphQL over types that are made from the schemas of the events: at most ${SHAPE_CHARS_MAX} characters, 200 fields and 10 levels; null means that the whole payload is sent.`,
      },
      format: {
        kind: 'choice',
        type: 'ContentFormat',
        about: 'The form in which events are sent.',
        values: CONTENT_FORMATS,
        optional: true,
        default: 'JSON',
        description: 'The form in which events are sent. Deliveries that exist keep the form that they have.',
        input: `The form in which events are sent. Null means JSON. Deliveries that exist keep the form that they have. ${chatRate}`,
        rest: `The form in which events are sent: ${Object.keys(CONTENT_FORMATS).join(', ')}. null means JSON. Deliveries that exist keep the form that they have. ${chatRate}`,
      },
      text: {
        kind: 'message',
        charsMax: TEXT_CHARS_MAX,
        optional: true,
        description:
          'The text of messages to chats. Null: the service writes it. `{{path}}` stands for a value of the event.',
        input: `The text of messages to chats, in the markup of the chat: at most ${TEXT_CHARS_MAX} characters. ${ofEvent} Values are escaped. Null or an empty text removes it: the service then writes the type and the first five fields.`,
        rest: `The text of messages to chats, in the markup of the chat: at most ${TEXT_CHARS_MAX} characters. ${ofEvent} Values are escaped. null removes it: the service then writes the type and the first five fields.`,
      },
      template: {
        kind: 'template',
        optional: true,
        description: 'The JSON that TEMPLATE sends, with `{{path}}` for values of the event. Null when there is none.',
        input: `The JSON that TEMPLATE sends: an object or a list of at most ${TEMPLATE_BYTES_MAX} bytes. In its texts ${ofEvent} \`{{@payload}}\` is the whole payload. A text that is one placeholder and nothing else becomes the value itself. Null removes it.`,
        rest: `The JSON that TEMPLATE sends, replaced as a whole: an object or a list of at most ${TEMPLATE_BYTES_MAX} bytes. In its texts ${ofEvent} \`{{@payload}}\` is the whole payload. A text that is one placeholder and nothing else becomes the value itself. null removes it.`,
      },
    },
  },
  ordering,
} as const satisfies Fields;

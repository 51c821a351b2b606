import { CONDITIONS_MAX, FILTER_CHARS_MAX, FILTER_DEPTH_MAX } from '../content/filter.js';
import { CONTENT_FORMATS, TEMPLATE_BYTES_MAX, TEXT_CHARS_MAX } from '../content/formats.js';
import { RELEASE_NAME_CHARS_MAX } from '../ids/release-name.js';
import { chatRate } from './delivery-fields.js';
import type { Group } from './field.js';

const SHAPE_CHARS_MAX = 16_384;
const filterRules = `At most ${CONDITIONS_MAX} conditions, nested at most ${FILTER_DEPTH_MAX} levels deep, and ${FILTER_CHARS_MAX} characters as JSON. Tests and operational events are always sent.`;
const ofEvent =
  '`{{path}}` stands for a value of the payload, `{{@type}}`, `{{@id}}` and `{{@time}}` for those of the event.';

/** The content of deliveries, and the filter of events (docs/content.md). */
export const content = {
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
    release: {
      kind: 'text',
      charsMax: RELEASE_NAME_CHARS_MAX,
      among: 'releases',
      optional: true,
      since: '0.2.0',
      description:
        'The release that the endpoint is pinned to, such as `2026-11`: payloads are sent in the versions that it has. Null: in the newest ones.',
      input:
        'The release that the endpoint is pinned to, by its name: payloads are sent in the versions that it has. Filters see them as they are emitted. Deliveries that exist keep the release that they have. Null or an empty text means the newest versions.',
      rest: 'The release that the endpoint is pinned to, by its name: payloads are sent in the versions that it has. Filters see them as they are emitted. null means the newest versions.',
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
} as const satisfies Group;

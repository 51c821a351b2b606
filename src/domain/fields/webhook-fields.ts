import { EXTERNAL_ID_CHARS_MAX, EXTERNAL_ID_RULE } from '../ids/external-id.js';
import { content } from './content-fields.js';
import { delivery } from './delivery-fields.js';
import type { Fields } from './field.js';
import { ordering } from './ordering-fields.js';

export const URL_LENGTH_MAX = 2048;
export const EVENT_TYPES_MAX = 100;

const NAME_CHARS_MAX = 100;
const DESCRIPTION_CHARS_MAX = 1_000;
const METADATA_MAX = 20;
const METADATA_VALUE_CHARS_MAX = 500;
const metadataRules = `at most ${METADATA_MAX}, each of at most ${METADATA_VALUE_CHARS_MAX} characters, under keys of 1 to 40 letters, digits, \`_\`, \`.\` and \`-\`.`;

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
  externalId: {
    kind: 'text',
    charsMax: EXTERNAL_ID_CHARS_MAX,
    identifies: true,
    part: 'labels',
    optionsRow: true,
    optional: true,
    description: 'The id of the webhook in another system, unique in the tenant. Null when it has none.',
    input: `The id of the webhook in another system, unique in the tenant: ${EXTERNAL_ID_RULE}. Once it is set, only a platform key can change it, or remove it by null. A portal session cannot set it.`,
    rest: `The id of the webhook in another system, unique in the tenant; null when it has none. It has ${EXTERNAL_ID_RULE}. Once it is set, only a platform key can change it, or remove it by null. A portal session cannot set it.`,
  },
  delivery,
  content,
  ordering,
} as const satisfies Fields;

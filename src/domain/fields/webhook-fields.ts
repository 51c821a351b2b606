import type { Fields } from './field.js';

export const URL_LENGTH_MAX = 2048;
export const EVENT_TYPES_MAX = 100;

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
  eventTypes: {
    kind: 'eventTypes',
    description: 'Names of the subscribed event types, or `["*"]` for all types, including those added later.',
    input: `1 to ${EVENT_TYPES_MAX} different names of event types, or exactly \`["*"]\` for all types, including those added later.`,
    rest: `1 to ${EVENT_TYPES_MAX} different names of events, or exactly ["*"] for all events, including events added later.`,
  },
} as const satisfies Fields;

import type { Group } from './field.js';

const EVENTS_MAX = 1_000_000;
const REQUESTS_MAX = 100_000;
const AT_ONCE_MAX = 100_000;
const ENDPOINTS_MAX = 1_000_000;
const BODY_BYTES_MAX = 1_048_576;
const REASON_CHARS_MAX = 300;

const ofInstallation = 'Null: the value of the installation.';

/** The limits that an operator sets for a tenant (docs/tenant-limits.md). */
export const limits = {
  kind: 'group',
  type: 'TenantLimits',
  scope: 'platform:admin',
  description: 'What the operator allows the tenant. The tenant reads it and cannot change it.',
  input:
    'What the operator allows the tenant. Limits that are left out stay as they are; null is the value of the installation.',
  fields: {
    eventsPerSecond: {
      kind: 'number',
      whole: true,
      min: 1,
      max: EVENTS_MAX,
      unit: 'events a second',
      refusedAs: 'limit_out_of_range',
      optional: true,
      description: `The most events a second that the tenant may emit, over all API processes. Null: as many as the installation allows.`,
      input: `The most events a second, 1 to ${EVENTS_MAX}, over all API processes. Emits beyond it are refused with RATE_LIMITED. Events of the outbox count and are never refused.`,
    },
    requestsPerSecond: {
      kind: 'number',
      whole: true,
      min: 1,
      max: REQUESTS_MAX,
      unit: 'requests a second',
      refusedAs: 'limit_out_of_range',
      optional: true,
      since: '0.2.0',
      description:
        'The most requests a second to all endpoints of the tenant together, over all daemons. Null: no limit.',
      input: `The most requests a second to all endpoints of the tenant together, 1 to ${REQUESTS_MAX}, over all daemons. Deliveries beyond it wait, without an attempt.`,
    },
    requestsAtOnce: {
      kind: 'number',
      whole: true,
      min: 1,
      max: AT_ONCE_MAX,
      unit: 'requests at a time',
      refusedAs: 'limit_out_of_range',
      optional: true,
      since: '0.2.0',
      description:
        'The most requests at a time to all endpoints of the tenant together. It is divided by the daemons that run, with at least 1 for each. Null: what the slots of the daemons allow.',
      input: `The most requests at a time to all endpoints of the tenant together, 1 to ${AT_ONCE_MAX}. It is divided by the daemons that run, with at least 1 for each.`,
    },
    endpointsMax: {
      kind: 'number',
      whole: true,
      min: 1,
      max: ENDPOINTS_MAX,
      unit: 'webhooks',
      refusedAs: 'limit_out_of_range',
      optional: true,
      description: `The most webhooks of the tenant. ${ofInstallation}`,
      input: `The most webhooks of the tenant, 1 to ${ENDPOINTS_MAX}: more or fewer than the installation allows other tenants. Existing webhooks stay.`,
    },
    bodyBytesMax: {
      kind: 'number',
      whole: true,
      min: 1,
      max: BODY_BYTES_MAX,
      unit: 'bytes',
      refusedAs: 'limit_out_of_range',
      optional: true,
      description: `The longest payload that the tenant may emit, in UTF-8 bytes of its JSON text, if it is less than the installation's. ${ofInstallation}`,
      input: `The longest payload, in UTF-8 bytes of its JSON text: 1 to ${BODY_BYTES_MAX}. Longer ones are refused as those are that are too long for the installation, which holds too. It does not hold for the outbox.`,
    },
    reason: {
      kind: 'text',
      charsMax: REASON_CHARS_MAX,
      optional: true,
      column: 'limits_reason',
      description: 'Why the tenant is limited, in the words of the operator. Null: nobody has said.',
      input: `Why the tenant is limited, for its people to read: up to ${REASON_CHARS_MAX} characters. It is removed with the last limit.`,
    },
  },
} as const satisfies Group;

/** The limits among the fields of the group. */
export const LIMIT_NAMES = [
  'eventsPerSecond',
  'requestsPerSecond',
  'requestsAtOnce',
  'endpointsMax',
  'bodyBytesMax',
] as const satisfies readonly (keyof typeof limits.fields)[];

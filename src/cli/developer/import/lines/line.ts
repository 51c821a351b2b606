import { z } from 'zod';
import { webhookFields } from '../../../../domain/fields/webhook-fields.js';
import { EXTERNAL_ID_RULE, isExternalId } from '../../../../domain/ids/external-id.js';
import { formsOf } from './line-kinds.js';

/**
 * The lines of an import file (docs/from-your-own.md, "A line"). Null, or an empty value, says nothing: the service's
 * own value holds, and what somebody has set since stays.
 */

const externalId = z.string().refine(isExternalId, `must be ${EXTERNAL_ID_RULE}`);
const note = z.string().max(1_000);
/** It is printed. */
const origin = z
  .string()
  .min(1)
  .max(1_000)
  .regex(/^\P{Cc}*$/u, 'must not have control characters');
const tenant = z.strictObject({ externalId, name: z.string().min(1).nullish() });

const webhookLine = z.strictObject({
  v: z.literal(1),
  /** Where it was read, for people: `svix:app_1/ep_1`. */
  from: origin,
  tenant,
  externalId,
  url: z.string(),
  events: z.array(z.string()).min(1),
  secret: z.string().nullish(),
  previousSecret: z.string().nullish(),
  /** RFC 3339. */
  previousSecretExpiresAt: z.iso
    .datetime({ offset: true, error: 'must be a time, such as 2027-01-31T12:00:00Z' })
    .nullish(),
  active: z.boolean().default(true),
  name: z.string().nullish(),
  description: z.string().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  ...formsOf(webhookFields.delivery.fields),
  ...formsOf(webhookFields.content.fields),
  ordering: z.strictObject(formsOf(webhookFields.ordering.fields)).nullish(),
  /** Sentences about things that the reader could not bring along. */
  notes: z.array(note).default([]),
});

const eventTypeLine = z.strictObject({
  v: z.literal(1),
  from: origin,
  eventType: z.strictObject({
    name: z.string(),
    description: z.string().nullish(),
    /** A JSON Schema of the payload. */
    schema: z.record(z.string(), z.unknown()).nullish(),
  }),
});

/** A tenant without webhooks. */
const tenantLine = z.strictObject({ v: z.literal(1), from: origin, tenant });
const OF_TENANTS = Object.keys(tenantLine.shape);

export type TenantLine = z.infer<typeof tenantLine>;
export type WebhookLine = z.infer<typeof webhookLine>;
export type EventTypeLine = z.infer<typeof eventTypeLine>;
export type Line = WebhookLine | EventTypeLine | TenantLine;
/** A line as readers write it: fields that say nothing may be left out. */
export type ReadWebhook = z.input<typeof webhookLine>;

/**
 * Reads a line. What is wrong is said without its values: some of them are secrets.
 *
 * @returns the problems as ends of a sentence about the line, each with the path of the value
 */
export function readLine(text: string): { line: Line } | { problems: string[] } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problems: ['is not JSON'] }; // the parser's message would quote the line
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problems: ['is not a JSON object'] };
  }
  const read = formOf(value).safeParse(value, { error: sentenceOf });
  return read.success
    ? { line: read.data }
    : { problems: read.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim()) };
}

function formOf(value: object) {
  const isTenant = 'tenant' in value && Object.keys(value).every((field) => OF_TENANTS.includes(field));
  return 'eventType' in value ? eventTypeLine : isTenant ? tenantLine : webhookLine;
}

export const isWebhook = (line: Line): line is WebhookLine => 'url' in line;

/** A text of somebody else's in one line, as it is printed. */
export const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ');

/** Zod's own messages are no ends of sentences. */
function sentenceOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${article(issue.expected)}`;
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'unrecognized_keys':
      return `has a field that lines do not have: ${issue.keys.map((key) => key.slice(0, 50)).join(', ')}`;
    case 'too_small':
      return 'must not be empty';
    case 'too_big':
      return 'is too long';
    default:
      return 'is malformed';
  }
}

const article = (type: string) =>
  /^[aeiou]/.test(type) ? `an ${type}` : `a ${type === 'record' ? 'JSON object' : type}`;

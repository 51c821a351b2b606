import { z } from 'zod';
import { webhookFields } from '../../domain/fields/webhook-fields.js';
import { PREVIOUS_SECRET_DAYS_MAX, SECRET_CHARS, SECRET_FORMS } from '../../domain/signing/secret.js';
import { parseTimestamp } from '../../domain/text/timestamp.js';
import { externalId as externalIdRule } from '../../operations/fields/kind-rules.js';
import { time } from './value-kinds.js';

const operators = 'Only platform keys with platform:admin or platform:support set it.';
const ownSecret = (description: string) =>
  z
    .string()
    .meta({ minLength: SECRET_CHARS.min, maxLength: SECRET_CHARS.max })
    .nullish()
    .meta({ writeOnly: true, description: `${description} ${operators}` });
const { externalId } = webhookFields;

/** Fields of a new webhook that comes from another service, beside its settings. */
export const broughtAlong = {
  secret: ownSecret(`The signing secret that a webhook of another service had: ${SECRET_FORMS}.`),
  previous_secret: ownSecret(
    'A secret that signs too, as after a rotation, until previous_secret_expires_at. It has the forms of secret.',
  ),
  previous_secret_expires_at: time
    .refine((text) => parseTimestamp(text) !== null, {
      message: 'must be a date-time of ISO 8601 with seconds and an offset, such as 2026-01-31T09:30:00+00:00',
      params: { code: 'invalid_format' },
    })
    .nullish()
    .meta({
      description: `Until when previous_secret signs: at most ${PREVIOUS_SECRET_DAYS_MAX} days from now. Default: 24 hours.`,
    }),
  /** The id in another system. Answers have it among the options. */
  external_id: externalIdRule.nullish().meta({
    minLength: 1,
    maxLength: externalId.charsMax,
    description: externalId.rest,
    examples: ['crm-invoices'],
  }),
};

import { z } from 'zod';
import { webhookFields } from '../../domain/fields/webhook-fields.js';
import { PREVIOUS_SECRET_DAYS_MAX, SECRET_CHARS, SECRET_FORMS } from '../../domain/signing/secret.js';
import { externalId as externalIdRule } from '../../operations/fields/kind-rules.js';
import { givenTime } from './value-kinds.js';

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
  previous_secret_expires_at: givenTime.nullish().meta({
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

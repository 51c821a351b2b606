import { z } from 'zod';
import { webhookFields } from '../../domain/fields/webhook-fields.js';
import { optionFormsOf } from './field-forms.js';

/** Requests and answers about the options of a webhook, as schemas.ts has the others. */

const [options, shownOptions] = optionFormsOf(webhookFields);
const writable = Object.keys(options).filter((name) => !options[name]!.meta()?.['readOnly']);

export const listed = (names: readonly string[]): string => `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

export const webhookOptionsInput = z.strictObject(options).meta({
  id: 'WebhookOptionsInput',
  description: 'Options of a webhook to create.',
  examples: [{ name: 'Booking system', metadata: { team: 'payments' } }],
});

export const webhookOptionsChange = z
  .strictObject(options)
  .refine((change) => Object.keys(change).length > 0, {
    message: `must have at least one of ${listed(writable)}`,
    params: { code: 'nothing_to_change' },
  })
  .meta({
    id: 'WebhookOptionsChange',
    minProperties: 1,
    description:
      'A merge patch (RFC 7396): options that are left out stay as they are, and null removes one. The same holds for the keys of `metadata`.',
    examples: [
      { name: 'Booking system' },
      { metadata: { team: null } },
      {
        content: { filter: { field: { path: 'status', op: 'EQ', value: 'paid' } }, format: 'SLACK' },
        ordering: { by: 'KEY', key_path: 'customer.id' },
      },
    ],
  });

export const webhookOptions = z.object(shownOptions).meta({
  id: 'WebhookOptions',
  description: 'Options of a webhook.',
});

import { z } from 'zod';
import { VERIFICATION_METHODS, VERIFICATION_STATUSES } from '../../domain/challenges/challenge.js';
import { time } from './value-kinds.js';

/** The proof that the endpoint of a webhook wants deliveries, as REST shows it. */
export const verification = z
  .object({
    status: z.string().meta({
      pattern: '^[A-Z_]+$',
      description:
        'Whether the endpoint has proved that it wants deliveries. One that was never asked counts as VERIFIED. Later versions may add states.',
      examples: Object.keys(VERIFICATION_STATUSES),
    }),
    method: z
      .string()
      .nullable()
      .meta({
        description: 'How it has proved it: OPTIONS or CHALLENGE. null before.',
        examples: Object.keys(VERIFICATION_METHODS),
      }),
    checked_at: time.nullable().meta({ description: 'When it answered last. null: not yet.' }),
    detail: z.string().nullable().meta({ description: 'Why its last answer was no proof, for people.' }),
    options_code: z
      .string()
      .nullable()
      .meta({
        description:
          'Why its last answer to OPTIONS was no proof: NO_ALLOWED_ORIGIN for a success without WebHook-Allowed-Origin, and otherwise the error code of an attempt. AUTH_FAILED: there was no token, so nothing was asked. null: not asked yet, or verified. Later versions may add codes.',
        examples: ['HTTP_404', 'NO_ALLOWED_ORIGIN'],
      }),
    challenge_code: z
      .string()
      .nullable()
      .meta({
        description:
          'The same for its last answer to webhook.challenge: NO_ECHO for a success without the text of the challenge.',
        examples: ['HTTP_401', 'NO_ECHO'],
      }),
    next_at: time.nullable().meta({ description: 'When it is asked next, at the earliest. null: not by itself.' }),
  })
  .meta({
    id: 'Verification',
    description: 'The proof that the endpoint of a webhook wants deliveries.',
    examples: [
      {
        status: 'PENDING',
        method: null,
        checked_at: '2026-01-31T09:30:00+00:00',
        detail: 'OPTIONS: HTTP_404; webhook.challenge: HTTP_401',
        options_code: 'HTTP_404',
        challenge_code: 'HTTP_401',
        next_at: '2026-01-31T09:31:00+00:00',
      },
    ],
  });

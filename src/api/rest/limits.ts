import { z } from 'zod';
import { limits as group, LIMIT_NAMES } from '../../domain/fields/limit-fields.js';
import { snakeCase } from '../../domain/text/snake-case.js';
import { time } from './value-kinds.js';

const limit = (name: (typeof LIMIT_NAMES)[number]) =>
  z.int().min(1).nullable().meta({ description: group.fields[name].description });

/** The limits that the operator has set for the tenant, as REST shows them. */
export const limits = z
  .object({
    ...(Object.fromEntries(LIMIT_NAMES.map((name) => [snakeCase(name), limit(name)])) as Record<
      'events_per_second' | 'requests_per_second' | 'requests_at_once' | 'endpoints_max' | 'body_bytes_max',
      ReturnType<typeof limit>
    >),
    reason: z.string().nullable().meta({ description: group.fields.reason.description }),
    since: time.nullable().meta({ description: 'Since when these limits hold. null: there are none.' }),
  })
  .meta({
    id: 'Limits',
    description: group.description,
    examples: [
      {
        events_per_second: 50,
        requests_per_second: null,
        requests_at_once: 4,
        endpoints_max: null,
        body_bytes_max: null,
        reason: 'The import of 1 May',
        since: '2026-05-01T09:30:00+00:00',
      },
    ],
  });

export interface LimitsNode {
  viewer: { tenant: { limits: Omit<z.output<typeof limits>, 'since'>; since: string | null } | null };
}

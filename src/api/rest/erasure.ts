import { z } from 'zod';
import { FILTER_OPS, FILTER_TEXT_CHARS_MAX } from '../../domain/content/filter.js';
import { PATH_CHARS_MAX } from '../../domain/content/filter-path.js';
import { DRY_RUN_MINUTES, ERASED_AT_ONCE_MAX } from '../../domain/events/erasing.js';
import { BulkStatus } from '../../entities/bulk-operation.js';
import { givenTime, time } from './value-kinds.js';

/** The requests and answers of erasure. The resolvers of `eraseEvent` and `eraseEvents` judge the values. */

/** GraphQL has no integers above 32 bits. */
const count = z.int32().min(0).meta({ format: 'int32' });

const reason = z.string().meta({
  minLength: 1,
  maxLength: 500,
  description:
    'Why, for the audit log. It stays there, so it should not name the person whom it is about. 1 to 500 characters.',
  examples: ['Request 118 of the customer'],
});

export const erasure = z.strictObject({ reason }).meta({
  id: 'Erasure',
  description: 'Why an event is erased.',
  examples: [{ reason: 'Request 118 of the customer' }],
});

/** Written out: a reference with a description beside it makes generators of Go write a type for each. */
const field = z
  .strictObject({
    path: z.string().meta({
      maxLength: PATH_CHARS_MAX,
      description: 'The names that lead to the field, with dots between them, such as customer.id.',
    }),
    op: z.enum(Object.keys(FILTER_OPS) as [string]).meta({
      description: 'How the field is compared, as in the filters of webhooks.',
    }),
    value: z
      .unknown()
      .optional()
      .meta({
        description: `A text of at most ${FILTER_TEXT_CHARS_MAX} characters, a number, a boolean or null; a list of them for IN and NOT_IN; none for EXISTS and MISSING.`,
      }),
  })
  .meta({ description: 'Only events whose payload meets this condition, such as all of one customer.' });

const filter = z
  .strictObject({
    events: z
      .array(z.string())
      .nullish()
      .meta({ description: 'Only events of these names, 1 to 100.', examples: [['booking.created']] }),
    since: givenTime.nullish().meta({ description: 'Only events accepted, or scheduled, at this time or later.' }),
    until: givenTime.nullish().meta({ description: 'Only events accepted, or scheduled, before this time.' }),
    field: field.nullish(),
  })
  .meta({ description: 'Conditions for the events, at least one. All of them must be met.' });

export const bulkErasure = z
  .strictObject({
    filter,
    dry_run: z.boolean().nullish().meta({ description: 'Only count, and erase nothing.' }),
    confirm: count.nullish().meta({
      description: `The total that a dry run of this filter with this key gave in the last ${DRY_RUN_MINUTES} minutes. It is used up: what it has counted is erased, and no event that came later. Required without dry_run.`,
    }),
    reason: reason.nullish(),
  })
  .meta({
    id: 'BulkErasure',
    description: 'The events to erase: first with dry_run, then with the number that it gave, and a reason.',
    examples: [
      { filter: { field: { path: 'customer.id', op: 'EQ', value: 42 } }, dry_run: true },
      {
        filter: { field: { path: 'customer.id', op: 'EQ', value: 42 } },
        confirm: 17,
        reason: 'Request 118 of the customer',
      },
    ],
  });

const idInGraphql = (prefix: string, noun: string) =>
  z.string().meta({ pattern: `^${prefix}_[1-9][0-9]*$`, description: `The id of the ${noun}, as GraphQL has it.` });

export const erasedEvent = z
  .object({
    id: z.string().meta({
      pattern: '^(ev|se)_[1-9][0-9]*$',
      description: 'The id of the event, or of the scheduled event, as GraphQL has it.',
    }),
    event: z.string().meta({ description: 'The name of the event.' }),
    created_at: time.meta({ description: 'When the event was accepted, or scheduled.' }),
    erased_at: time.meta({ description: 'When its payload was erased.' }),
  })
  .meta({
    id: 'ErasedEvent',
    description: 'An event without its payload.',
    examples: [
      {
        id: 'ev_140123456789012',
        event: 'booking.created',
        created_at: '2026-01-31T09:30:00+00:00',
        erased_at: '2026-02-01T10:00:00+00:00',
      },
    ],
  });

const operation = z
  .object({
    id: idInGraphql('op', 'bulk operation'),
    status: z.string().meta({
      pattern: '^[A-Z_]+$',
      description: 'The state of the operation, at first RUNNING. Later versions may add states.',
      examples: Object.values(BulkStatus),
    }),
    begins_at: time.nullable().meta({
      description: `When the erasure of more than ${ERASED_AT_ONCE_MAX} events begins: until then it can be canceled. null: at once.`,
    }),
  })
  .nullable()
  .meta({ description: 'The started bulk operation. null after a dry run.' });

export const bulkErasureStarted = z
  .object({
    total: count.meta({
      format: 'int32',
      description: 'The number of events, and of scheduled events that are not emitted.',
    }),
    total_capped: z.boolean().meta({
      description:
        'Whether there may be more: counting stops after a million rows, but the operation works through all of them.',
    }),
    operation,
  })
  .meta({
    id: 'BulkErasureStarted',
    description: 'The started erasure, or the result of a dry run.',
    examples: [
      { total: 17, total_capped: false, operation: null },
      { total: 17, total_capped: false, operation: { id: 'op_9', status: 'RUNNING', begins_at: null } },
    ],
  });

type Erased = z.output<typeof erasedEvent>;

export interface ErasedNode {
  eraseEvent: { event: Erased | null; scheduledEvent: Erased | null };
}

export interface BulkErasureNode {
  eraseEvents: z.output<typeof bulkErasureStarted>;
}

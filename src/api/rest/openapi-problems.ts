import { z } from 'zod';
import { errorCatalogue, type Reason } from '../../errors.js';
import { headersNamed, usualHeaders } from './openapi-headers.js';
import { PROBLEM_MEDIA_TYPE, problemType } from './problem.js';

type Json = Record<string, unknown>;

/**
 * `not_found` also where the path names no webhook: a platform key may name a tenant that does not exist.
 * `tenant_elsewhere` and `tenant_moving` only with cells.
 */
const onEveryRoute = [
  ...(['unauthenticated', 'scope_missing', 'not_found', 'invalid_input'] as const),
  ...(['tenant_elsewhere', 'rate_limited', 'tenant_moving', 'unavailable', 'internal'] as const),
];
export const onRoutesWithBody = ['malformed_json', 'payload_too_large', 'unsupported_media_type'] as const;

/** Routes that change a webhook or its options have these. */
export const onChanges = ['header_malformed', 'precondition_failed', 'older_daemons'] as const;

/** The route that creates a webhook has these, three by its idempotency key. */
export const onCreation = [
  ...(['header_malformed', 'webhook_limit_reached', 'older_daemons', 'external_id_taken'] as const),
  ...(['idempotency_key_reused', 'webhook_deleted', 'secret_rotated'] as const),
];

/**
 * The errors of well-formed requests to the routes. There is no `default` besides: with an answer of any status,
 * TypeScript could not distinguish answers by their status.
 */
const reasons = [
  ...onEveryRoute,
  ...onRoutesWithBody,
  ...onCreation,
  ...(['precondition_failed', 'webhook_inactive', 'secrets_bound_to_origin', 'webhook_unverified'] as const),
  ...(['bulk_operation_limit_reached', 'search_timed_out'] as const),
] satisfies readonly Reason[];
type ProblemReason = (typeof reasons)[number];

/** Errors that every route has together. */
const sameStatus: Partial<Record<ProblemReason, Reason>> = { scope_missing: 'tenant_required' };

const issueExample = { pointer: '/url', code: 'required', detail: 'is required' };
const exampleOf = (reason: Reason) => {
  const { status, title } = errorCatalogue[reason];
  const example = { type: problemType(reason), title, status, detail: `${title}.`, code: reason };
  return reason === 'invalid_input' ? { ...example, detail: '/url: is required', errors: [issueExample] } : example;
};

export const problemIssue = z
  .object({
    pointer: z.string().optional().meta({ description: 'The path in the body, as a JSON pointer (RFC 6901).' }),
    parameter: z.string().optional().meta({ description: 'The query parameter, if it is not in the body.' }),
    code: z.string().meta({ description: 'The broken rule, for programs.' }),
    detail: z.string().meta({ description: 'The broken rule, for people.' }),
  })
  .meta({ id: 'ProblemIssue', description: 'A rule that the request breaks.', examples: [issueExample] });

export const problem = z
  .object({
    type: z
      .string()
      .meta({ format: 'uri-reference', description: 'The kind of error: the address of its explanation.' }),
    title: z.string().meta({ description: 'The kind of error, for people.' }),
    status: z.int().min(400).max(599).meta({ format: 'int32', description: 'The HTTP status.' }),
    detail: z.string().meta({ description: 'A sentence about this request.' }),
    code: z.string().meta({
      pattern: '^[a-z_]+$',
      description: 'The kind of error, for programs. Later versions may add codes.',
      examples: [...reasons, 'tenant_required'],
    }),
    errors: z.array(problemIssue).optional().meta({
      description:
        'With status 422: at most 100 broken rules, first those of the form, and once that is right, those of the values.',
    }),
  })
  .meta({ id: 'Problem', description: 'An error (RFC 9457).', examples: [exampleOf('invalid_input')] });

/** The errors of a route, for `responses` of its operation. Errors of one status share a response. */
export function problems(...more: readonly ProblemReason[]): Json {
  const byStatus = Map.groupBy([...onEveryRoute, ...more], (reason) => errorCatalogue[reason].status);
  return Object.fromEntries(
    [...byStatus].map(([status, [reason, ...others]]) => [
      status,
      others.length === 0 ? { $ref: `#/components/responses/${nameOf(reason!)}` } : problemResponse(reason!, ...others),
    ]),
  );
}

/** The member `responses` of the components: those that a route has alone with their status. */
export function problemResponses(paths: Json): Json {
  const text = JSON.stringify(paths);
  return Object.fromEntries(
    reasons
      .filter((reason) => text.includes(`"#/components/responses/${nameOf(reason)}"`))
      .map((reason) => {
        const other = sameStatus[reason];
        return [nameOf(reason), problemResponse(reason, ...(other === undefined ? [] : [other]))];
      }),
  );
}

/** `not_found` is `NotFound` among the components. */
const nameOf = (reason: Reason): string =>
  reason.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** @param others of the same status */
function problemResponse(reason: ProblemReason, ...others: readonly Reason[]): Json {
  const { status } = errorCatalogue[reason];
  const all = [reason, ...others];
  return {
    description: all.map((each) => errorCatalogue[each].title).join(', or: '),
    headers: {
      ...(status === 401 ? headersNamed('X-Request-Id', 'WWW-Authenticate') : headersNamed(...usualHeaders)),
      ...(status === 429 || status === 503 ? headersNamed('Retry-After') : {}),
      ...(status === 421 ? headersNamed('Hookwright-Cell') : {}),
    },
    content: {
      [PROBLEM_MEDIA_TYPE]: {
        schema: { $ref: '#/components/schemas/Problem' },
        ...(others.length === 0
          ? { example: exampleOf(reason) }
          : { examples: Object.fromEntries(all.map((each) => [each, { value: exampleOf(each) }])) }),
      },
    },
  };
}

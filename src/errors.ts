/**
 * The catalogue of errors, for REST and GraphQL alike: `reason` is the `code` of a REST problem and
 * `extensions.reason` in GraphQL, `code` is `extensions.code` in GraphQL. Elsewhere are only those of requests that
 * reach no route and no resolver: `server.ts` (no HTTP) and `graphql/fields/errors.ts` (GraphQL's own codes).
 */
export const errorCatalogue = {
  host_missing: { status: 400, code: 'BAD_USER_INPUT', title: 'The request names no host' },
  header_repeated: { status: 400, code: 'BAD_USER_INPUT', title: 'A header stands more than once' },
  header_malformed: { status: 400, code: 'BAD_USER_INPUT', title: 'A header cannot be read' },
  malformed_json: { status: 400, code: 'BAD_USER_INPUT', title: 'The request body is not JSON' },
  unauthenticated: { status: 401, code: 'UNAUTHENTICATED', title: 'A valid API key is required' },
  scope_missing: { status: 403, code: 'FORBIDDEN', title: 'The API key may not do this' },
  tenant_required: { status: 403, code: 'FORBIDDEN', title: 'The request must name a tenant' },
  not_found: { status: 404, code: 'NOT_FOUND', title: 'Not found' },
  method_not_allowed: { status: 405, code: 'BAD_USER_INPUT', title: 'Method not allowed' },
  webhook_limit_reached: {
    status: 409,
    code: 'CONFLICT',
    title: 'The tenant has as many webhooks as it may have',
  },
  api_key_limit_reached: {
    status: 409,
    code: 'CONFLICT',
    title: 'The tenant has as many active API keys as it may have',
  },
  event_type_limit_reached: {
    status: 409,
    code: 'CONFLICT',
    title: 'There are as many event types as there may be',
  },
  webhook_inactive: { status: 409, code: 'CONFLICT', title: 'The webhook is not active' },
  webhook_deleted: { status: 409, code: 'CONFLICT', title: 'The webhook was deleted' },
  delivery_not_finished: { status: 409, code: 'CONFLICT', title: 'The delivery is still under way' },
  delivery_finished: { status: 409, code: 'CONFLICT', title: 'The delivery has come to its end' },
  event_gone: { status: 409, code: 'CONFLICT', title: 'The event is not kept any more' },
  bulk_operation_limit_reached: {
    status: 409,
    code: 'CONFLICT',
    title: 'As many bulk operations are under way as there may be',
  },
  bulk_operation_finished: { status: 409, code: 'CONFLICT', title: 'The bulk operation has ended' },
  bulk_operation_not_resumable: {
    status: 409,
    code: 'CONFLICT',
    title: 'The bulk operation cannot be resumed',
  },
  rotation_under_way: { status: 409, code: 'CONFLICT', title: 'A rotation is under way' },
  idempotency_key_reused: {
    status: 409,
    code: 'CONFLICT',
    title: 'The idempotency key belongs to another request',
  },
  portal_code_used: { status: 410, code: 'CONFLICT', title: 'The link was opened before' },
  portal_code_expired: { status: 410, code: 'CONFLICT', title: 'The link has expired' },
  precondition_failed: { status: 412, code: 'CONFLICT', title: 'It was changed in between' },
  name_taken: { status: 409, code: 'CONFLICT', title: 'The name is taken' },
  payload_too_large: { status: 413, code: 'PAYLOAD_TOO_LARGE', title: 'Too large' },
  unsupported_media_type: {
    status: 415,
    code: 'BAD_USER_INPUT',
    title: 'The request body must be application/json',
  },
  expectation_unknown: {
    status: 417,
    code: 'BAD_USER_INPUT',
    title: 'The request expects what the service does not do',
  },
  invalid_input: { status: 422, code: 'BAD_USER_INPUT', title: 'The input breaks a rule' },
  search_timed_out: { status: 422, code: 'TIMED_OUT', title: 'The search took too long' },
  payload_too_deep: {
    status: 422,
    code: 'PAYLOAD_TOO_DEEP',
    title: 'The payload is nested too deep to be shown as an object',
  },
  answer_too_large: { status: 422, code: 'ANSWER_TOO_LARGE', title: 'The answer would be too long' },
  rate_limited: { status: 429, code: 'RATE_LIMITED', title: 'Too many requests' },
  unavailable: { status: 503, code: 'UNAVAILABLE', title: 'The service cannot do this at the moment' },
  internal: { status: 500, code: 'INTERNAL_SERVER_ERROR', title: 'An error of the service' },
} as const;

export type Reason = keyof typeof errorCatalogue;

/** Where something stands in an input. */
export type Path = readonly (string | number)[];

/** One broken rule of an input: where (path into the input), a code, and a sentence. */
export interface InputIssue {
  path: Path;
  code: string;
  detail: string;
}

/** Something that a caller is told: `detail` is a sentence for a person, free of anything secret. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly reason: Reason,
    readonly detail: string,
    readonly extra: {
      issues?: readonly InputIssue[];
      retryAfterSeconds?: number;
      /** Of the limits that the request was counted against. */
      limits?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(detail);
  }

  get status(): number {
    return errorCatalogue[this.reason].status;
  }

  get code(): string {
    return errorCatalogue[this.reason].code;
  }

  /** Those that go with the status, and those of the limits. */
  get headers(): Record<string, string> {
    const { retryAfterSeconds, limits } = this.extra;
    return { ...limits, ...headersOf({ code: this.code, retryAfterSeconds }) };
  }
}

/** The headers that go with the status of what is refused (RFC 9110 §§10.2.3, 11.6.1). */
export function headersOf(error: { code?: unknown; retryAfterSeconds?: unknown }): Record<string, string> {
  return {
    ...(error.code === 'UNAUTHENTICATED' ? { 'www-authenticate': 'Bearer' } : {}),
    ...(typeof error.retryAfterSeconds === 'number' ? { 'retry-after': String(error.retryAfterSeconds) } : {}),
  };
}

/** Nobody reads more of them. */
const ISSUES_SHOWN_MAX = 100;
/** The name of a property can be as long as the request. */
const NAME_SHOWN_CHARS_MAX = 100;

/**
 * @returns the error for an input with broken rules, whose detail names the first and counts the others; it has at most
 *   100 of them, whose paths have at most the first 100 characters of each name
 */
export function invalidInput(issues: readonly InputIssue[]): ApiError {
  const shown = issues.slice(0, ISSUES_SHOWN_MAX).map((issue) => ({ ...issue, path: issue.path.map(shownName) }));
  const [first] = shown;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return new ApiError('invalid_input', first ? `${first.path.join('.')}: ${first.detail}${more}` : '', {
    issues: shown,
  });
}

const shownName = (name: string | number): string | number =>
  typeof name === 'string' && name.length > NAME_SHOWN_CHARS_MAX ? `${name.slice(0, NAME_SHOWN_CHARS_MAX)}…` : name;

/** @throws ApiError invalid_input, if there are any */
export function requireNoIssues(issues: readonly InputIssue[]): void {
  if (issues.length > 0) {
    throw invalidInput(issues);
  }
}

/** @param waitMs until the same request can be served @param limits the headers of the limits */
export function rateLimited(why: string, waitMs: number, limits: Readonly<Record<string, string>> = {}): ApiError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
  const detail = `${why} Try again in ${retryAfterSeconds} s.`;
  return new ApiError('rate_limited', detail, { retryAfterSeconds, limits });
}

/** A foreign id and an unknown one read the same, so that nobody can ask whose an id is. */
export function notFound(noun: string, id: string | number): ApiError {
  return new ApiError('not_found', `There is no ${noun} ${id}.`);
}

/** For a request that carries no key and needs one. */
export function keyRequired(): ApiError {
  return new ApiError('unauthenticated', 'Send an API key in the header Authorization: Bearer <key>.');
}

/**
 * The catalogue of errors. The name of an entry is the `code` of a REST problem and `extensions.reason` in GraphQL; its
 * `code` is `extensions.code` in GraphQL. Requests that reach no route and no resolver have their errors elsewhere:
 * `api/server.ts` (bad HTTP) and `api/graphql/fields/errors.ts` (GraphQL's own codes).
 */
export const errorCatalogue = {
  header_repeated: { status: 400, code: 'BAD_USER_INPUT', title: 'Repeated header' },
  header_malformed: { status: 400, code: 'BAD_USER_INPUT', title: 'Malformed header' },
  malformed_json: { status: 400, code: 'BAD_USER_INPUT', title: 'Malformed JSON' },
  unauthenticated: { status: 401, code: 'UNAUTHENTICATED', title: 'Valid API key required' },
  scope_missing: { status: 403, code: 'FORBIDDEN', title: 'Scope missing' },
  option_not_allowed: { status: 403, code: 'FORBIDDEN', title: 'Option not allowed' },
  tenant_required: { status: 403, code: 'FORBIDDEN', title: 'Tenant required' },
  not_found: { status: 404, code: 'NOT_FOUND', title: 'Not found' },
  method_not_allowed: { status: 405, code: 'BAD_USER_INPUT', title: 'Method not allowed' },
  webhook_limit_reached: { status: 409, code: 'CONFLICT', title: 'Webhook limit reached' },
  api_key_limit_reached: { status: 409, code: 'CONFLICT', title: 'API key limit reached' },
  event_type_limit_reached: { status: 409, code: 'CONFLICT', title: 'Event type limit reached' },
  webhook_inactive: { status: 409, code: 'CONFLICT', title: 'Webhook is inactive' },
  webhook_unverified: { status: 409, code: 'CONFLICT', title: 'Endpoint has not proved that it wants deliveries' },
  webhook_not_failing: { status: 409, code: 'CONFLICT', title: 'Webhook is not disabled by failures' },
  secrets_bound_to_origin: { status: 409, code: 'CONFLICT', title: 'Secrets belong to another origin' },
  webhook_deleted: { status: 409, code: 'CONFLICT', title: 'Webhook was deleted' },
  delivery_not_finished: { status: 409, code: 'CONFLICT', title: 'Delivery has not finished' },
  delivery_held: { status: 409, code: 'CONFLICT', title: 'Delivery is held' },
  key_not_blocked: { status: 409, code: 'CONFLICT', title: 'Ordering key is not blocked' },
  ordering_waits: { status: 409, code: 'CONFLICT', title: 'Delivery waits for an earlier one' },
  delivery_finished: { status: 409, code: 'CONFLICT', title: 'Delivery has finished' },
  scheduled_limit_reached: { status: 409, code: 'CONFLICT', title: 'Limit of scheduled events reached' },
  scheduled_event_emitted: { status: 409, code: 'CONFLICT', title: 'Scheduled event was emitted' },
  event_gone: { status: 409, code: 'CONFLICT', title: 'Event is no longer kept' },
  event_erased: { status: 409, code: 'CONFLICT', title: 'Event was erased' },
  bulk_operation_limit_reached: { status: 409, code: 'CONFLICT', title: 'Bulk operation limit reached' },
  older_daemons: { status: 409, code: 'CONFLICT', title: 'Older daemons are running' },
  bulk_operation_finished: { status: 409, code: 'CONFLICT', title: 'Bulk operation has finished' },
  bulk_operation_not_resumable: { status: 409, code: 'CONFLICT', title: 'Bulk operation cannot be resumed' },
  mail_not_configured: { status: 409, code: 'CONFLICT', title: 'Mail is not configured' },
  notice_recipient_limit_reached: { status: 409, code: 'CONFLICT', title: 'Limit of notice recipients reached' },
  notice_recipient_exists: { status: 409, code: 'CONFLICT', title: 'Notice recipient exists' },
  notice_recipient_not_confirmed: { status: 409, code: 'CONFLICT', title: 'Address is not confirmed' },
  rotation_under_way: { status: 409, code: 'CONFLICT', title: 'Secret rotation under way' },
  signing_not_available: { status: 409, code: 'CONFLICT', title: 'Signing by a key pair is not available' },
  secret_rotated: { status: 409, code: 'CONFLICT', title: 'Secret was rotated' },
  idempotency_key_reused: { status: 409, code: 'CONFLICT', title: 'Idempotency key used for something else' },
  portal_code_used: { status: 410, code: 'CONFLICT', title: 'Link already used' },
  portal_code_expired: { status: 410, code: 'CONFLICT', title: 'Link expired' },
  precondition_failed: { status: 412, code: 'CONFLICT', title: 'Changed by somebody else' },
  name_taken: { status: 409, code: 'CONFLICT', title: 'Name is taken' },
  external_id_taken: { status: 409, code: 'CONFLICT', title: 'External id is taken' },
  payload_too_large: { status: 413, code: 'PAYLOAD_TOO_LARGE', title: 'Request too large' },
  unsupported_media_type: { status: 415, code: 'BAD_USER_INPUT', title: 'Content-Type must be application/json' },
  tenant_elsewhere: { status: 421, code: 'MISDIRECTED', title: 'Tenant lives in another cell' },
  invalid_input: { status: 422, code: 'BAD_USER_INPUT', title: 'Invalid input' },
  search_timed_out: { status: 422, code: 'TIMED_OUT', title: 'Search timed out' },
  payload_too_deep: { status: 422, code: 'PAYLOAD_TOO_DEEP', title: 'Payload nested too deeply' },
  answer_too_large: { status: 422, code: 'ANSWER_TOO_LARGE', title: 'Answer too large' },
  rate_limited: { status: 429, code: 'RATE_LIMITED', title: 'Too many requests' },
  tenant_moving: { status: 503, code: 'UNAVAILABLE', title: 'Tenant is being moved' },
  unavailable: { status: 503, code: 'UNAVAILABLE', title: 'Service temporarily unavailable' },
  internal: { status: 500, code: 'INTERNAL_SERVER_ERROR', title: 'Internal error' },
} as const;

export type Reason = keyof typeof errorCatalogue;

/** The path of a value in an input. */
export type Path = readonly (string | number)[];

/** A broken rule of an input. `detail` continues the path as a sentence. */
export interface InputIssue {
  path: Path;
  code: string;
  detail: string;
}

/** An error that the caller sees. `detail` is a sentence for people, without secrets. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly reason: Reason,
    readonly detail: string,
    readonly extra: {
      issues?: readonly InputIssue[];
      retryAfterSeconds?: number;
      /** The cell that the request belongs to. */
      cell?: number;
      /** The headers of the rate limits. */
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

  /** The headers of the status and of the rate limits. */
  get headers(): Record<string, string> {
    const { retryAfterSeconds, cell, limits } = this.extra;
    return { ...limits, ...headersOf({ code: this.code, retryAfterSeconds, cell }) };
  }
}

/** The headers that an error's status asks for (RFC 9110 §§10.2.3, 11.6.1), and the cell of a misdirected request. */
export function headersOf(error: {
  code?: unknown;
  retryAfterSeconds?: unknown;
  cell?: unknown;
}): Record<string, string> {
  return {
    ...(error.code === 'UNAUTHENTICATED' ? { 'www-authenticate': 'Bearer' } : {}),
    ...(typeof error.retryAfterSeconds === 'number' ? { 'retry-after': String(error.retryAfterSeconds) } : {}),
    ...(typeof error.cell === 'number' ? { 'hookwright-cell': String(error.cell) } : {}),
  };
}

const ISSUES_SHOWN_MAX = 100;
/** A property's name can be as long as the request. */
const NAME_SHOWN_CHARS_MAX = 100;

/**
 * Makes the error for an input with broken rules: the detail names the first one and counts the others. The error lists
 * at most 100; long names in their paths are cut.
 */
export function invalidInput(issues: readonly InputIssue[]): ApiError {
  const shown = issues.slice(0, ISSUES_SHOWN_MAX).map((issue) => ({ ...issue, path: issue.path.map(shownName) }));
  const [first] = shown;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return new ApiError('invalid_input', first ? `${first.path.join('.')}: ${first.detail}${more}` : '', {
    issues: shown,
  });
}

/** The same for one broken rule of a mutation's input. @param path within the input */
export const refusedInput = (path: Path, code: string, detail: string): ApiError =>
  invalidInput([{ path: ['input', ...path], code, detail }]);

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

/** The same for an unknown id and another tenant's, so that the error does not show whether an id exists. */
export function notFound(noun: string, id: string | number): ApiError {
  return new ApiError('not_found', `There is no ${noun} ${id}.`);
}

/** Requires that a thing was found. @throws ApiError not_found */
export function found<Thing>(thing: Thing | null | undefined, noun: string, id: number | string): Thing {
  if (thing == null) {
    throw notFound(noun, id);
  }
  return thing;
}

/** @param what a noun with its number, such as `event 12` */
export const eventErased = (what: string): ApiError =>
  new ApiError('event_erased', `The payload of ${what} was erased. Nobody has it any more.`);

/** @param who the tenant or the key that the request names, which is not in this cell */
export const tenantElsewhere = (cell: number, who: string): ApiError =>
  new ApiError('tenant_elsewhere', `${who} belongs to cell ${cell}, and this is another one.`, { cell });

/** A tenant takes no changes while the last of it is moved to another cell, which takes seconds. */
export const tenantMoving = (): ApiError =>
  new ApiError('tenant_moving', 'The tenant is being moved to another cell. Try again in a second.', {
    retryAfterSeconds: 1,
  });

/** A request needs an API key and has none. */
export function keyRequired(): ApiError {
  return new ApiError('unauthenticated', 'Send an API key in the header Authorization: Bearer <key>.');
}

import { HookwrightError, type Issue } from './error.js';

/** An issue or an error as GraphQL has it. */
interface RawIssue {
  path?: readonly (string | number)[];
  code?: string;
  detail?: string;
}

interface RawError {
  message?: string;
  extensions?: { code?: string; reason?: string; errors?: readonly RawIssue[] };
}

export interface RawResult {
  event: { id: string } | null;
  deliveryCount: number;
  duplicate: boolean;
  error: { code: string; detail: string; issues: readonly RawIssue[] } | null;
}

interface RawAnswer {
  data?: { emitEvents?: { results?: readonly RawResult[] } | null } | null;
  errors?: readonly RawError[];
}

/** The service has looked at each event. */
export interface Accepted {
  results: readonly RawResult[];
  requestId: string | null;
}

/** What came of one try. */
export type Answer = Accepted | { failure: HookwrightError; isRepeated: boolean; retryAfterMs?: number | undefined };

/** The same request may be answered otherwise a moment later. */
const REPEATED: readonly number[] = [408, 429, 502, 503, 504];
const TITLE_CHARS_MAX = 100;

/** Reads an answer, of the service or of something else at its address. */
export function readAnswer(response: Response, text: string, { url, key }: { url: string; key: string }): Answer {
  const { status, headers } = response;
  const requestId = headers.get('x-request-id');
  const answer = parse(text);
  const results = answer?.data?.emitEvents?.results;
  if (results) {
    return { results, requestId };
  }
  const isRepeated = REPEATED.includes(status);
  const error = answer?.errors?.[0];
  const failure =
    error === undefined
      ? new HookwrightError(strangerSays(response, text, url), {
          code: isRepeated ? 'unavailable' : 'not_hookwright',
          requestId,
          retryable: isRepeated || status >= 500,
        })
      : failureOf(error, { url, key, requestId, isRepeated });
  return { failure, isRepeated, retryAfterMs: retryAfterOf(headers.get('retry-after')) };
}

function failureOf(
  { message = 'no reason was given', extensions = {} }: RawError,
  { url, key, requestId, isRepeated }: { url: string; key: string; requestId: string | null; isRepeated: boolean },
): HookwrightError {
  const { code: graphqlCode = 'unknown', reason = graphqlCode.toLowerCase(), errors = [] } = extensions;
  if (reason === 'unauthenticated') {
    const sentence = `Hookwright at ${url} refuses the key ${shown(key)}.`;
    return new HookwrightError(sentence, { code: reason, requestId });
  }
  // The path begins with input.
  const issues = errors.map((issue) => issueOf(issue, (issue.path ?? []).slice(1)));
  const retryable = isRepeated || reason === 'internal';
  return refusal(issues, message, requestId, { code: reason, retryable });
}

/** @param detail of a refusal without issues */
export function refusal(
  issues: readonly Issue[],
  detail: string,
  requestId: string | null,
  { code = 'unknown', retryable = false } = {},
): HookwrightError {
  const [first] = issues;
  const details = { code: first?.code ?? code, issues, requestId, retryable };
  if (first === undefined) {
    return new HookwrightError(detail, details);
  }
  const sentence = /^[A-Z]/.test(first.message) ? first.message : `${first.path.join('.')} ${first.message}`;
  return new HookwrightError(`${sentence}${issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''}`, details);
}

/** What the client calls otherwise. */
const sentences: Readonly<Record<string, string>> = {
  tenant_required: 'A platform key names the tenant: in createClient({ tenant }), or in the options of the emit.',
};

export const issueOf = ({ code = 'unknown', detail = '' }: RawIssue, path: readonly (string | number)[]): Issue => ({
  path,
  code,
  message: sentences[code] ?? detail,
});

function parse(text: string): RawAnswer | null {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' ? (value as RawAnswer | null) : null;
  } catch {
    return null;
  }
}

/** Seconds or a date (RFC 9110 §10.2.3). */
function retryAfterOf(header: string | null): number | undefined {
  const ms =
    header === null ? Number.NaN : /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** The beginning of a key, which is not a secret, shows which one it is. */
function shown(key: string): string {
  const [known] = /^hw_\d+_/.exec(key) ?? [];
  return known === undefined
    ? 'that it got: keys of Hookwright begin with "hw_"'
    : `${known}…: it is unknown, mistyped, expired or revoked`;
}

function strangerSays({ status, headers }: Response, text: string, url: string): string {
  const location = headers.get('location');
  if (status >= 300 && status < 400 && location !== null) {
    return `${url}/graphql answers ${status} and redirects to ${location}. Give createClient the address where Hookwright itself is.`;
  }
  const [, title = ''] = /<title>([^<]*)/i.exec(text) ?? [];
  const said = title.trim() === '' ? (headers.get('content-type') ?? 'no content type') : `"${title.trim()}"`;
  const begin = `${url}/graphql answers ${status} (${said.slice(0, TITLE_CHARS_MAX)}), and not as Hookwright does`;
  return REPEATED.includes(status) || status >= 500
    ? `${begin}: a proxy before it says that it is not available.`
    : `${begin}. Is ${url} its address?`;
}

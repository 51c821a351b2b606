import { type Accepted, type Answer, readAnswer } from './answers.js';
import { HookwrightError } from './error.js';

export interface Connection {
  /** Without a slash at its end. */
  url: string;
  key: string;
  timeoutMs: number;
  fetch: typeof fetch;
}

/** Hookwright answers within 15 s: a longer silence is that of a connection that is gone. */
const TRY_MS_MAX = 20_000;
const FIRST_PAUSE_MS = 200;
const PAUSE_MS_MAX = 5_000;

/**
 * Sends a request, and again while it fails for reasons that pass.
 *
 * @param body of a request that may be repeated
 * @returns the failure of the last try, when there is no time for another one or it would be in vain
 */
export async function ask(connection: Connection, body: string): Promise<Accepted | HookwrightError> {
  const startedAt = Date.now();
  const leftMs = () => connection.timeoutMs - (Date.now() - startedAt);
  for (let tries = 1; ; tries++) {
    const answer = await tryOnce(connection, body, Math.max(1, Math.min(TRY_MS_MAX, leftMs())));
    if ('results' in answer) {
      return answer;
    }
    const waitMs = pauseMs(tries, answer.retryAfterMs);
    if (!answer.isRepeated || waitMs >= leftMs()) {
      return tries === 1 ? answer.failure : afterTries(answer.failure, tries, Date.now() - startedAt);
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

/** With jitter, so that producers do not come back all at once. */
function pauseMs(tries: number, retryAfterMs: number | undefined): number {
  const backoffMs = Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** (tries - 1));
  return retryAfterMs === undefined
    ? backoffMs * (0.5 + Math.random() / 2)
    : retryAfterMs + Math.random() * FIRST_PAUSE_MS;
}

function afterTries(failure: HookwrightError, tries: number, ms: number): HookwrightError {
  const { message, cause } = failure;
  const took = `${tries} tries in ${(ms / 1_000).toFixed(1)} s`;
  return new HookwrightError(`${message.replace(/\.$/, '')} (${took}).`, { ...failure, cause });
}

async function tryOnce(connection: Connection, body: string, ms: number): Promise<Answer> {
  const { url, key } = connection;
  try {
    const response = await connection.fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', authorization: `Bearer ${key}` },
      body,
      redirect: 'manual', // a redirected POST becomes a GET, and the key would go elsewhere
      signal: AbortSignal.timeout(ms),
    });
    return readAnswer(response, await response.text(), connection);
  } catch (cause) {
    const isSlow = (cause as Error | null)?.name === 'TimeoutError';
    const [code, message] = isSlow
      ? ['timed_out', `Hookwright at ${url} did not answer within ${(ms / 1_000).toFixed(1)} s.`]
      : ['unreachable', `Hookwright at ${url} cannot be reached: ${reasonOf(cause)}.`];
    return { failure: new HookwrightError(message, { code, retryable: true, cause }), isRepeated: true };
  }
}

/** The innermost reason: that of `fetch` is "fetch failed". */
function reasonOf(error: unknown): string {
  const { cause, errors, message, code } = (error ?? {}) as {
    cause?: unknown;
    errors?: unknown[];
    message?: string;
    code?: string;
  };
  const inner = cause ?? errors?.[0];
  return inner === undefined ? message || code || String(error) : reasonOf(inner);
}

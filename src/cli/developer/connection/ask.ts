import type { Connection } from './connection.js';

const TIMEOUT_MS = 30_000;

interface Issue {
  path: readonly string[];
  code: string;
  /** Continues the path as a sentence, or is one. */
  detail: string;
}

interface GraphqlError {
  message: string;
  extensions?: {
    code?: string;
    reason?: string;
    retryAfterSeconds?: number;
    errors?: readonly Issue[];
  };
}

/** By reasons: what the command line calls otherwise. */
const SENTENCES: Readonly<Record<string, string>> = {
  tenant_required: 'With a platform key, name the tenant: --tenant <id>.',
};

/** The service's refusal, as a sentence for people. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';

  constructor(
    message: string,
    /** `extensions.code` (docs/graphql.md, "Errors"); empty where the answer has none. */
    readonly code: string,
    /** Undefined: repeating the request does not help. */
    readonly retryAfterSeconds: number | undefined,
    /** `extensions.reason`, and the codes of broken rules of an input. */
    readonly reasons: readonly string[],
  ) {
    super(message);
  }
}

interface AskOptions {
  /** A query that finds nothing has null in its answer, and no error. */
  mayBeAbsent?: boolean;
}

/**
 * Runs a GraphQL document.
 *
 * @returns the answer's data
 * @throws RefusedError for an answer with errors
 * @throws Error with a sentence when there is no service, or something else answers
 */
export async function ask<Data>(
  connection: Connection,
  query: string,
  variables: object = {},
  { mayBeAbsent = false }: AskOptions = {},
): Promise<Data> {
  const response = await post(connection, JSON.stringify({ query, variables }));
  const answer = await jsonOf(response);
  if (answer === undefined || (answer.data === undefined && !Array.isArray(answer.errors))) {
    throw new Error(refusalOf(response, connection));
  }
  const { data } = answer;
  const isAbsent = ({ extensions }: GraphqlError) => mayBeAbsent && data !== null && extensions?.code === 'NOT_FOUND';
  const errors = (answer.errors ?? []).filter((error) => !isAbsent(error));
  if (errors.length > 0 || data === undefined) {
    const isUnknown = errors[0]?.extensions?.code === 'UNAUTHENTICATED';
    const message = isUnknown
      ? `${connection.url} refuses the API key of ${connection.keyFrom}. ${errors[0]?.message}`
      : errors.map(sentenceOf).join('\n');
    const { code = '', reason = '', retryAfterSeconds, errors: issues = [] } = errors[0]?.extensions ?? {};
    throw new RefusedError(message, code, retryAfterSeconds, [reason, ...issues.map((issue) => issue.code)]);
  }
  return data as Data;
}

async function post({ url, key, tenant }: Connection, body: string): Promise<Response> {
  try {
    return await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
        ...(tenant === undefined ? {} : { 'hookwright-tenant': tenant }),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (error) {
    const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
    if (cause?.code === 'ECONNREFUSED') {
      throw new Error(`Nothing listens at ${url}. Start the service there, or name another one with --url.`);
    }
    throw new Error(`${url} cannot be reached: ${cause?.message || cause?.code || message}.`);
  }
}

async function jsonOf(response: Response): Promise<{ data?: unknown; errors?: GraphqlError[] } | undefined> {
  try {
    const answer: unknown = JSON.parse(await response.text());
    return typeof answer === 'object' && answer !== null ? answer : undefined;
  } catch {
    return undefined;
  }
}

function refusalOf({ status, headers }: Response, { url }: Connection): string {
  const location = headers.get('location');
  return location === null
    ? `${url}/graphql answers ${status}, and not as Hookwright does. Is --url right?`
    : `${url}/graphql redirects to ${location}. Name that address with --url.`;
}

function sentenceOf({ message, extensions: { reason = '', errors: issues = [] } = {} }: GraphqlError): string {
  return issues.length > 0 ? issues.map(issueOf).join('\n') : (SENTENCES[reason] ?? message);
}

function issueOf({ path, code, detail }: Issue): string {
  const place = (path[0] === 'input' ? path.slice(1) : path).join('.').replace(/^body\b/, 'payload');
  return SENTENCES[code] ?? (/^[A-Z]/.test(detail) ? detail : `${place} ${detail}`.trim());
}

import type { Connection } from './connection.js';

const TIMEOUT_MS = 30_000;

interface GraphqlError {
  message: string;
  extensions?: {
    code?: string;
    retryAfterSeconds?: number;
    errors?: readonly { path: readonly string[]; detail: string }[];
  };
}

/** The service's refusal, as a sentence for people. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';

  constructor(
    message: string,
    /** `extensions.code` (docs/graphql.md, "Errors"); empty where the answer has none. */
    readonly code: string,
    /** Undefined: repeating the request does not help. */
    readonly retryAfterSeconds: number | undefined,
  ) {
    super(message);
  }
}

/**
 * Runs a GraphQL document.
 *
 * @returns the answer's data
 * @throws RefusedError for an answer with errors
 * @throws Error with a sentence when there is no service, or something else answers
 */
export async function ask<Data>(connection: Connection, query: string, variables: object = {}): Promise<Data> {
  const response = await post(connection, JSON.stringify({ query, variables }));
  const answer = await jsonOf(response);
  if (answer === undefined || (answer.data === undefined && !Array.isArray(answer.errors))) {
    throw new Error(refusalOf(response, connection));
  }
  const { data, errors = [] } = answer;
  if (errors.length > 0 || data === undefined) {
    const isUnknown = errors[0]?.extensions?.code === 'UNAUTHENTICATED';
    const message = isUnknown
      ? `${connection.url} refuses the API key of ${connection.keyFrom}.`
      : errors.map(sentenceOf).join('\n');
    const { code = '', retryAfterSeconds } = errors[0]?.extensions ?? {};
    throw new RefusedError(message, code, retryAfterSeconds);
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

function sentenceOf({ message, extensions }: GraphqlError): string {
  const issues = (extensions?.errors ?? []).map(({ path, detail }) => `${path.join('.')}: ${detail}`);
  return issues.length > 0 ? issues.join('\n') : message;
}

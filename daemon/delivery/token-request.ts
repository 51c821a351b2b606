import type { ClientAuth } from 'oauth4webapi';
import { basicAuthOf } from '../../src/domain/fields/oauth2.js';
import { lifeMsOf } from '../../src/domain/oauth/access-token.js';
import { refusalNamed, type TokenFailure } from '../../src/domain/oauth/token-failure.js';
import { USER_AGENT } from '../../src/platform/node/version.js';
import type { Sender } from '../sending/send.js';

/** A webhook as its token server knows it. The secret is open. */
export interface OAuthClient {
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  scope: string | null;
  audience: string | null;
  clientAuth: 'BASIC' | 'BODY';
  /** Another one with each change of the above. Nobody can tell the secret by it. */
  mark: string;
  /** Whether its token server may be asked now; default: always. */
  mayBeAsked?(): Promise<boolean>;
}

/** A token that was given, or why there is none. */
type TokenAnswer = { text: string; lifeMs: number } | { failure: TokenFailure };

/** A token that a header can have: visible ASCII characters (RFC 6750 §2.1 allows fewer). */
const TOKEN = /^[\x21-\x7e]{1,8192}$/;
const BEARER = 'bearer';
const MEMBERS = ['access_token', 'token_type', 'expires_in'];

class Refused extends Error {
  constructor(readonly failure: TokenFailure) {
    super(failure);
  }
}

/**
 * Asks a token server for an access token (RFC 6749 §4.4), over the guarded connections of deliveries. Nothing of its
 * answer is kept or logged but the token: errors of the library have the whole answer as their cause.
 *
 * @throws EgressProxyAway, NamesGone and others as `Sender.send` does: nothing was asked
 */
export async function requestToken(
  sender: Pick<Sender, 'ask'>,
  client: OAuthClient,
  tenantId: number,
): Promise<TokenAnswer> {
  // Loaded with the first webhook that has OAuth 2.
  const library = await import('oauth4webapi');
  const { tokenUrl, clientId, clientSecret, scope, audience, clientAuth } = client;
  const server = { issuer: tokenUrl, token_endpoint: tokenUrl };
  const caller = { client_id: clientId };
  const prove = clientAuth === 'BASIC' ? provedByBasicAuth(client) : library.ClientSecretPost(clientSecret);
  const wanted = { ...(scope === null ? {} : { scope }), ...(audience === null ? {} : { audience }) };
  let status = 0;
  let ourFault: unknown;
  const fetch = async (url: string, request: { headers: Record<string, string>; body: unknown }) => {
    const sent = await askServer(sender, url, request, tenantId).catch((error) => {
      ourFault = error;
      throw error;
    });
    status = sent.status;
    return sent;
  };
  const options = {
    [library.customFetch]: fetch as never,
    // Whether its address may be called is the guard's to judge: http on loopback, for example.
    [library.allowInsecureRequests]: true,
  };
  try {
    const response = await library.clientCredentialsGrantRequest(server, caller, prove, wanted, options);
    const answer = await library.processClientCredentialsResponse(server, caller, response);
    return tokenIn(answer);
  } catch (error) {
    if (ourFault !== undefined && !(ourFault instanceof Refused)) {
      throw ourFault;
    }
    if (error instanceof Refused) {
      return { failure: error.failure };
    }
    if (error instanceof library.ResponseBodyError) {
      return { failure: refusalNamed(error.error) ?? `HTTP_${status}` };
    }
    if (error instanceof library.UnsupportedOperationError) {
      return { failure: 'TOKEN_TYPE' };
    }
    return { failure: status === 200 ? 'ANSWER_MALFORMED' : `HTTP_${status}` };
  }
}

/** The library's own escapes characters that a form leaves as they are. */
const provedByBasicAuth =
  (client: OAuthClient): ClientAuth =>
  (_server, _client, _body, headers) =>
    headers.set('authorization', basicAuthOf(client, client.clientSecret));

function tokenIn(answer: { access_token: string; token_type: string; expires_in?: number }): TokenAnswer {
  if (answer.token_type !== BEARER) {
    return { failure: 'TOKEN_TYPE' };
  }
  return TOKEN.test(answer.access_token)
    ? { text: answer.access_token, lifeMs: lifeMsOf(answer.expires_in) }
    : { failure: 'TOKEN_MALFORMED' };
}

/** @throws Refused when the answer is none that has a token or a reason */
async function askServer(
  sender: Pick<Sender, 'ask'>,
  url: string,
  { headers, body: form }: { headers: Record<string, string>; body: unknown },
  tenantId: number,
): Promise<Response> {
  const ownHeaders = { 'user-agent': USER_AGENT, 'accept-encoding': 'identity' };
  const request = { headers: { ...headers, ...ownHeaders }, body: Buffer.from(String(form)) };
  const result = await sender.ask(url, request, tenantId);
  if (result.kind === 'error') {
    throw new Refused(result.code);
  }
  const { statusCode: status, bodyTruncated } = result;
  // Redirects are not followed: they would take the secret elsewhere.
  if (status !== 200 && (status < 400 || status > 499)) {
    throw new Refused(`HTTP_${status}`);
  }
  if (bodyTruncated) {
    throw new Refused(status === 200 ? 'ANSWER_INCOMPLETE' : `HTTP_${status}`);
  }
  const body = status === 200 ? tokenMembers(result.body) : result.body;
  // Without WWW-Authenticate, at which the library reads no further.
  return new Response(new Uint8Array(body), { status, headers: { 'content-type': 'application/json' } });
}

/**
 * The part of an answer that is read. The library refuses it for others: a scope that is a list, an ID token of another
 * issuer. Null says nothing, as with many servers.
 */
function tokenMembers(body: Buffer): Buffer {
  let answer: Record<string, unknown>;
  try {
    answer = JSON.parse(body.toString());
  } catch {
    return body;
  }
  const read = MEMBERS.filter((name) => answer?.[name] != null).map((name) => [name, answer[name]]);
  return Buffer.from(JSON.stringify(Object.fromEntries(read)));
}

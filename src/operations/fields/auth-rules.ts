import { isLoopbackUrl, judgeUrl, type TargetPolicy } from '../../domain/addresses/target.js';
import type { AuthInput } from '../../domain/fields/auth.js';
import { HEADER_VALUE_CHARS_MAX, isSameHeader, nameProblem, valueProblem } from '../../domain/fields/headers.js';
import type { OAuth2Input } from '../../domain/fields/oauth2.js';

/** The rules of an auth as people write it. */

interface Known {
  /** `HEADER_PREFIX`. */
  headerPrefix: string;
  /** The addresses that may be called: a token server is one. */
  target: TargetPolicy;
}

interface Problem {
  path: string[];
  code: string;
  detail: string;
}

/** The auth to store, or the broken rules of an input. Their sentences have no values, and no names of one API. */
export function readAuth(input: AuthInput, known: Known): { auth: AuthInput } | { problems: Problem[] } {
  const { basic, bearer, apiKey, oauth2 } = input;
  if ([basic, bearer, apiKey, oauth2].filter((one) => one != null).length !== 1) {
    const detail = 'must have exactly one of a user name with password, a bearer token, an API key and OAuth 2';
    return { problems: [{ path: [], code: 'exactly_one', detail }] };
  }
  const client = oauth2 ? readClient(oauth2, known.target) : null;
  const found: (Problem | null)[] = [
    ...(basic ? basicProblems(basic) : []),
    ...(bearer == null ? [] : [bearerProblem(bearer)]),
    ...(apiKey ? apiKeyProblems(apiKey, known.headerPrefix) : []),
    ...(client?.problems ?? []),
  ];
  const problems = found.filter((one) => one !== null);
  return problems.length > 0 ? { problems } : { auth: client === null ? input : { oauth2: client.input } };
}

const NO_CONTROL = /^[^\p{Cc}\p{Cs}]*$/u;
const TOKEN = /^[\x21-\x7e]+$/;

/** Either may be empty (RFC 7617 §2), and not both: that would prove nothing. Bytes are counted, which base64 has. */
function basicProblems({ username, password }: NonNullable<AuthInput['basic']>): (Problem | null)[] {
  const [nameBytes, passwordBytes] = [Buffer.byteLength(username), Buffer.byteLength(password)];
  const isTooLong = nameBytes + passwordBytes > HEADER_VALUE_CHARS_MAX;
  const together = `must have at most ${HEADER_VALUE_CHARS_MAX} bytes together with the`;
  const problem = (isBroken: boolean, name: 'username' | 'password', detail: string) =>
    isBroken ? { path: ['basic', name], code: `${name}_malformed`, detail } : null;
  return [
    problem(username + password === '', 'username', 'must not be empty while the password is empty too'),
    problem(
      !NO_CONTROL.test(username) || username.includes(':'),
      'username',
      'must not have ":" or control characters',
    ),
    problem(!NO_CONTROL.test(password), 'password', 'must not have control characters'),
    isTooLong && nameBytes > passwordBytes
      ? problem(true, 'username', `${together} password`)
      : problem(isTooLong, 'password', `${together} user name`),
  ];
}

function bearerProblem(bearer: string): Problem | null {
  const detail = `must be 1 to ${HEADER_VALUE_CHARS_MAX} visible ASCII characters, without blanks and without "Bearer"`;
  const isToken = TOKEN.test(bearer) && bearer.length <= HEADER_VALUE_CHARS_MAX;
  return isToken ? null : { path: ['bearer'], code: 'token_malformed', detail };
}

function apiKeyProblems({ header, value }: NonNullable<AuthInput['apiKey']>, prefix: string): (Problem | null)[] {
  const ofName = isSameHeader(header, 'authorization') ? null : nameProblem(header, prefix);
  const ofValue = valueProblem(value);
  return [ofName && { path: ['apiKey', 'header'], ...ofName }, ofValue && { path: ['apiKey', 'value'], ...ofValue }];
}

/** The characters of a client's id and secret (RFC 6749, appendix A.1 and A.2). */
const PRINTABLE = /^[\x20-\x7e]+$/;
/** Tokens with one blank between them (RFC 6749 §3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;
const CLIENT_ID_CHARS_MAX = 1_000;
const SCOPE_CHARS_MAX = 2_000;
const AUDIENCE_CHARS_MAX = 1_000;

/** A scope or audience that is empty is none. */
function readClient(given: OAuth2Input, target: TargetPolicy): { input: OAuth2Input; problems: (Problem | null)[] } {
  const url = judgeTokenUrl(given.tokenUrl, target);
  const input = {
    ...given,
    ...('url' in url ? { tokenUrl: url.url } : {}),
    scope: given.scope || null,
    audience: given.audience || null,
  };
  const { clientId, clientSecret, scope, audience } = input;
  const problem = (isBroken: boolean, name: keyof OAuth2Input, code: string, detail: string) =>
    isBroken ? { path: ['oauth2', name], code, detail } : null;
  const printable = (max: number) => `must be 1 to ${max} printable ASCII characters`;
  const isPrintable = (text: string, max: number) => PRINTABLE.test(text) && text.length <= max;
  const problems = [
    'problem' in url ? url.problem : null,
    problem(
      !isPrintable(clientId, CLIENT_ID_CHARS_MAX),
      'clientId',
      'client_id_malformed',
      printable(CLIENT_ID_CHARS_MAX),
    ),
    problem(
      clientSecret != null && !isPrintable(clientSecret, HEADER_VALUE_CHARS_MAX),
      'clientSecret',
      'client_secret_malformed',
      printable(HEADER_VALUE_CHARS_MAX),
    ),
    problem(
      scope !== null && !(SCOPE.test(scope) && scope.length <= SCOPE_CHARS_MAX),
      'scope',
      'scope_malformed',
      `must be words of visible ASCII characters with one blank between them, without " and \\, at most ${SCOPE_CHARS_MAX} characters together`,
    ),
    problem(
      audience !== null && !isPrintable(audience, AUDIENCE_CHARS_MAX),
      'audience',
      'audience_malformed',
      printable(AUDIENCE_CHARS_MAX),
    ),
  ];
  return { input, problems };
}

/** The rules for a webhook's url hold, and it is encrypted always: it gets a secret. */
function judgeTokenUrl(text: string, target: TargetPolicy): { url: string } | { problem: Problem } {
  const problem = (code: string, detail: string) => ({ problem: { path: ['oauth2', 'tokenUrl'], code, detail } });
  const verdict = judgeUrl(text, target);
  if (!verdict.allowed) {
    const isUserinfo = verdict.code === 'url_userinfo';
    const ownFields = 'must not contain a user name or password: set them as the id and the secret of the client';
    return problem(verdict.code, isUserinfo ? ownFields : verdict.reason);
  }
  const url = new URL(verdict.url);
  return url.protocol === 'https:' || isLoopbackUrl(url)
    ? { url: verdict.url }
    : problem('auth_needs_https', 'needs https://, because it gets the client secret');
}

import { HEADER_VALUE_CHARS_MAX, isSameHeader, type Marked, markOf, nameProblem, valueProblem } from './headers.js';
import { type Held, heldOf, heldValue, type Replace } from './held.js';

/** How a webhook's requests prove to the endpoint who sends them: one secret header. */

export interface AuthInput {
  basic?: { username: string; password: string } | null | undefined;
  bearer?: string | null | undefined;
  apiKey?: { header: string; value: string } | null | undefined;
}

/** The part that readers get. A user name without a password is the secret itself: then it is null. */
type AuthForm = { kind: 'BASIC'; username: string | null } | { kind: 'BEARER' } | { kind: 'API_KEY'; header: string };
export type AuthKind = AuthForm['kind'];

/** The auth of a webhook as its row has it. The secret is the password, user name, token or value. */
export type StoredAuth = AuthForm & Marked & Held;

export interface ShownAuth {
  kind: AuthKind;
  username: string | null;
  header: string | null;
}

export const shownAuth = (stored: AuthForm | null | undefined): ShownAuth | null =>
  stored == null
    ? null
    : {
        kind: stored.kind,
        username: stored.kind === 'BASIC' ? stored.username : null,
        header: stored.kind === 'API_KEY' ? stored.header : null,
      };

/** @param input was checked */
export function storedAuth({ basic, bearer, apiKey }: AuthInput): StoredAuth {
  const held = (secret: string) => ({ ...markOf(secret), ...heldOf(secret) });
  if (basic) {
    const { username, password } = basic;
    return password === ''
      ? { kind: 'BASIC', username: null, ...held(username) }
      : { kind: 'BASIC', username, ...held(password) };
  }
  return apiKey
    ? { kind: 'API_KEY', header: apiKey.header, ...held(apiKey.value) }
    : { kind: 'BEARER', ...held(bearer!) };
}

export function withAuthSecret(auth: StoredAuth, field: string, replace: Replace): StoredAuth | null {
  const value = heldValue(auth);
  const sent = typeof value === 'string' ? authHeaderValue(auth, value) : null;
  const forms = sent === null ? [] : [sent, sent.slice(sent.indexOf(' ') + 1)];
  const other = replace({ name: field, sealedAs: field, value, forms });
  const { sealed: _, open: __, ...rest } = auth as StoredAuth & { sealed?: string; open?: string };
  return other === null ? null : { ...rest, ...heldOf(other) };
}

/** The name of the header that a request has. */
export const authHeaderName = (auth: AuthForm): string => (auth.kind === 'API_KEY' ? auth.header : 'Authorization');

/** The value of that header. @param secret is open */
export function authHeaderValue(auth: AuthForm, secret: string): string {
  switch (auth.kind) {
    case 'BASIC': {
      const pair = auth.username === null ? `${secret}:` : `${auth.username}:${secret}`;
      return `Basic ${Buffer.from(pair).toString('base64')}`;
    }
    case 'BEARER':
      return `Bearer ${secret}`;
    case 'API_KEY':
      return secret;
  }
}

const NO_CONTROL = /^[^\p{Cc}\p{Cs}]*$/u;
const TOKEN = /^[\x21-\x7e]+$/;

interface Problem {
  path: string[];
  code: string;
  detail: string;
}

/** The broken rules of an input. Their sentences have no values. @param prefix of the service's own headers */
export function authProblems({ basic, bearer, apiKey }: AuthInput, prefix: string): Problem[] {
  const given = [basic, bearer, apiKey].filter((one) => one != null);
  if (given.length !== 1) {
    return [
      {
        path: [],
        code: 'exactly_one',
        detail: 'must have exactly one of a user name with password, a bearer token and an API key',
      },
    ];
  }
  const problems: (Problem | null)[] = basic ? basicProblems(basic) : [];
  if (typeof bearer === 'string') {
    const detail = `must be 1 to ${HEADER_VALUE_CHARS_MAX} visible ASCII characters, without blanks and without "Bearer"`;
    const isToken = TOKEN.test(bearer) && bearer.length <= HEADER_VALUE_CHARS_MAX;
    problems.push(isToken ? null : { path: ['bearer'], code: 'token_malformed', detail });
  }
  if (apiKey) {
    const ofName = isSameHeader(apiKey.header, 'authorization') ? null : nameProblem(apiKey.header, prefix);
    const ofValue = valueProblem(apiKey.value);
    problems.push(ofName && { path: ['apiKey', 'header'], ...ofName });
    problems.push(ofValue && { path: ['apiKey', 'value'], ...ofValue });
  }
  return problems.filter((one) => one !== null);
}

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

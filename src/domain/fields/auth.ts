import { isSameHeader, nameProblem, valueProblem } from './headers.js';

/** How a webhook's requests prove to the endpoint who sends them: one secret header. */

export interface AuthInput {
  basic?: { username: string; password: string } | null;
  bearer?: string | null;
  apiKey?: { header: string; value: string } | null;
}

/** The part that readers get. */
export type AuthForm = { kind: 'BASIC'; username: string } | { kind: 'BEARER' } | { kind: 'API_KEY'; header: string };
export type AuthKind = AuthForm['kind'];

/** The auth of a webhook as its row has it: the password, token or value is sealed, in base64. */
export type StoredAuth = AuthForm & { sealed: string };

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

/** The readable part of an input that was checked, and its secret. */
export function authParts({ basic, bearer, apiKey }: AuthInput): { form: AuthForm; secret: string } {
  if (basic) {
    return { form: { kind: 'BASIC', username: basic.username }, secret: basic.password };
  }
  return apiKey
    ? { form: { kind: 'API_KEY', header: apiKey.header }, secret: apiKey.value }
    : { form: { kind: 'BEARER' }, secret: bearer! };
}

/** The name of the header that a request has. */
export const authHeaderName = (auth: AuthForm): string => (auth.kind === 'API_KEY' ? auth.header : 'Authorization');

const USERNAME = /^[^\p{Cc}\p{Cs}:]{1,256}$/u;
const PASSWORD = /^[^\p{Cc}\p{Cs}]{1,512}$/u;
const TOKEN = /^[\x21-\x7e]{1,4096}$/;

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
  const problems: (Problem | null)[] = [];
  if (basic) {
    const [username, password] = [
      ['basic', 'username'],
      ['basic', 'password'],
    ];
    const ofUsername = 'must be 1 to 256 characters, without ":" and control characters';
    const ofPassword = 'must be 1 to 512 characters, without control characters';
    problems.push(
      USERNAME.test(basic.username) ? null : { path: username!, code: 'username_malformed', detail: ofUsername },
    );
    problems.push(
      PASSWORD.test(basic.password) ? null : { path: password!, code: 'password_malformed', detail: ofPassword },
    );
  }
  if (typeof bearer === 'string') {
    const detail = 'must be 1 to 4096 visible ASCII characters, without blanks and without "Bearer"';
    problems.push(TOKEN.test(bearer) ? null : { path: ['bearer'], code: 'token_malformed', detail });
  }
  if (apiKey) {
    const ofName = isSameHeader(apiKey.header, 'authorization') ? null : nameProblem(apiKey.header, prefix);
    const ofValue = valueProblem(apiKey.value);
    problems.push(ofName && { path: ['apiKey', 'header'], ...ofName });
    problems.push(ofValue && { path: ['apiKey', 'value'], ...ofValue });
  }
  return problems.filter((one) => one !== null);
}

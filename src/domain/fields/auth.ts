import { type Marked, markOf } from './headers.js';
import { type Held, heldOf, heldValue, type Replace } from './held.js';
import {
  CLIENT_PARTS,
  formsOfClientSecret,
  isKeptClient,
  type KeptClient,
  type OAuth2Form,
  type OAuth2Input,
  storedClient,
} from './oauth2.js';

/** How a webhook's requests prove to the endpoint who sends them: one secret header, or a token. */

export interface AuthInput {
  basic?: { username: string; password: string } | null | undefined;
  bearer?: string | null | undefined;
  apiKey?: { header: string; value: string } | null | undefined;
  oauth2?: OAuth2Input | null | undefined;
}

/** The secret is sent as it is. A user name without a password is the secret itself: then it is null. */
type FixedForm = { kind: 'BASIC'; username: string | null } | { kind: 'BEARER' } | { kind: 'API_KEY'; header: string };
/** The part that readers get. */
type AuthForm = FixedForm | OAuth2Form;
export type AuthKind = AuthForm['kind'];

/** The auth of a webhook as its row has it. The secret is the password, user name, token, value or client secret. */
export type StoredAuth = AuthForm & Marked & Held;

/** A change on its way to the row. */
export type StoredAuthChange = StoredAuth | KeptClient;

export interface ShownAuth extends Record<(typeof CLIENT_PARTS)[number], string | null> {
  kind: AuthKind;
  username: string | null;
  header: string | null;
  clientAuth: OAuth2Form['clientAuth'] | null;
  /** The webhook that has it. It is not enumerable. */
  readonly webhookId?: number;
}

export const shownAuth = (stored: AuthForm | null | undefined): ShownAuth | null =>
  stored == null
    ? null
    : {
        kind: stored.kind,
        username: stored.kind === 'BASIC' ? stored.username : null,
        header: stored.kind === 'API_KEY' ? stored.header : null,
        ...shownClient(stored.kind === 'OAUTH2' ? stored : null),
      };

const shownClient = (form: OAuth2Form | null) =>
  Object.fromEntries(CLIENT_PARTS.map((name) => [name, form?.[name] ?? null])) as Pick<
    ShownAuth,
    (typeof CLIENT_PARTS)[number]
  >;

/** @param input was checked */
export function storedAuth({ basic, bearer, apiKey, oauth2 }: AuthInput): StoredAuthChange {
  const held = (secret: string) => ({ ...markOf(secret), ...heldOf(secret) });
  if (oauth2) {
    return storedClient(oauth2, heldOf);
  }
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

export function withAuthSecret(auth: StoredAuthChange, field: string, replace: Replace): StoredAuthChange | null {
  if (isKeptClient(auth)) {
    return auth;
  }
  const value = heldValue(auth);
  const forms = typeof value === 'string' ? formsOf(auth, value) : [];
  const alsoTo = auth.kind === 'OAUTH2' ? [auth.tokenUrl] : [];
  const other = replace({ name: field, sealedAs: field, value, forms, alsoTo });
  const { sealed: _, open: __, ...rest } = auth as StoredAuth & { sealed?: string; open?: string };
  return other === null ? null : { ...rest, ...heldOf(other) };
}

function formsOf(auth: StoredAuth, secret: string): string[] {
  if (auth.kind === 'OAUTH2') {
    return formsOfClientSecret(auth, secret);
  }
  const sent = authHeaderValue(auth, secret);
  return [sent, sent.slice(sent.indexOf(' ') + 1)];
}

/** The name of the header that a request has. */
export const authHeaderName = (auth: AuthForm): string => (auth.kind === 'API_KEY' ? auth.header : 'Authorization');

/** Whether each request has the same header. Otherwise it has a token, which is asked for. */
export const isFixedAuth = (auth: StoredAuth): auth is FixedForm & Marked & Held => auth.kind !== 'OAUTH2';

/** The value of that header. @param secret is open */
export function authHeaderValue(auth: FixedForm, secret: string): string {
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

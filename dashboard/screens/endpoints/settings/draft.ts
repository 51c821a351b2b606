import type { DeliveryOptionsInput, EndpointOptionsFragment } from '../../../api/generated/graphql.js';
import { isSameOAuth, keepsClientSecret, type OAuthDraft, oauthInput, oauthOf } from './oauth-draft.js';

export type Options = EndpointOptionsFragment['delivery'];
/** A user name without a password is a kind of its own here: it is the secret. */
export type AuthKind = NonNullable<Options['auth']>['kind'] | 'USERNAME' | 'NONE';

/** A header as somebody writes it. */
export interface HeaderDraft {
  key: number;
  name: string;
  /** Empty for a stored secret, which stays as it is. */
  value: string;
  secret: boolean;
  /** The name of the stored header; undefined: it is new. */
  stored?: string;
}

export interface AuthDraft {
  kind: AuthKind;
  /** The user name, or the name of the header. */
  name: string;
  /** Empty for a stored one, which stays as it is. */
  secret: string;
  oauth: OAuthDraft;
}

export interface Draft {
  method: Options['method'];
  callback: boolean;
  headers: readonly HeaderDraft[];
  auth: AuthDraft;
  /** What was stored when the draft was begun. */
  stored: Pick<Options, 'method' | 'callback' | 'headers' | 'auth'>;
}

export function draftOf(stored: Draft['stored']): Draft {
  const { method, callback, headers, auth } = stored;
  return {
    method,
    callback,
    headers: headers.map(({ name, value, secret }, key) => ({ key, name, value: value ?? '', secret, stored: name })),
    auth: { kind: authKindOf(auth), name: authNameOf(auth), secret: '', oauth: oauthOf(auth) },
    stored,
  };
}

export const authKindOf = (auth: Options['auth']): AuthKind =>
  auth == null ? 'NONE' : auth.kind === 'BASIC' && auth.username == null ? 'USERNAME' : auth.kind;

const authNameOf = (auth: Options['auth']): string => auth?.username ?? auth?.header ?? '';

/** Whether the auth is as it is stored, as far as anybody can see. */
const isStoredAuth = ({ kind, name, secret, oauth }: AuthDraft, stored: Options['auth']): boolean =>
  secret === '' &&
  kind === authKindOf(stored) &&
  name === authNameOf(stored) &&
  (kind !== 'OAUTH2' || isSameOAuth(oauth, oauthOf(stored)));

/** Whether a password is missing: a new user name does not keep the one that is set. */
export const lacksPassword = ({ auth, stored }: Draft): boolean =>
  auth.kind === 'BASIC' && auth.secret === '' && !isStoredAuth(auth, stored.auth);

/** Whether the client secret is missing: another token server, client or way does not get the one that is set. */
export const lacksClientSecret = ({ auth, stored }: Draft): boolean =>
  auth.kind === 'OAUTH2' && auth.secret === '' && !keepsClientSecret(auth.oauth, stored.auth);

/** The headers that a draft sets, in the order of the input. */
export const setHeaders = ({ headers, stored }: Draft): HeaderDraft[] =>
  headers.filter((header) => {
    const before = stored.headers.find(({ name }) => name === header.stored);
    const isSame = before?.name === header.name && before.secret === header.secret;
    return !isSame || header.value !== (before.value ?? '');
  });

/** Whether headers or auth have secrets, which belong to the origin of the URL. */
export const hasSecrets = ({ headers, auth }: Options): boolean => auth != null || headers.some(({ secret }) => secret);

/** Whether there is a client certificate, whose key belongs to the origin of the URL too. */
export const hasClientKey = ({ tls }: Options): boolean => tls?.clientCertificate != null;

/** What a draft changes. What somebody else has changed since it was begun stays. */
export function changeOf(draft: Draft): DeliveryOptionsInput {
  const { stored } = draft;
  const set = setHeaders(draft);
  const names = draft.headers.map(({ name }) => name.toLowerCase());
  const removed = stored.headers.map(({ name }) => name).filter((name) => !names.includes(name.toLowerCase()));
  return {
    ...(draft.method === stored.method ? {} : { method: draft.method }),
    ...(draft.callback === stored.callback ? {} : { callback: draft.callback }),
    ...(set.length === 0 ? {} : { setHeaders: set.map(({ name, value, secret }) => ({ name, value, secret })) }),
    ...(removed.length === 0 ? {} : { removeHeaders: removed }),
    ...authChange(draft.auth, stored.auth),
  };
}

function authChange(auth: AuthDraft, stored: Options['auth']): Pick<DeliveryOptionsInput, 'auth'> {
  if (isStoredAuth(auth, stored)) {
    return {};
  }
  const { kind, name, secret, oauth } = auth;
  switch (kind) {
    case 'NONE':
      return { auth: null };
    case 'BASIC':
      return { auth: { basic: { username: name, password: secret } } };
    case 'USERNAME':
      return { auth: { basic: { username: secret, password: '' } } };
    case 'BEARER':
      return { auth: { bearer: secret } };
    case 'API_KEY':
      return { auth: { apiKey: { header: name, value: secret } } };
    case 'OAUTH2':
      return { auth: { oauth2: oauthInput(oauth, secret) } };
  }
}

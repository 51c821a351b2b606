import type { Held } from './held.js';

/**
 * OAuth 2 client credentials (RFC 6749 §4.4): requests to an endpoint have a token, which the service asks for at
 * `tokenUrl`. The client secret goes there, the token goes to the endpoint.
 */

/** How the client proves to the token server who it is. */
export const CLIENT_AUTHS = {
  BASIC: 'By basic auth (RFC 6749 §2.3.1).',
  BODY: 'By `client_id` and `client_secret` in the body of the request.',
} as const;
export type ClientAuth = keyof typeof CLIENT_AUTHS;

/** Daemons before would call the endpoint without a token. The name is that of what daemons report to know. */
export const OAUTH2_SKILL = { name: 'oauth2', since: '0.2.0' };

export interface OAuth2Input {
  tokenUrl: string;
  clientId: string;
  /** Without one, the secret that is set stays. */
  clientSecret?: string | null | undefined;
  scope?: string | null | undefined;
  audience?: string | null | undefined;
  clientAuth?: ClientAuth | null | undefined;
}

/** The part that readers get. */
export interface OAuth2Form {
  kind: 'OAUTH2';
  /** In its normal form. */
  tokenUrl: string;
  clientId: string;
  scope: string | null;
  audience: string | null;
  clientAuth: ClientAuth;
}

/** A change that leaves the client secret as it is. */
export type KeptClient = OAuth2Form & { kept: true };

export const isKeptClient = (auth: object): auth is KeptClient => 'kept' in auth;

/** @param input was checked @param held makes of a secret what rows have */
export function storedClient(
  { tokenUrl, clientId, clientSecret, scope, audience, clientAuth }: OAuth2Input,
  held: (secret: string) => Held,
): (OAuth2Form & Held) | KeptClient {
  const form: OAuth2Form = {
    kind: 'OAUTH2',
    tokenUrl,
    clientId,
    scope: scope ?? null,
    audience: audience ?? null,
    clientAuth: clientAuth ?? 'BASIC',
  };
  return clientSecret == null ? { ...form, kept: true } : { ...form, ...held(clientSecret) };
}

/** The names of these parts, which are null for other kinds of auth. */
export const CLIENT_PARTS = ['tokenUrl', 'clientId', 'scope', 'audience', 'clientAuth'] as const;

/** Id and secret of a client in the header of basic auth (RFC 6749 §2.3.1). */
export const basicAuthOf = ({ clientId }: Pick<OAuth2Form, 'clientId'>, secret: string): string =>
  `Basic ${Buffer.from(`${formEncoded(clientId)}:${formEncoded(secret)}`).toString('base64')}`;

/** The texts in which a request for a token has the client secret, but for the secret itself. */
export function formsOfClientSecret(client: Pick<OAuth2Form, 'clientId'>, secret: string): string[] {
  const basic = basicAuthOf(client, secret);
  return [formEncoded(secret), basic, basic.slice('Basic '.length)].filter((form) => form !== secret);
}

/**
 * The form of a value in `application/x-www-form-urlencoded` (RFC 6749 appendix B). It leaves `-`, `.`, `_` and `*` as
 * they are: there are token servers that decode nothing.
 */
const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);

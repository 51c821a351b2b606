import { SEND_ERRORS, type SendErrorCode } from '../deliveries/outcome.js';

/** Why a token server has given no access token: a code, with its meaning for the owner of the webhook. */

/** Errors that the server itself names (RFC 6749 §5.2, RFC 8707 §2). Its other words may repeat the secret. */
const REFUSALS = {
  INVALID_CLIENT: 'it does not know the client id, or refuses the secret or the way in which it is sent',
  INVALID_REQUEST: 'it lacks something in the request, such as a scope or an audience, or cannot read it',
  INVALID_GRANT: 'it gives this client no token',
  INVALID_SCOPE: 'it does not know the scope, or the client may not ask for it',
  INVALID_TARGET: 'it does not know the audience, or the client may not ask for it',
  UNAUTHORIZED_CLIENT: 'the client may not use the grant client_credentials',
  UNSUPPORTED_GRANT_TYPE: 'it does not have the grant client_credentials',
  ACCESS_DENIED: 'it denies the client access',
} as const;

/** Failures of an answer that came. */
const BAD_ANSWERS = {
  ANSWER_INCOMPLETE: 'its answer has more than 64 KiB, or did not end in time',
  ANSWER_MALFORMED: 'its answer is no token response: JSON with access_token and token_type',
  TOKEN_TYPE: 'its token is not of the type Bearer',
  TOKEN_MALFORMED: 'its token is longer than 8 KiB, or has characters that no header can have',
} as const;

/** Failures that mean less than at an endpoint: a token server gets no client certificate. */
const WITHOUT_CERTIFICATE = {
  TLS_FAILED: 'the TLS handshake failed, or it asks for a client certificate, which it does not get',
  CONNECTION_RESET: 'it cut the connection before its answer',
} as const satisfies Partial<Record<SendErrorCode, string>>;

type Refusal = keyof typeof REFUSALS;
export type TokenFailure = Refusal | keyof typeof BAD_ANSWERS | SendErrorCode | `HTTP_${number}`;

const meanings: Readonly<Record<string, string>> = {
  ...SEND_ERRORS,
  ...WITHOUT_CERTIFICATE,
  ...REFUSALS,
  ...BAD_ANSWERS,
};

/** The code of an error that a token server has named; null: it is none of those that are known. */
export function refusalNamed(error: string): Refusal | null {
  const code = error.toUpperCase();
  return Object.hasOwn(REFUSALS, code) && error === error.toLowerCase() ? (code as Refusal) : null;
}

/** A sentence for the owner of the webhook. @param failure as the row has it */
export function tokenFailureDetail(failure: string): string {
  const meaning = meanings[failure] ?? `it answered with the status ${failure.replace('HTTP_', '')}`;
  return `No token came from the token server: ${meaning}.`;
}

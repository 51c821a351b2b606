import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { SendErrorCode } from '../../src/domain/deliveries/outcome';
import type { TokenFailure } from '../../src/domain/oauth/token-failure';
import { remedyFor } from './remedies';

/** Why a token server has given no token. */
const REFUSALS: Readonly<Record<Exclude<TokenFailure, SendErrorCode | `HTTP_${number}`>, MessageDescriptor>> = {
  INVALID_CLIENT: msg`the token server refuses the client ID, its secret, or how they are sent`,
  INVALID_REQUEST: msg`the token server needs more, such as a scope or an audience`,
  INVALID_GRANT: msg`the token server gives this client no token`,
  INVALID_SCOPE: msg`the client cannot have this scope`,
  INVALID_TARGET: msg`the client cannot have this audience`,
  UNAUTHORIZED_CLIENT: msg`the client cannot use the grant client_credentials`,
  UNSUPPORTED_GRANT_TYPE: msg`the token server does not have the grant client_credentials`,
  ACCESS_DENIED: msg`the token server denies access`,
  ANSWER_INCOMPLETE: msg`its answer has more than 64 KiB, or did not end in time`,
  ANSWER_MALFORMED: msg`its answer is no token response`,
  TOKEN_TYPE: msg`its token is not of the type Bearer`,
  TOKEN_MALFORMED: msg`its token has more than 8 KiB, or characters that no header can have`,
};

/** The reason of a failure, in the reader's language. @param code as `lastFailure.code` has it */
export function tokenFailureWhy(code: string): MessageDescriptor {
  const known: MessageDescriptor | undefined = REFUSALS[code as keyof typeof REFUSALS];
  const status = /^HTTP_(\d{3})$/.exec(code)?.[1];
  return known ?? (status === undefined ? remedyFor(code).why : msg`it answers ${status}`);
}

import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { type Remedy, remedyFor } from '../../../text/remedies';

const NO_ECHO: Remedy = {
  why: msg`its answer does not contain the challenge`,
  what: msg`Answer 200 with the challenge from the body of the request.`,
};

/** Why the answer to a challenge proves nothing, and what the owner can do. */
export function challengeRemedy(code: string): Remedy {
  if (code === 'NO_ECHO') {
    return NO_ECHO;
  }
  const { why, what } = remedyFor(code);
  // Most servers answer so while they have no secret, or another one: the signature is wrong to them.
  return { why, what: code === 'HTTP_401' || code === 'HTTP_403' ? PUT_SECRET : what };
}

const PUT_SECRET = msg`Put the signing secret into your server, so that it accepts our signature.`;

/** Why the answer to `OPTIONS` proves nothing. */
export const optionsWhy = (code: string): MessageDescriptor =>
  code === 'NO_ALLOWED_ORIGIN' ? msg`its answer has no WebHook-Allowed-Origin` : remedyFor(code).why;

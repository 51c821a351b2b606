import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { type Draft, lacksClientSecret, lacksPassword } from './draft';

/** The first value that is missing in a draft. */
export function lackOf(draft: Draft): MessageDescriptor | undefined {
  return lacksPassword(draft)
    ? msg`Enter the password. For none, choose “User name without a password”.`
    : lacksClientSecret(draft)
      ? msg`Enter the client secret.`
      : undefined;
}

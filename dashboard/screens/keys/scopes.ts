import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';

/** What each scope of a tenant's key allows, in words that follow "It may". */
export const SCOPE_WORDS: Readonly<Record<string, MessageDescriptor>> = {
  'webhooks:read': msg`look at endpoints and event types`,
  'webhooks:write': msg`make, change, test and delete endpoints`,
  'events:read': msg`read events with their payloads`,
  'events:emit': msg`emit events`,
  'deliveries:read': msg`look at deliveries, attempts and figures`,
  'deliveries:write': msg`send deliveries again, and cancel them`,
  'keys:admin': msg`make and revoke keys, and read the audit log`,
};

/** The scopes, with their words, that the holder of some scopes may give to a key. */
export function grantable(held: readonly string[]): [scope: string, words: MessageDescriptor][] {
  return Object.entries(SCOPE_WORDS).filter(
    ([scope]) => held.includes(scope) || held.includes('platform:admin'),
  );
}

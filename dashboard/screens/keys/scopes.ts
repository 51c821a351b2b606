import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { ERASE } from '../../../src/domain/keys/scopes';

/** The permissions of each scope. */
export const SCOPE_WORDS: Readonly<Record<string, MessageDescriptor>> = {
  'webhooks:read': msg`view endpoints and event types`,
  'webhooks:write': msg`create, change, test and delete endpoints`,
  'events:read': msg`read events with their payloads`,
  'events:emit': msg`emit events`,
  'deliveries:read': msg`view deliveries, attempts and statistics`,
  'deliveries:write': msg`resend deliveries, and cancel them`,
  'webhooks:edit': msg`create, change and delete endpoints`,
  'webhooks:options': msg`change how endpoints are called, and notices by e-mail`,
  'webhooks:secrets': msg`see new signing secrets, and rotate them`,
  'webhooks:test': msg`send tests`,
  'deliveries:resend': msg`resend single deliveries, and cancel them`,
  'deliveries:bulk': msg`resend and cancel deliveries in bulk`,
  'keys:admin': msg`create and revoke keys, and read the audit log`,
  'events:erase': msg`erase payloads of events for good`,
  'platform:read': msg`view everything of all tenants`,
  'platform:support': msg`view everything, and act for every tenant`,
  'platform:admin': msg`do everything, and create tenants, event types and platform keys`,
};

/** Parts of a scope are offered to those alone who do not hold the whole. */
const PARTS = /:(edit|options|secrets|test|resend|bulk)$/;

/**
 * The scopes, with their words, that the holder of some scopes may give to a key.
 *
 * @param ofPlatform whether the key belongs to the installation, and not to a tenant.
 */
export function grantable(held: readonly string[], ofPlatform: boolean): [scope: string, words: MessageDescriptor][] {
  const isAdmin = held.includes('platform:admin');
  const all = isAdmin || held.includes('platform:support');
  return Object.entries(SCOPE_WORDS).filter(
    ([scope]) =>
      scope.startsWith('platform:') === ofPlatform &&
      (scope === ERASE ? isAdmin : held.includes(scope) || (all && !PARTS.test(scope))),
  );
}

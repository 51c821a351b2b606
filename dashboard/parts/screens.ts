import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { Scope } from '../../src/domain/keys/scopes';

/** The screens of a tenant, as the tabs have them; of the scopes one is what the API asks for its data. */
export const TENANT_SCREENS: readonly { path: string; name: MessageDescriptor; scopes: Scope[] }[] = [
  { path: '/overview', name: msg`Overview`, scopes: ['webhooks:read'] },
  { path: '/endpoints', name: msg`Endpoints`, scopes: ['webhooks:read'] },
  { path: '/deliveries', name: msg`Deliveries`, scopes: ['deliveries:read'] },
  { path: '/events', name: msg`Events`, scopes: ['events:read'] },
  { path: '/catalogue', name: msg`Event catalogue`, scopes: ['webhooks:read'] },
  { path: '/operations', name: msg`Operations`, scopes: ['deliveries:read'] },
  { path: '/keys', name: msg`Keys`, scopes: ['keys:admin', 'platform:read'] },
  { path: '/audit', name: msg`Audit log`, scopes: ['keys:admin', 'platform:read'] },
];

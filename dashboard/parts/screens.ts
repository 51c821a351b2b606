import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { Scope } from '../../src/domain/keys/scopes';

/** The screens of a tenant, as the tabs have them; of the scopes one is what the API asks for its data. `g` and its key lead to it. */
export const TENANT_SCREENS: readonly { path: string; key: string; name: MessageDescriptor; scopes: Scope[] }[] = [
  { path: '/overview', key: 'o', name: msg`Overview`, scopes: ['webhooks:read'] },
  { path: '/endpoints', key: 'e', name: msg`Endpoints`, scopes: ['webhooks:read'] },
  { path: '/deliveries', key: 'd', name: msg`Deliveries`, scopes: ['deliveries:read'] },
  { path: '/events', key: 'v', name: msg`Events`, scopes: ['events:read'] },
  { path: '/catalogue', key: 'c', name: msg`Event catalogue`, scopes: ['webhooks:read'] },
  { path: '/operations', key: 'p', name: msg`Operations`, scopes: ['deliveries:read'] },
  { path: '/keys', key: 'k', name: msg`Keys`, scopes: ['keys:admin', 'platform:read'] },
  { path: '/audit', key: 'a', name: msg`Audit log`, scopes: ['keys:admin', 'platform:read'] },
];

import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';

/** The screens of a tenant, as the tabs have them; `scope` is what the API asks for its data. */
export const TENANT_SCREENS: readonly { path: string; name: MessageDescriptor; scope: string }[] = [
  { path: '/overview', name: msg`Overview`, scope: 'webhooks:read' },
  { path: '/endpoints', name: msg`Endpoints`, scope: 'webhooks:read' },
  { path: '/deliveries', name: msg`Deliveries`, scope: 'deliveries:read' },
  { path: '/events', name: msg`Events`, scope: 'events:read' },
  { path: '/catalogue', name: msg`Event catalogue`, scope: 'webhooks:read' },
  { path: '/operations', name: msg`Operations`, scope: 'deliveries:read' },
  { path: '/keys', name: msg`Keys`, scope: 'keys:admin' },
  { path: '/audit', name: msg`Audit log`, scope: 'keys:admin' },
];

import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { INSTALLATION_TENANT } from '../../src/domain/installation/installation-tenant';
import type { Scope } from '../../src/domain/keys/scopes';
import type { ViewerQuery } from '../api/generated/graphql';
import { isAllowed } from './viewer';

interface TenantScreen {
  path: string;
  /** `g` and this key lead to it. */
  key: string;
  name: MessageDescriptor;
  /** One is what the API asks for its data. */
  scopes: Scope[];
  /** A tenant sees it where the installation sends e-mails; an operator reads there how it does. */
  needsMail?: boolean;
  /** The portal does not have it. */
  outsidePortal?: boolean;
  /** The installation, which has webhooks too, does not have it. */
  ofTenants?: boolean;
}

/** The screens of a tenant, as the tabs have them. */
const TENANT_SCREENS: readonly TenantScreen[] = [
  { path: '/overview', key: 'o', name: msg`Overview`, scopes: ['webhooks:read'] },
  { path: '/endpoints', key: 'e', name: msg`Endpoints`, scopes: ['webhooks:read'] },
  { path: '/deliveries', key: 'd', name: msg`Deliveries`, scopes: ['deliveries:read'] },
  { path: '/events', key: 'v', name: msg`Events`, scopes: ['events:read'] },
  { path: '/scheduled', key: 's', name: msg`Scheduled`, scopes: ['events:read'], outsidePortal: true, ofTenants: true },
  { path: '/catalogue', key: 'c', name: msg`Event catalogue`, scopes: ['webhooks:read'] },
  { path: '/operations', key: 'p', name: msg`Operations`, scopes: ['deliveries:read'] },
  {
    path: '/notices',
    key: 'n',
    name: msg`Notices`,
    scopes: ['webhooks:options', 'platform:read'],
    needsMail: true,
    ofTenants: true,
  },
  { path: '/keys', key: 'k', name: msg`Keys`, scopes: ['keys:admin', 'platform:read'], ofTenants: true },
  { path: '/audit', key: 'a', name: msg`Audit log`, scopes: ['keys:admin', 'platform:read'] },
];

/** The screens that the viewer can open. */
export const screensFor = (
  viewer: Pick<ViewerQuery['viewer'], 'scopes' | 'mailConfigured' | 'mailSettingsMissing' | 'portalSession' | 'tenant'>,
): readonly TenantScreen[] =>
  TENANT_SCREENS.filter(
    ({ scopes, needsMail, outsidePortal, ofTenants }) =>
      isAllowed(viewer, ...scopes) &&
      (viewer.mailConfigured || viewer.mailSettingsMissing.length > 0 || !needsMail) &&
      !(outsidePortal && viewer.portalSession) &&
      !(ofTenants && viewer.tenant?.databaseId === INSTALLATION_TENANT),
  );

import type { ComponentType } from 'react';
import type { PORTAL_SCREENS } from '../../src/domain/portal/portal-paths';

type Load = () => Promise<{ default: ComponentType }>;

/** The screens of a tenant, by their paths in the portal and, below `/tenants/$tenantId`, in the console. */
export const tenantScreens: Readonly<Record<(typeof PORTAL_SCREENS)[number], Load>> = {
  '/overview': () => import('./overview/overview'),
  '/events': () => import('./events/events'),
  '/events/$number': () => import('./events/event'),
  '/catalogue': () => import('./catalogue/catalogue'),
  '/catalogue/$name': () => import('./catalogue/catalogue-type'),
  '/notices': () => import('./notices/notices'),
  '/keys': () => import('./keys/keys'),
  '/audit': () => import('./audit/audit-log'),
  '/endpoints': () => import('./endpoints/list/endpoints'),
  '/endpoints/new': () => import('./endpoints/form/new-endpoint'),
  '/endpoints/$number': () => import('./endpoints/one/endpoint'),
  '/deliveries': () => import('./deliveries/deliveries'),
  '/deliveries/$number': () => import('./deliveries/one/delivery'),
  '/operations': () => import('./operations/operations'),
  '/operations/$id': () => import('./operations/operation'),
};

/** The screens of the console itself, for platform keys that act for no tenant. */
export const consoleScreens: Readonly<Record<string, Load>> = {
  '/': () => import('./installation/installation'),
  '/tenants': () => import('./tenants/tenants'),
  '/payloads': () => import('./payloads/payloads'),
  '/worst': () => import('./installation/worst-endpoints'),
  '/event-types': () => import('./event-types/event-types'),
  '/event-types/new': () => import('./event-types/new-event-type'),
  '/event-types/$name': () => import('./event-types/event-type'),
  '/event-types/$name/edit': () => import('./event-types/edit-event-type'),
  '/keys': () => import('./keys/keys'),
  '/audit': () => import('./audit/audit-log'),
};

/** The screens of a tenant that the portal does not have. */
export const tenantSettingsScreens: Readonly<Record<string, Load>> = {
  '/scheduled': () => import('./scheduled/scheduled'),
  '/settings': () => import('./tenants/settings'),
};

/** The screen at a path: a part such as `$number` is any text, and a screen without one comes first. */
export function screenAt(screens: Readonly<Record<string, Load>>, path: string): Load | undefined {
  const parts = path.replace(/\/$/, '').split('/');
  const matches = Object.keys(screens).filter((pattern) => {
    const wanted = pattern.replace(/\/$/, '').split('/');
    return wanted.length === parts.length && wanted.every((part, at) => part.startsWith('$') || part === parts[at]);
  });
  const first = matches.find((pattern) => !pattern.includes('$')) ?? matches[0];
  return first === undefined ? undefined : screens[first];
}

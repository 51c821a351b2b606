import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { laterScript } from '../api/scripts';

type Load = () => Promise<{ default: React.ComponentType }>;

const screenOf = (parent: AnyRoute) => (path: string, load: Load) =>
  createRoute({ getParentRoute: () => parent, path, component: lazyRouteComponent(laterScript(load)) });

/** The screens of the console itself, for platform keys that act for no tenant. */
export function consoleRoutes(parent: AnyRoute): AnyRoute[] {
  const screen = screenOf(parent);
  return [
    screen('/', () => import('./installation/installation')),
    screen('/tenants', () => import('./tenants/tenants')),
    screen('/worst', () => import('./installation/worst-endpoints')),
    screen('/event-types', () => import('./event-types/event-types')),
    screen('/event-types/new', () => import('./event-types/new-event-type')),
    screen('/event-types/$name', () => import('./event-types/event-type')),
    screen('/event-types/$name/edit', () => import('./event-types/edit-event-type')),
    screen('/keys', () => import('./keys/keys')),
    screen('/audit', () => import('./audit/audit-log')),
  ];
}

/** The screens of a tenant that only a platform key opens. */
export function tenantSettingsRoute(parent: AnyRoute): AnyRoute {
  return screenOf(parent)('/settings', () => import('./tenants/settings'));
}

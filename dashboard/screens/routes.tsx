import { type AnyRoute, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';

/** The screens of a tenant: the same in the portal and, below `/tenants/$tenantId`, in the console. */
export function tenantRoutes(parent: AnyRoute, place: (params: Record<string, string>) => string): AnyRoute[] {
  const screen = (path: string, load: () => Promise<{ default: React.ComponentType }>) =>
    createRoute({ getParentRoute: () => parent, path, component: lazyRouteComponent(load) });
  return [
    createRoute({
      getParentRoute: () => parent,
      path: '/',
      beforeLoad: ({ params }) => {
        throw redirect({
          to: `${place(params as Record<string, string>)}/overview` as string,
          replace: true,
        });
      },
    }),
    screen('/overview', () => import('./overview/overview')),
    screen('/events', () => import('./events/events')),
    screen('/events/$number', () => import('./events/event')),
    screen('/catalogue', () => import('./catalogue/catalogue')),
    screen('/catalogue/$name', () => import('./catalogue/catalogue-type')),
    screen('/keys', () => import('./keys/keys')),
    screen('/audit', () => import('./audit/audit-log')),
    screen('/endpoints', () => import('./endpoints/endpoints')),
    screen('/endpoints/new', () => import('./endpoints/form/new-endpoint')),
    screen('/endpoints/$number', () => import('./endpoints/endpoint')),
    screen('/deliveries', () => import('./deliveries/deliveries')),
    screen('/deliveries/$number', () => import('./deliveries/one/delivery')),
    screen('/operations', () => import('./operations/operations')),
    screen('/operations/$id', () => import('./operations/operation')),
  ];
}

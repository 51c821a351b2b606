import { type AnyRoute, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import type { PORTAL_SCREENS } from '../../src/domain/portal-paths';
import { laterScript } from '../api/scripts';

const screens: Record<(typeof PORTAL_SCREENS)[number], () => Promise<{ default: React.ComponentType }>> = {
  '/overview': () => import('./overview/overview'),
  '/events': () => import('./events/events'),
  '/events/$number': () => import('./events/event'),
  '/catalogue': () => import('./catalogue/catalogue'),
  '/catalogue/$name': () => import('./catalogue/catalogue-type'),
  '/keys': () => import('./keys/keys'),
  '/audit': () => import('./audit/audit-log'),
  '/endpoints': () => import('./endpoints/endpoints'),
  '/endpoints/new': () => import('./endpoints/form/new-endpoint'),
  '/endpoints/$number': () => import('./endpoints/endpoint'),
  '/deliveries': () => import('./deliveries/deliveries'),
  '/deliveries/$number': () => import('./deliveries/one/delivery'),
  '/operations': () => import('./operations/operations'),
  '/operations/$id': () => import('./operations/operation'),
};

/** The screens of a tenant: the same in the portal and, below `/tenants/$tenantId`, in the console. */
export function tenantRoutes(parent: AnyRoute, place: (params: Record<string, string>) => string): AnyRoute[] {
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
    ...Object.entries(screens).map(([path, load]) =>
      createRoute({
        getParentRoute: () => parent,
        path,
        component: lazyRouteComponent(laterScript(load)),
      }),
    ),
  ];
}

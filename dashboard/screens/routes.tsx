import { type AnyRoute, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { laterScript } from '../api/scripts';
import { consoleScreens, tenantScreens, tenantSettingsScreens } from './screens';

const routesOf = (parent: AnyRoute, screens: typeof consoleScreens): AnyRoute[] =>
  Object.entries(screens).map(([path, load]) =>
    createRoute({ getParentRoute: () => parent, path, component: lazyRouteComponent(laterScript(load)) }),
  );

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
    ...routesOf(parent, tenantScreens),
  ];
}

export const consoleRoutes = (parent: AnyRoute): AnyRoute[] => routesOf(parent, consoleScreens);

export const tenantSettingsRoutes = (parent: AnyRoute): AnyRoute[] => routesOf(parent, tenantSettingsScreens);

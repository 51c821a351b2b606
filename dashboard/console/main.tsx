import { createRootRoute, createRoute, createRouter, Outlet, RouterProvider } from '@tanstack/react-router';
import { BASE } from '../api/base';
import { fetchLaterScripts } from '../api/scripts';
import { showPage, showWaiting } from '../parts/page-root';
import { byNumber, routerOptions } from '../parts/router-options';
import { SignedIn } from '../parts/signed-in';
import { whenWanted } from '../parts/when-wanted';
import { consoleRoutes, tenantRoutes, tenantSettingsRoutes } from '../screens/routes';
import { ConsoleFrame } from './console-frame';
import { enter } from './enter';
import type { SignInProps } from './sign-in';
import { TenantArea } from './tenant-area';

const SignIn = whenWanted<SignInProps>(() => import('./sign-in'));

const root = createRootRoute({ ...byNumber, component: Outlet });
const frame = createRoute({ getParentRoute: () => root, id: 'console', component: ConsoleFrame });
const tenant = createRoute({ getParentRoute: () => root, path: '/tenants/$tenantId', component: TenantArea });
const router = createRouter({
  routeTree: root.addChildren([
    frame.addChildren(consoleRoutes(frame)),
    tenant.addChildren([
      ...tenantRoutes(tenant, ({ tenantId = '' }) => `/tenants/${encodeURIComponent(tenantId)}`),
      ...tenantSettingsRoutes(tenant),
    ]),
  ]),
  basepath: `${BASE}/console`,
  ...routerOptions,
});

const refusal = await enter(showWaiting);
await showPage(
  <SignedIn otherwise={(why) => <SignIn wanted why={why} refusal={refusal} />}>
    <RouterProvider router={router} />
  </SignedIn>,
);
void fetchLaterScripts();

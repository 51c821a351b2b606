import {
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
  useParams,
} from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { sessions } from '../api/session';
import { showPage } from '../parts/page-root';
import { PlaceContext } from '../parts/place';
import { routerOptions } from '../parts/router-options';
import { SignedIn, WithClient } from '../parts/signed-in';
import { TenantFrame } from '../parts/tenant-frame';
import { useViewer } from '../parts/viewer';
import { tenantRoutes } from '../screens/routes';
import { SignIn } from './sign-in';

const root = createRootRoute({ component: Outlet });
const tenant = createRoute({ getParentRoute: () => root, path: '/tenants/$tenantId', component: TenantArea });
const router = createRouter({
  routeTree: root.addChildren([
    tenant.addChildren(tenantRoutes(tenant, ({ tenantId }) => `/tenants/${tenantId}`)),
  ]),
  basepath: '/console',
  ...routerOptions,
});

/** The portal of one tenant, from inside the console. A key that has a tenant of its own needs no other client. */
function TenantArea() {
  const { tenantId } = useParams({ strict: false }) as { tenantId: string };
  const { tenant: own } = useViewer();
  const standing = useSyncExternalStore(sessions.subscribe, sessions.read);
  const frame = (
    <PlaceContext value={`/tenants/${tenantId}`}>
      <TenantFrame canLeave />
    </PlaceContext>
  );
  if (own != null || standing.session === null) {
    return frame;
  }
  return (
    <WithClient token={standing.session.token} tenantId={tenantId}>
      {frame}
    </WithClient>
  );
}

sessions.restore();
await showPage(
  <SignedIn otherwise={(why) => <SignIn why={why} />}>
    <RouterProvider router={router} />
  </SignedIn>,
);

import { createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { showPage } from '../parts/page-root';
import { routerOptions } from '../parts/router-options';
import { SignedIn } from '../parts/signed-in';
import { TenantFrame } from '../parts/tenant-frame';
import { tenantRoutes } from '../screens/routes';
import { enter } from './enter';
import { SignedOutPage } from './signed-out';

const framed = window.parent !== window;
document.documentElement.toggleAttribute('data-framed', framed);

const root = createRootRoute({ component: () => <TenantFrame canLeave={!framed} /> });
const router = createRouter({
  routeTree: root.addChildren(tenantRoutes(root, () => '')),
  basepath: '/portal',
  ...routerOptions,
});

const refusal = await enter(router.history);
await showPage(
  <SignedIn otherwise={(why) => <SignedOutPage why={why} refusal={refusal} />}>
    <RouterProvider router={router} />
  </SignedIn>,
);

import { createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { BASE } from '../api/base';
import { pageReload } from '../api/page-reload';
import { fetchLaterScripts } from '../api/scripts';
import { isFramed } from '../api/tab-storage';
import { showPage, showWaiting } from '../parts/page-root';
import { byNumber, routerOptions } from '../parts/router-options';
import { SignedIn } from '../parts/signed-in';
import { TenantFrame } from '../parts/tenant-frame';
import { tenantRoutes } from '../screens/routes';
import { enter } from './enter';
import { showInvitation } from './invitation';
import { placeIn } from './links';
import { parentPage } from './parent-page';
import { PortalSession } from './portal-session';
import { renewal } from './renewal';
import { SignedOutPage } from './signed-out';

const root = createRootRoute({ ...byNumber, component: () => <TenantFrame canLeave={!isFramed} /> });
const router = createRouter({
  routeTree: root.addChildren(tenantRoutes(root, () => '')),
  basepath: `${BASE}/portal`,
  ...routerOptions,
});

if (isFramed) {
  router.subscribe('onRendered', () => {
    if (!pageReload.isWanted) {
      parentPage.showPlace(placeIn(location, BASE));
    }
  });
}
const refusal = await enter(router.history, { waits: showWaiting, invites: showInvitation });
renewal.start();
await showPage(
  <SignedIn otherwise={(why, returnUrl) => <SignedOutPage why={why} returnUrl={returnUrl} refusal={refusal} />}>
    <PortalSession>
      <RouterProvider router={router} />
    </PortalSession>
  </SignedIn>,
);
void fetchLaterScripts();

import { createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { BASE } from '../api/base';
import { pageReload } from '../api/page-reload';
import { fetchLaterScripts, laterScript } from '../api/scripts';
import { isFramed } from '../api/tab-storage';
import { showPage, showWaiting } from '../parts/page-root';
import { byNumber, routerOptions } from '../parts/router-options';
import { SignedIn } from '../parts/signed-in';
import { TenantFrame } from '../parts/tenant-frame';
import { whenWanted } from '../parts/when-wanted';
import { tenantRoutes } from '../screens/routes';
import { enter } from './enter';
import { placeIn } from './links';
import { parentPage } from './parent-page';
import { PortalSession } from './portal-session';
import { renewal } from './renewal';
import type { SignedOutProps } from './signed-out';

const SignedOut = whenWanted<SignedOutProps>(() => import('./signed-out'));
const invitation = laterScript(() => import('./invitation'));

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
const refusal = await enter(router.history, {
  waits: showWaiting,
  invites: async () => (await invitation()).showInvitation(),
});
renewal.start();
await showPage(
  <SignedIn otherwise={(why, returnUrl) => <SignedOut wanted why={why} returnUrl={returnUrl} refusal={refusal} />}>
    <PortalSession>
      <RouterProvider router={router} />
    </PortalSession>
  </SignedIn>,
);
void fetchLaterScripts();

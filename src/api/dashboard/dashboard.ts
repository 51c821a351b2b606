import type { FastifyInstance } from 'fastify';
import { namedProgram } from '../../platform/node/this-program.js';
import { shownApiKeyFile } from '../../platform/settings/api-key-file.js';
import type { Services } from '../context/context.js';
import type { WaysIn } from './oidc/routes.js';
import type { OneTimeCode } from './one-time-code.js';
import { BUILT_FOLDER, pages } from './pages.js';
import { signInRoutes } from './sign-in.js';

export interface DashboardOptions {
  /** The code in the link that the start prints. Default: there is no link. */
  startCode?: OneTimeCode | null;
  /** The folder of the built pages. Default: the folder of the build. */
  folder?: string;
}

/** Portal and console: their pages and how they get a key. Everything else is done by the API. */
export async function dashboard(
  app: FastifyInstance,
  { services, startCode = null, folder = BUILT_FOLDER }: DashboardOptions & { services: Services },
): Promise<void> {
  await app.register(pages, { services, folder });
  await app.register(async (scope) => {
    scope.addHook('onRequest', async ({ ip }) => services.rateLimits.requireAnonymous(ip));
    await signInRoutes(scope, { services, startCode });
    await oidcOf(scope, services);
  });
}

/** Loads the library for OpenID Connect only where it is used. */
async function oidcOf(app: FastifyInstance, services: Services): Promise<void> {
  const { oidc } = services.config;
  if (oidc === null) {
    app.get(
      '/console/oidc',
      async (): Promise<WaysIn> => ({
        oidc: null,
        isSignedIn: false,
        keyFile: shownApiKeyFile(services.config),
        program: namedProgram,
      }),
    );
    return;
  }
  const { oidcRoutes } = await import('./oidc/routes.js');
  await oidcRoutes(app, { services, oidc });
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Services } from '../context/context.js';
import { ApiError } from '../errors.js';
import { parentOriginsOf } from '../operations/portal/exchange-portal-code.js';
import { assetHeaders, embedHeaders, type Headers, pageHeaders } from './headers.js';

/** Where the build puts the pages. This file is in `src/dashboard`, or in `dist/src/dashboard` once it is built. */
const BUILT = import.meta.url.endsWith('.ts') ? '../../dist/dashboard' : '../../dashboard';
export const BUILT_FOLDER = fileURLToPath(new URL(BUILT, import.meta.url));

const ASSET = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,200}$/;

/** Paths of a page. It has routes of its own below each: the browser reads the rest of the path. */
const pathsOf = (page: string) => [`/${page}`, `/${page}/*`];

/**
 * Serves the files of the dashboard: `portal.html` and `console.html` with their assets, which have a hash in their
 * names, and `embed.js` for the pages of others. A limit on requests without a key counts pages and not assets, of
 * which each page has many.
 *
 * @param folder where the build has put them
 */
export async function pages(
  app: FastifyInstance,
  { services, folder }: { services: Services; folder: string },
): Promise<void> {
  await app.register(fastifyStatic, {
    root: folder,
    serve: false,
    preCompressed: true,
    cacheControl: false,
    suppressWarning: true, // that the folder is not there is said to whoever asks for a page
  });
  app.get<{ Params: { name: string } }>('/dashboard/assets/:name', ({ params: { name } }, reply) => {
    if (!ASSET.test(name)) {
      throw nothingThere();
    }
    return send(reply, assetHeaders, folder, `assets/${name}`);
  });
  app.get('/portal/embed.js', (_request, reply) => send(reply, embedHeaders, folder, 'embed.js'));
  await app.register(async (counted) => {
    counted.addHook('onRequest', async ({ ip }) => services.rateLimits.requireAnonymous(ip));
    for (const page of ['portal', 'console']) {
      for (const path of pathsOf(page)) {
        counted.get(path, (_request, reply) => send(reply, pageHeaders([]), folder, `${page}.html`));
      }
    }
    counted.get<{ Params: { publicId: string } }>('/portal/s/:publicId', async (request, reply) => {
      const origins = await parentOriginsOf(services.db, request.params.publicId);
      return send(reply, pageHeaders(origins), folder, 'portal.html');
    });
  });
}

/** For a file that is not there, which the library of static files finds out by itself. */
export const nothingThere = (): ApiError => new ApiError('not_found', 'There is nothing at this path.');

/** @throws ApiError not_found */
function send(reply: FastifyReply, headers: Headers, folder: string, file: string): FastifyReply {
  if (!existsSync(join(folder, 'portal.html'))) {
    reply.header('cache-control', 'no-store'); // a build that is under way has them in seconds
    throw new ApiError('not_found', 'The pages of the dashboard were not built: npm run build makes them.');
  }
  return reply.headers(headers).sendFile(file);
}

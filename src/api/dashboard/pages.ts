import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError } from '../../errors.js';
import { parentOriginsOf } from '../../operations/portal/exchange-portal-code.js';
import { packageFolder } from '../../platform/node/version.js';
import type { Services } from '../context/context.js';
import { assetHeaders, embedHeaders, type Headers, pageHeaders } from './headers.js';

/** The folder of the build. */
export const BUILT_FOLDER = join(packageFolder, 'dist/dashboard');

const ASSET = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,200}$/;

/**
 * Serves `portal.html` and `console.html` with their assets, which have a hash in their names, and `embed.js` for other
 * sites. The limit of requests without a key counts pages, but not their many assets.
 *
 * @param folder of the build
 */
export async function pages(
  app: FastifyInstance,
  { services, folder }: { services: Services; folder: string },
): Promise<void> {
  const { basePath } = services.config;
  await app.register(fastifyStatic, {
    root: folder,
    serve: false,
    preCompressed: true,
    cacheControl: false,
    suppressWarning: true, // a request for a page is answered with a hint to build it
  });
  /** Below a path, pages name their files there. */
  const sendPage = async (reply: FastifyReply, headers: Headers, file: string) => {
    if (basePath === '' || !existsSync(join(folder, file))) {
      return send(reply, headers, folder, file);
    }
    const html = await readFile(join(folder, file), 'utf8');
    return reply.headers(headers).send(html.replaceAll('"/dashboard/', `"${basePath}/dashboard/`));
  };
  app.get<{ Params: { name: string } }>('/dashboard/assets/:name', ({ params: { name } }, reply) => {
    if (!ASSET.test(name)) {
      throw nothingThere();
    }
    return send(reply, assetHeaders, folder, `assets/${name}`);
  });
  app.get('/portal/embed.js', (_request, reply) => send(reply, embedHeaders, folder, 'embed.js'));
  await app.register(async (counted) => {
    counted.addHook('onRequest', async ({ ip }) => services.rateLimits.requireAnonymous(ip));
    const scripts = scriptsIn(folder);
    for (const page of ['portal', 'console']) {
      // The script of a page has routes of its own.
      for (const path of [`/${page}`, `/${page}/*`]) {
        counted.get(path, (_request, reply) => sendPage(reply, pageHeaders([], scripts), `${page}.html`));
      }
    }
    counted.get<{ Params: { publicId: string } }>('/portal/s/:publicId', async (request, reply) => {
      const origins = await parentOriginsOf(services.db, request.params.publicId);
      return sendPage(reply, pageHeaders(origins, scripts), 'portal.html');
    });
  });
}

/** The error for a missing file. The library of static files uses it too. */
export const nothingThere = (): ApiError => new ApiError('not_found', 'There is nothing at this path.');

/** The hashes of the scripts in the pages themselves, for their policy; none where there is no build. */
function scriptsIn(folder: string): string[] {
  const files = ['portal.html', 'console.html'].map((name) => join(folder, name)).filter((file) => existsSync(file));
  const texts = files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/<script>(.*?)<\/script>/gs)]);
  return [...new Set(texts.map(([, text = '']) => `'sha256-${hash('sha256', text, 'base64')}'`))];
}

/** @throws ApiError not_found */
function send(reply: FastifyReply, headers: Headers, folder: string, file: string): FastifyReply {
  if (!existsSync(join(folder, 'portal.html'))) {
    reply.header('cache-control', 'no-store'); // a build may be under way
    throw new ApiError('not_found', 'The pages of the dashboard were not built: npm run build makes them.');
  }
  return reply.headers(headers).sendFile(file);
}

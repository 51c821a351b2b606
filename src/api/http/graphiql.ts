import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../errors.js';

/** Allows nothing from other servers, and no script but those of the page, by their hashes: keys are typed in here. */
function contentSecurityPolicy(html: string): string {
  const hashes = [...html.matchAll(/<script>(.*?)<\/script>/gs)].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    `script-src ${hashes.join(' ')} blob:`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    'worker-src blob:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * Serves the GraphiQL of the build from memory.
 *
 * @param folder of the build
 */
export async function graphiql(
  app: FastifyInstance,
  { basePath, folder }: { basePath: string; folder: string },
): Promise<void> {
  const file = join(folder, 'graphiql.html.gz');
  let made: ReturnType<typeof makePage> | undefined;
  app.get('/graphiql', async (request, reply) => {
    if (!existsSync(file)) {
      reply.header('cache-control', 'no-store'); // a build may be running
      throw new ApiError('not_found', 'The page of GraphiQL was not built: npm run build makes it.');
    }
    // Made at the first request, because it has 9 MB.
    made ??= makePage(file, basePath);
    const { html, gzipped, etag, policy } = await made;
    reply.headers({
      'content-security-policy': policy,
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
      vary: 'accept-encoding',
      etag,
    });
    if (request.headers['if-none-match'] === etag) {
      return reply.code(304).send();
    }
    reply.type('text/html; charset=utf-8');
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) {
      return reply.send(html);
    }
    return reply.header('content-encoding', 'gzip').send(gzipped);
  });
}

async function makePage(file: string, basePath: string) {
  const built = await readFile(file);
  const page = (await promisify(gunzip)(built)).toString();
  const text = page.replace('"endpoint":"/graphql"', () => `"endpoint":"${basePath}/graphql"`);
  const html = Buffer.from(text);
  const etag = `"${createHash('sha256').update(html).digest('base64url')}"`;
  return {
    html,
    gzipped: basePath === '' ? built : await promisify(gzip)(html),
    etag,
    policy: contentSecurityPolicy(text),
  };
}

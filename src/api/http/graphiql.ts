import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

/** Lines that fit into the editor of a window of 1280 pixels. */
const defaultQuery = `# Welcome to Hookwright.
#
# 1. Under "Headers", below, put your API key
#    behind "Bearer ". All in one it is in
#    .data/api-key. This page never keeps it:
#    after a reload, put it there again.
# 2. Run this query with Ctrl-Enter. It says who
#    you are and which events there are.

query WhoAmI {
  viewer {
    tenant { id name }
    scopes
  }
  eventTypes { name description }
}

# 3. Then make a webhook, emit an event for it,
#    and look at what was delivered: take the
#    "#" away, and name the one to run.
#
# mutation Subscribe {
#   createWebhook(input: {
#     url: "https://example.com/hooks"
#     eventTypes: ["*"]
#   }) { webhook { id } secret }
# }
#
# mutation Emit {
#   emitEvent(input: {
#     event: "coupon.applied"
#     payload: {code: "A", discount_type: "B"}
#   }) { event { id } deliveryCount }
# }
#
# query Deliveries {
#   deliveries(first: 10) {
#     edges {
#       node {
#         id eventType status nextAttemptAt
#         attempts {
#           number statusCode errorCode durationMs
#         }
#       }
#     }
#   }
# }
`;

/** GraphiQL reopens the tab of the last edited query, or an empty one. This makes it the tab that was open. */
const openSameTab = `<script>
  try {
    const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState'));
    const { query, variables } = tabs[activeTabIndex];
    localStorage.setItem('graphiql:query', query ?? '');
    localStorage.setItem('graphiql:variables', variables ?? '');
  } catch {} // the first visit, or no storage
</script>`;
/** Hidden parts of Monaco's editors are larger than the window, which would get scroll bars. */
const noBars = '<style>body { overflow: hidden; }</style>';
const ROOT = '<div id="root"></div>';

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

/** Serves GraphiQL from memory, as one page with its scripts and styles. */
export async function graphiql(app: FastifyInstance, { basePath }: { basePath: string }): Promise<void> {
  let made: ReturnType<typeof makePage> | undefined;
  app.get('/graphiql', async (request, reply) => {
    // Made at the first request, because it has 9 MB.
    made ??= makePage(`${basePath}/graphql`);
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

async function makePage(endpoint: string) {
  // Loaded at the first request, because it takes 30 MiB.
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const page = renderGraphiQL({
    title: 'Hookwright',
    endpoint,
    defaultQuery,
    headers: JSON.stringify({ Authorization: 'Bearer ' }, null, 2),
    isHeadersEditorEnabled: true,
    defaultEditorToolsVisibility: 'headers',
    // The storage of the browser must not keep a key.
    shouldPersistHeaders: false,
  } as Parameters<typeof renderGraphiQL>[0]);
  const text = page.replace(ROOT, noBars + ROOT + openSameTab);
  const html = Buffer.from(text);
  const etag = `"${createHash('sha256').update(html).digest('base64url')}"`;
  return { html, gzipped: await promisify(gzip)(html), etag, policy: contentSecurityPolicy(text) };
}

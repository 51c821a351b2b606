// A made-up product, whose settings page shows the webhooks of the customer who is signed in. README.md says how to run it.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const { HOOKWRIGHT_URL = 'http://localhost:3000', HOOKWRIGHT_KEY, PORT = '8080' } = process.env;

/** The five lines: the person who is signed in here gets the portal of their tenant, with these capabilities. */
async function portalUrl(customer) {
  const input = {
    capabilities: ['MANAGE_ENDPOINTS', 'SEND', 'SEE_SECRETS'],
    parentOrigins: [origin],
    locale: customer.locale,
    returnUrl: `${origin}/settings`,
  };
  const query = 'mutation($input: CreatePortalSessionInput!) { createPortalSession(input: $input) { url } }';
  const answer = await fetch(`${HOOKWRIGHT_URL}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.hookwrightKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { input } }),
  });
  const { data, errors } = await answer.json();
  if (!data?.createPortalSession) {
    throw new Error(`Hookwright made no portal session: ${errors?.[0]?.message ?? answer.status}`);
  }
  return data.createPortalSession.url;
}

/** A real product finds out by its own cookie who asks; this one has a single customer, who is always signed in. */
const signedIn = () => ({ name: 'Rosa', locale: 'en', hookwrightKey: HOOKWRIGHT_KEY });

const pages = {
  '/settings': { file: 'settings.html', type: 'text/html; charset=utf-8' },
  '/settings.js': { file: 'settings.js', type: 'text/javascript' },
  '/settings.css': { file: 'settings.css', type: 'text/css' },
};
const policy = `default-src 'none'; style-src 'self'; connect-src 'self'; img-src data:; script-src 'self' ${HOOKWRIGHT_URL}; frame-src ${HOOKWRIGHT_URL}`;

const server = createServer(async (request, response) => {
  try {
    if (request.method === 'POST' && request.url === '/portal-session') {
      // Pages of other origins must not have sessions made here.
      if (request.headers.origin !== origin) {
        response.writeHead(403).end();
        return;
      }
      const url = await portalUrl(signedIn(request));
      response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
      response.end(JSON.stringify({ url }));
      return;
    }
    // Sessions name one origin: the page opened by another address, such as 127.0.0.1, goes there.
    if (request.headers.host !== new URL(origin).host) {
      response.writeHead(302, { location: `${origin}/settings` }).end();
      return;
    }
    const page = pages[request.url];
    if (page === undefined) {
      response.writeHead(302, { location: '/settings' }).end();
      return;
    }
    const text = await readFile(new URL(page.file, import.meta.url), 'utf8');
    response.writeHead(200, { 'content-type': page.type, 'content-security-policy': policy });
    response.end(text.replaceAll('HOOKWRIGHT_URL', HOOKWRIGHT_URL));
  } catch (error) {
    console.error(error);
    response.writeHead(502).end();
  }
});

if (!HOOKWRIGHT_KEY) {
  throw new Error('Set HOOKWRIGHT_KEY to an API key of a tenant, which makes portal sessions (scope keys:admin).');
}
let origin = '';
server.listen(Number(PORT), 'localhost', () => {
  origin = `http://localhost:${server.address().port}`;
  console.log(`The settings are at ${origin}/settings`);
});

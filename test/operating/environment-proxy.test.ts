import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { AUTHORITY, GOOD, KEY } from '../support/certificates.js';
import { startFakeProxy } from '../support/fake-proxy.js';
import { openServer } from '../support/loopback.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** Runs the built code in a process of its own: Node reads these variables at its start. */
async function run(code: string, env: Record<string, string>): Promise<string> {
  const args = ['--input-type=module', '--eval', code];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000, env });
  return stdout;
}

const SEND_A_SPAN = `
  import { openTracing } from './dist/src/platform/telemetry/open-tracing.js';
  const log = { info() {}, warn: (_, message) => console.log(message) };
  const tracing = await openTracing(log);
  tracing.start('a', 'INTERNAL', undefined).end();
  await tracing.close();`;
const ASK_THE_PROVIDER = `
  import { Provider } from './dist/src/api/dashboard/oidc/provider.js';
  const issuer = 'https://receiver.example.com';
  const settings = { issuer, clientId: 'x', publicUrl: issuer, scopes: 'openid' };
  const { url } = await new Provider(settings, () => new Date()).begin('/console');
  console.log(url.pathname);`;

test('with NODE_USE_ENV_PROXY, OpenID Connect and traces go through the proxy of the environment', async () => {
  const got: string[] = [];
  const issuer = 'https://receiver.example.com';
  const metadata = { issuer, authorization_endpoint: `${issuer}/sign-in`, token_endpoint: `${issuer}/token` };
  const server = createServer({ cert: GOOD, key: KEY }, async (request, response) => {
    await text(request);
    got.push(`${request.method} ${request.url}`);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
  });
  const { port, close } = await openServer(server);
  await using proxy = await startFakeProxy(() => ({ port }));
  const authority = join(temporaryFolder(), 'authority.pem');
  await writeFile(authority, AUTHORITY);
  const env = { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: proxy.url };

  const collector = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://receiver.example.com:4318',
    OTEL_EXPORTER_OTLP_CERTIFICATE: authority,
  };
  expect(await run(SEND_A_SPAN, { ...env, ...collector })).toBe('');
  expect(await run(ASK_THE_PROVIDER, { ...env, NODE_EXTRA_CA_CERTS: authority })).toBe('/sign-in\n');
  expect(proxy.asked).toEqual(['receiver.example.com:4318', 'receiver.example.com:443']);
  expect(got).toEqual(['POST /v1/traces', 'GET /.well-known/openid-configuration']);
  await close();
});

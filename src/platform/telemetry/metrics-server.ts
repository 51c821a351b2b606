import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { answerHalfClosed, http } from '../node/node-http.js';

interface MetricsServer {
  /** The address for Prometheus; /health/live and /health/ready are beside it. */
  url: string;
  close(): Promise<void>;
}

/**
 * Serves `/metrics` in Prometheus' text format on a port of its own, for operators and not for tenants. `/health/live`
 * and `/health/ready` are there too, for daemons, which have no other port.
 *
 * @param notReady says why the process cannot work at the moment; may reject
 */
export async function startMetricsServer(
  registry: Registry,
  { host, port }: { host: string; port: number },
  notReady: () => Promise<string | null> = async () => null,
): Promise<MetricsServer> {
  const server = http.createServer(async (request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    try {
      const { status, type, text } = await answerTo(path, registry, notReady);
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
    } catch (error) {
      response.writeHead(500, { 'content-type': 'text/plain' }).end(`${String(error)}\n`);
    }
  });
  answerHalfClosed(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Answer {
  status: number;
  type: string;
  text: string;
}

async function answerTo(path: string, registry: Registry, notReady: () => Promise<string | null>): Promise<Answer> {
  if (path === '/metrics') {
    return { status: 200, type: registry.contentType, text: await registry.metrics() };
  }
  if (path === '/health/live') {
    return json(200, { status: 'live' });
  }
  if (path === '/health/ready') {
    // The error itself is in the log; it may name hosts and users.
    const why = await notReady().catch(() => 'The database does not answer.');
    return why === null ? json(200, { status: 'ready' }) : json(503, { status: 'not ready', detail: why });
  }
  return { status: 404, type: 'text/plain', text: 'Here are /metrics, /health/live and /health/ready.\n' };
}

const json = (status: number, body: object): Answer => ({
  status,
  type: 'application/json; charset=utf-8',
  text: JSON.stringify(body),
});

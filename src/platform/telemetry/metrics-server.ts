import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import type { Registry } from 'prom-client';
import { answerHalfClosed } from '../node/node-http.js';

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
  const app = Fastify({ forceCloseConnections: true });
  answerHalfClosed(app.server);
  app.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'));
  app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()));
  app.get('/health/live', async () => ({ status: 'live' }));
  app.get('/health/ready', async (_request, reply) => {
    // The error itself is in the log; it may name hosts and users.
    const why = await notReady().catch(() => 'The database does not answer.');
    return why === null ? { status: 'ready' } : reply.code(503).send({ status: 'not ready', detail: why });
  });
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).type('text/plain').send('Here are /metrics, /health/live and /health/ready.\n'),
  );
  await app.listen({ host, port });
  const { port: taken } = app.server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}/metrics`,
    close: () => app.close(),
  };
}

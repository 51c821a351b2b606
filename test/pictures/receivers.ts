import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { Answer } from '../seed/answers.js';
import { EXPIRED_CERTIFICATE, RECEIVERS_CERTIFICATE, RECEIVERS_KEY } from '../seed/certificates.js';
import { Chance } from '../seed/chance.js';
import { tenants } from '../seed/endpoints.js';

interface Receivers {
  /** The EGRESS_PROXY: it leads all names to these receivers, and nothing leaves this machine. */
  proxyUrl: string;
  close(): Promise<void>;
}

/**
 * The receivers of the seeded installation, which behave as they have behaved: slow ones are slow, and broken ones
 * broken. From now on this process trusts their certificates. Urls that are not seeded are answered with 200.
 */
export async function startReceivers(): Promise<Receivers> {
  setDefaultCACertificates([...getCACertificates(), RECEIVERS_CERTIFICATE, EXPIRED_CERTIFICATE]);
  const chance = new Chance(Date.now());
  const endpoints = tenants.flatMap((tenant) => tenant.endpoints);
  const behaviourOf = (host: string, path: string) =>
    endpoints.find(({ url }) => url === `https://${host}${path}`)?.behaves;
  const expired = new Set(endpoints.flatMap(({ url, expired }) => (expired ? [new URL(url).host] : [])));
  const unreachable = new Set(
    endpoints.flatMap(({ url, behaves }) => {
      const answer = behaves(chance, 0, '');
      return answer.kind === 'error' && answer.code === 'CONNECT_FAILED' ? [new URL(url).host] : [];
    }),
  );

  const context = (cert: string) => createSecureContext({ key: RECEIVERS_KEY, cert });
  const contexts = { good: context(RECEIVERS_CERTIFICATE), expired: context(EXPIRED_CERTIFICATE) };
  const receiver = createServer(
    {
      key: RECEIVERS_KEY,
      cert: RECEIVERS_CERTIFICATE,
      SNICallback: (name, use) => use(null, expired.has(name) ? contexts.expired : contexts.good),
    },
    (request, response) => {
      request.on('error', () => {});
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const behaves = behaviourOf(request.headers.host ?? '', request.url ?? '');
        const answer = behaves?.(chance, 0, Buffer.concat(chunks).toString()) ?? plainOk;
        setTimeout(() => {
          if (answer.kind === 'response') {
            response.writeHead(answer.status, answer.headers).end(answer.body);
          } else if (answer.code !== 'TIMEOUT') {
            request.socket.destroy();
          }
        }, answer.latencyMs);
      });
    },
  );
  receiver.on('tlsClientError', () => {}); // of the expired certificate
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;

  const proxy = createHttpServer((_, response) => response.writeHead(400).end());
  const tunnels = new Set<Duplex>();
  proxy.on('connect', (request, client: Duplex, head: Buffer) => {
    client.on('error', () => {});
    if (unreachable.has(request.url?.replace(/:\d+$/, '') ?? '')) {
      client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      return;
    }
    const target = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.write(head);
      client.pipe(target).pipe(client);
    });
    tunnels.add(client);
    target.on('error', () => {}).on('close', () => client.destroy());
    client.on('close', () => {
      tunnels.delete(client);
      target.destroy();
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    proxyUrl: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    async close() {
      for (const tunnel of tunnels) {
        tunnel.destroy();
      }
      receiver.closeAllConnections();
      proxy.closeAllConnections();
      await Promise.all([receiver, proxy].map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

const plainOk: Answer = { kind: 'response', status: 200, latencyMs: 20, headers: {}, body: '' };

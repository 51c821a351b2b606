import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { SendResult } from '../../src/domain/deliveries/outcome.js';
import { KEY } from './certificates.js';
import { ownPort } from './loopback.js';
import { runNginx } from './nginx.js';
import { PRIVATE_AUTHORITY, PRIVATE_RECEIVER } from './private-certificates.js';

/** What nginx knows of a client: which certificate it has shown, and by which connection it came. */
export interface SeenClient {
  /** SUCCESS or NONE: others get 400. */
  verified: string;
  serial: string;
  connection: number;
  protocol: string;
}

export interface TlsReceiver extends AsyncDisposable {
  port: number;
}

/**
 * nginx as the receiver of an endpoint with TLS of its own. It says in each answer whom it has seen.
 *
 * @param options.cert for `KEY`
 * @param options.verify nginx's `ssl_verify_client`
 * @param options.protocols its `ssl_protocols`
 */
export async function startTlsReceiver(
  options: { cert?: string; verify?: 'on' | 'off'; protocols?: string } = {},
): Promise<TlsReceiver> {
  const { cert = PRIVATE_RECEIVER, verify = 'on', protocols = 'TLSv1.2 TLSv1.3' } = options;
  const port = await ownPort();
  const seen = [
    '"verified":"$ssl_client_verify"',
    '"serial":"$ssl_client_serial"',
    '"connection":$connection',
    '"protocol":"$ssl_protocol"',
  ].join(',');
  const files = { 'cert.pem': cert, 'key.pem': KEY, 'clients.pem': PRIVATE_AUTHORITY };
  const running = await runNginx(
    (folder) => {
      for (const [name, text] of Object.entries(files)) {
        writeFileSync(join(folder, name), text);
      }
      return `
server {
  listen 127.0.0.1:${port} ssl;
  ssl_protocols ${protocols};
  ssl_certificate ${folder}/cert.pem;
  ssl_certificate_key ${folder}/key.pem;
  ssl_client_certificate ${folder}/clients.pem;
  ssl_verify_client ${verify};
  location / { return 200 '{${seen}}'; }
}`;
    },
    () => accepts(port),
  );
  return Object.assign(running, { port });
}

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.on('connect', () => end(true)).on('error', () => end(false));
  });

/** @throws Error when the receiver did not answer, or refused the certificate */
export function seenBy(result: SendResult): SeenClient {
  if (result.kind !== 'response' || result.statusCode !== 200) {
    throw new Error(`It was not accepted: ${result.kind === 'error' ? result.code : result.statusCode}`);
  }
  return JSON.parse(result.body.toString()) as SeenClient;
}

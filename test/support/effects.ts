import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers every request with a number, as the `--effect-url` of a receiver does. */
export async function startEffects(count: () => number) {
  const server = createServer((_request, response) => response.end(String(count())));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

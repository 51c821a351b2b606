import { type AddressInfo, createServer } from 'node:net';

/** A loopback port that nobody listens at now. @throws Error when there is none, or no loopback */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

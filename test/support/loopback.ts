import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Listens on loopback. @param port default: any free one @returns the port */
export async function listen(server: Server, port = 0, host = '127.0.0.1'): Promise<number> {
  await once(server.listen(port, host), 'listening');
  return (server.address() as AddressInfo).port;
}

/**
 * Listens on loopback at a port that no connection gets from the system: after it has gone away, the server finds it
 * free.
 */
export async function listenAtOwnPort(server: Server): Promise<number> {
  for (;;) {
    try {
      return await listen(server, randomInt(20_000, 32_000));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') {
        throw error;
      }
    }
  }
}

/**
 * A port for what must know it before it listens, or listen there again. The system gives it to nobody, as it may give
 * one that was free a moment ago. Everything else listens at 0, and says where that is.
 */
export async function ownPort(): Promise<number> {
  const server = createServer();
  const port = await listenAtOwnPort(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Listens on loopback, and knows its sockets: closing cuts them. */
export async function openServer(server: Server, port?: number, host?: string) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  return {
    port: await listen(server, port, host),
    sockets: sockets as ReadonlySet<Socket>,
    async close(): Promise<void> {
      for (const socket of sockets) {
        socket.destroy();
      }
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The API listens on loopback. @returns the port */
export async function serve(api: FastifyInstance, port = 0): Promise<number> {
  return Number(new URL(await api.listen({ host: '127.0.0.1', port })).port);
}

import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { isNotHere } from './listen.js';

export interface Listening {
  /** The first address, as an url. */
  address: string;
  /** Ends the server and all its addresses, after the requests under way. */
  close(): Promise<void>;
}

/**
 * Listens on one port of each address. It is one server that answers: Fastify would open another one for each further
 * address of `localhost`, which knows nothing of what is set at the first.
 *
 * @param addresses the first must be there; a further one that the machine does not have is left out
 */
export async function listenOnAll(
  app: FastifyInstance,
  [first, ...others]: readonly string[],
  port: number,
): Promise<Listening> {
  const listenTextResolver = (address: string) => `the API is listening at ${address}`;
  const address = await app.listen({ host: first!, port, listenTextResolver });
  const { port: taken } = app.server.address() as AddressInfo;
  const doors: Server[] = [];
  const close = async () => {
    const closed = doors.map((door) => new Promise((resolve) => door.close(resolve)));
    await app.close();
    await Promise.all(closed);
  };
  try {
    for (const host of others) {
      const door = await openDoor(app, { host, port: taken });
      doors.push(...(door === null ? [] : [door]));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { address, close };
}

/** Hands the connections that come to another address to the server. @returns null: there is no such address here */
async function openDoor(app: FastifyInstance, { host, port }: { host: string; port: number }): Promise<Server | null> {
  // Connections as Node's own HTTP server would have them.
  const door = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => app.server.emit('connection', socket));
  try {
    await once(door.listen({ host, port }), 'listening');
    return door;
  } catch (error) {
    if (isNotHere(error)) {
      return null;
    }
    throw error;
  }
}

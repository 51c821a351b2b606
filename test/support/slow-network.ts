import { connect, createServer, type Socket } from 'node:net';
import { hearLastWords } from '../../daemon/sending/receiver-socket.js';
import { listen } from './loopback.js';

/** A way to a receiver on loopback that takes time, as the way to a distant one does. */
interface SlowNetwork extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/hook`, by way of this network. */
  url: string;
  port: number;
  /** How many connections have been made through it. */
  connections: number;
  close(): Promise<void>;
}

/**
 * A TCP proxy on loopback: bytes, the end of a stream and resets arrive at the other side `oneWayMs` later, in their
 * order. Only the handshake is not delayed: the kernel answers it.
 *
 * @param to the port on 127.0.0.1 that it leads to
 */
export async function openSlowNetwork({ to, oneWayMs }: { to: number; oneWayMs: number }): Promise<SlowNetwork> {
  const sockets = new Set<Socket>();
  // Timers of one duration fire in the order in which they were set.
  const later = (act: () => void) => setTimeout(act, oneWayMs).unref();
  const carry = (from: Socket, target: Socket) => {
    sockets.add(from.setNoDelay(true));
    hearLastWords(from);
    from.on('data', (chunk: Buffer) => later(() => target.write(chunk)));
    from.on('end', () => later(() => target.end()));
    // Its peer has reset it, or takes no more of what was on its way there: the other side learns of both by a reset.
    from.on('error', () => later(() => target.resetAndDestroy()));
    from.on('close', () => sockets.delete(from));
  };
  const server = createServer({ allowHalfOpen: true }, (near) => {
    network.connections += 1;
    const far = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true });
    carry(near, far);
    carry(far, near);
  });
  const port = await listen(server);
  const network: SlowNetwork = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    connections: 0,
    async close() {
      for (const socket of sockets) {
        socket.destroy();
      }
      await new Promise((resolve) => server.close(resolve));
    },
    [Symbol.asyncDispose]: () => network.close(),
  };
  return network;
}

import { once } from 'node:events';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { type HostileReceiver, startHostileReceiver } from './hostile-receivers.js';

/** A port on which nobody listens. A connection goes out from it, so that no other server gets it meanwhile. */
export async function startAbsentReceiver(): Promise<HostileReceiver> {
  const receiver = await startHostileReceiver(() => {});
  const holding = connect(receiver.port, '127.0.0.1');
  await once(holding, 'connect');
  const port = holding.localPort!;
  const close = async () => {
    holding.destroy();
    await receiver.close();
  };
  return { ...receiver, port, url: `http://127.0.0.1:${port}/hook`, open: 0, close, [Symbol.asyncDispose]: close };
}

/** Listens and then does nothing ever again, so that its queue of connections stays full. */
const LISTEN_AND_SLEEP = `
  const { parentPort, workerData } = require('node:worker_threads');
  const server = require('node:net').createServer();
  server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(new Int32Array(workerData), 0, 0);
    process.exit();
  });`;

/** A port on which somebody listens whose queue of connections is full: further ones get no answer at all. */
export async function startDeafReceiver(): Promise<HostileReceiver> {
  const asleep = new SharedArrayBuffer(4);
  const worker = new Worker(LISTEN_AND_SLEEP, { eval: true, workerData: asleep });
  const [port] = (await once(worker, 'message')) as [number];
  const waiting = Array.from({ length: 8 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  await once(waiting[0]!, 'connect');
  const close = async () => {
    for (const socket of waiting) {
      socket.destroy();
    }
    Atomics.store(new Int32Array(asleep), 0, 1);
    Atomics.notify(new Int32Array(asleep), 0);
    await worker.terminate();
  };
  const url = `http://127.0.0.1:${port}/hook`;
  return { connections: 0, received: '', open: 0, port, url, close, [Symbol.asyncDispose]: close };
}

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { GOOD, KEY } from './certificates.js';

/** It has a thread of its own: what is tested happens only when both sides act at the same moment. */
const PROGRAM = `
  const { workerData, parentPort } = require('node:worker_threads');
  const { scheme, answer, key, cert } = workerData;
  const serve = (socket) => {
    socket.on('error', () => {});
    socket.pause();
    socket.write(answer, 'latin1', () => socket.destroy());
  };
  const server = scheme === 'http'
    ? require('node:net').createServer(serve)
    : require('node:tls').createServer({ key, cert }, serve);
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

interface HastyReceiver extends AsyncDisposable {
  port: number;
}

/** A receiver that answers at the first bytes of a request, and closes the connection with the rest unread. */
export async function startHastyReceiver(scheme: 'http' | 'https', answer: string): Promise<HastyReceiver> {
  const worker = new Worker(PROGRAM, {
    eval: true,
    workerData: { scheme, answer, key: KEY, cert: GOOD },
  });
  const [port] = (await once(worker, 'message')) as [number];
  return { port, [Symbol.asyncDispose]: async () => void (await worker.terminate()) };
}

import { setDefaultCACertificates } from 'node:tls';
import { beforeAll, expect, test } from 'vitest';
import { AUTHORITY } from '../support/certificates.js';
import { startHastyReceiver } from '../support/hasty-receiver.js';
import { leadsTo, openSender } from '../support/sender.js';
import { openSlowNetwork } from '../support/slow-network.js';

beforeAll(() => setDefaultCACertificates([AUTHORITY]));

const LENGTH = 'content-length: 2\r\n';
const CLOSE = 'connection: close\r\n';
/** More than the kernel takes at once, so that some of it is still to be written when the connection is closed. */
const BODY_BYTES = 4_000_000;

const cases = (['http', 'https'] as const).flatMap((scheme) =>
  [200, 413].flatMap((status) => [LENGTH + CLOSE, LENGTH, CLOSE, ''].map((headers) => ({ scheme, status, headers }))),
);

test.each(cases)(
  'an answer counts that comes before the body is read, and with it the end of the connection: $scheme $status $headers',
  async ({ scheme, status, headers }) => {
    const answer = `HTTP/1.1 ${status} X\r\n${headers}\r\nok`;
    await using receiver = await startHastyReceiver(scheme, answer);
    await using distant = await openSlowNetwork({ to: receiver.port, oneWayMs: 10 });
    const sender = openSender({
      lookup: async (name) => {
        const addresses = await leadsTo('127.0.0.1')(name);
        // By then connecting has begun. When this thread goes on, the receiver has said and done all that it will.
        process.nextTick(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30));
        return addresses;
      },
    });
    for (const port of [receiver.port, distant.port]) {
      for (let i = 0; i < 3; i++) {
        const request = { headers: {}, body: Buffer.alloc(BODY_BYTES, 'x') };
        const result = await sender.send(`${scheme}://receiver.example.com:${port}/`, request);
        expect(result).toMatchObject({ kind: 'response', statusCode: status });
      }
    }
    await sender.close();
  },
);

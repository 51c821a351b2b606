/** Sends one request to the url in the arguments, by our sender or (`fetch`) by Node's own means. Prints the status. */
import { createSender } from '../../daemon/sending/send.js';

const [, , how, url = ''] = process.argv;
if (how === 'fetch') {
  process.stdout.write(String((await fetch(url, { method: 'POST' })).status));
} else {
  const sender = createSender({
    policy: { allowHttp: true, allowedRanges: [], loopbackHttp: true },
    connectTimeoutMs: 5_000,
    totalTimeoutMs: 15_000,
    responseBytesMax: 65_536,
    storedBytesMax: 16_384,
    connectionsPerOriginMax: 8,
    egressProxy: process.env['TEST_EGRESS_PROXY'],
  });
  const result = await sender.send(url, { headers: {}, body: Buffer.from('{}') });
  process.stdout.write(String(result.kind === 'response' ? result.statusCode : result.code));
  await sender.close();
}

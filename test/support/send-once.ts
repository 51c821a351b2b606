/** Sends one request to the url in the arguments, by our sender or (`fetch`) by Node's own means. Prints the status. */
import { openSender } from './sender.js';

const [, , how, url = ''] = process.argv;
if (how === 'fetch') {
  process.stdout.write(String((await fetch(url, { method: 'POST' })).status));
} else {
  const sender = openSender({
    policy: { allowHttp: true, allowedRanges: [], loopbackHttp: true },
    egressProxy: process.env['TEST_EGRESS_PROXY'],
  });
  const result = await sender.send(url, { headers: {}, body: Buffer.from('{}') });
  process.stdout.write(String(result.kind === 'response' ? result.statusCode : result.code));
  await sender.close();
}

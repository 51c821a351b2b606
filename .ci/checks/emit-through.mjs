// Emits an event at an API, and waits until it arrives at a receiver of ours with its signature.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

const [, , api, key] = process.argv;
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
const post = async (path, body) => {
  const response = await fetch(api + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const answer = await response.json();
  assert.ok(response.ok && !answer.errors, JSON.stringify(answer));
  return answer;
};

const receiver = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    response.end();
    receiver.emit('delivery', Buffer.concat(chunks), request.headers);
  });
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');
const url = `http://127.0.0.1:${receiver.address().port}/hooks`;
const delivery = once(receiver, 'delivery', { signal: AbortSignal.timeout(30_000) });
const created = await post('/api/v1/webhooks', { url, events: ['coupon.applied'] });
const query = 'mutation ($input: EmitEventInput!) { emitEvent(input: $input) { deliveryCount } }';
const payload = { code: 'SUMMER', discount_type: 'percent' };
const emitted = await post('/graphql', { query, variables: { input: { event: 'coupon.applied', payload } } });
assert.equal(emitted.data.emitEvent.deliveryCount, 1);
const [body, { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures }] = await delivery;
const { secret } = created.data ?? created;
const signature = createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'))
  .update(`${id}.${timestamp}.${body}`)
  .digest('base64');
assert.ok(signatures.split(' ').includes(`v1,${signature}`), signatures);
// Connections that are kept alive would keep this process too.
process.exit();

import { afterAll, expect, test } from 'vitest';
import { ApiOverSockets } from '../support/api-over-sockets.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { answersEach, type HostileReceiver, response, startHostileReceiver } from '../support/hostile-receivers.js';

const stack = await DeliveryStack.open();
const api = await ApiOverSockets.open(stack.services, stack.tenantId);
const receivers: HostileReceiver[] = [];
stack.startDaemon();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

const create = (url: string) =>
  api.graphql('mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id url } } }', {
    input: { url, eventTypes: ['*'] },
  });

/** The names of the headers of every delivery, and nothing else. */
const HEADERS = [
  ...['accept', 'accept-encoding', 'connection', 'content-length', 'content-type', 'host', 'user-agent'],
  ...['webhook-id', 'webhook-signature', 'webhook-timestamp'],
  ...['x-service-delivery', 'x-service-event', 'x-service-signature', 'x-service-timestamp'],
];

test.each([
  ['a line end in the path', '/a\r\nX-Injected: 1'],
  ['a line end in the query', '/?a=b\r\nX-Injected: 1'],
  ['a whole request in the path', '/ HTTP/1.1\r\nHost: b\r\n\r\nGET /'],
  ['a tab', '/a\tb'],
  ['NUL', '/a\0b'],
  ['an escape sequence of a terminal', '/\u001b[2J'],
  ['a lone surrogate', '/\ud800'],
])('a url with %s is refused', async (_what, path) => {
  const { body } = await create(`http://127.0.0.1:8080${path}`);
  expect(body.data?.createWebhook ?? null).toBeNull();
  expect(body.errors).toMatchObject([{ extensions: { errors: [{ path: ['input', 'url'], code: 'url_characters' }] } }]);
});

// What the URL standard makes of a text is stored and shown: what is called is what the tenant reads.
test.each([
  ['an escaped line end', '/%0d%0aX-Injected:%201', '/%0d%0aX-Injected:%201'],
  ['letters beyond ASCII', '/ä?ö=日', '/%C3%A4?%C3%B6=%E6%97%A5'],
  ['a line separator', '/\u2028', '/%E2%80%A8'],
  ['quotes', '/"\'<>`', "/%22'%3C%3E%60"],
  ['dots that lead upwards', '/a/../../b', '/b'],
  ['backslashes', '\\a\\b', '/a/b'],
])('a url with %s has one meaning, and adds nothing to the request', async (_what, path, meant) => {
  const receiver = await startHostileReceiver(answersEach(response(200)));
  receivers.push(receiver);
  const origin = `http://127.0.0.1:${receiver.port}`;
  const { body } = await create(`${origin}${path}`);
  expect(body.errors).toBeUndefined();
  expect(body.data.createWebhook.webhook.url).toBe(`${origin}${meant}`);
  await stack.emit('coupon.applied');
  await eventually(() => receiver.received.includes('"discount_type"'), 20_000);
  const [head = ''] = receiver.received.split('\r\n\r\n', 1);
  const [requestLine, ...headers] = head.split('\r\n');
  expect(requestLine).toBe(`POST ${meant} HTTP/1.1`);
  expect(headers.map((line) => line.split(':', 1)[0]?.toLowerCase()).sort()).toEqual(HEADERS);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileEventSchema } from '../../src/platform/payload-checks/payload-check.js';
import { BulkSite } from '../support/bulk-operations.js';
import { eventually } from '../support/eventually.js';
import { makeKey } from '../support/factories.js';
import { dataOf } from '../support/graphql-api.js';
import { numberIn } from '../support/ids.js';
import { answer, type Received, type Receiver, startReceiver } from '../support/receiver.js';

/** What endpoints that are pinned to a release are sent. */

const site = await BulkSite.open();
const platform = await makeKey(site.api.services, null, ['platform:admin']);
afterAll(() => site[Symbol.asyncDispose]());

const text = { type: 'string' };
const form = (properties: object) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const number = { type: 'number' };
const lines = (properties: object) => ({ type: 'array', items: form(properties) });

/** Five changes, each with the steps back. */
const history = [
  { schema: form({ id: text, mail: text, total: number, lines: lines({ sku: text }) }), converter: null },
  {
    schema: form({ id: text, email: text, total: number, lines: lines({ sku: text }) }),
    converter: [{ op: 'RENAME', path: 'email', to: 'mail' }],
  },
  {
    schema: form({
      id: text,
      email: text,
      total: form({ amount: number, currency: text }),
      lines: lines({ sku: text }),
    }),
    converter: [{ op: 'UNWRAP', path: 'total.amount' }],
  },
  {
    schema: form({
      id: text,
      customer: form({ email: text }),
      total: form({ amount: number, currency: text }),
      lines: lines({ item: form({ sku: text }) }),
    }),
    converter: [
      { op: 'MOVE', path: 'customer.email', to: 'email' },
      { op: 'REMOVE', path: 'customer' },
      { op: 'MOVE', path: 'lines[].item.sku', to: 'lines[].sku' },
      { op: 'REMOVE', path: 'lines[].item' },
    ],
  },
  {
    schema: form({
      id: text,
      customer: form({ email: text }),
      total: form({ amount: number }),
      lines: lines({ item: form({ sku: text }) }),
    }),
    converter: [{ op: 'SET', path: 'total.currency', value: 'EUR' }],
  },
  {
    schema: form({
      id: text,
      customer: form({ email: text }),
      total: form({ amount: number }),
      lines: lines({ item: form({ sku: text }) }),
      channel: text,
    }),
    converter: [{ op: 'REMOVE', path: 'channel' }],
  },
];
const newest =
  '{"id":"a","customer":{"email":"x@example.com"},"total":{"amount":10.50},"lines":[{"item":{"sku":"1"}}],"channel":"web"}';
const oldest = '{"id":"a","total":10.50,"lines":[{"sku":"1"}],"mail":"x@example.com"}';

const admin = async (name: string, input: object, selection: string) =>
  dataOf(await site.mutate(name, input, selection, platform)).result;
const register = (name: string, schema: object) =>
  admin('registerEventType', { name, description: 'A thing.', schema }, 'eventType { name }');
const update = (name: string, schema: object, converter: object | null = null) =>
  admin('updateEventType', { name, schema, ...(converter && { converter }) }, 'eventType { version }');
const release = (name: string) => admin('createRelease', { name }, 'release { name }');

interface Endpoint extends Receiver {
  id: string;
}
const closing: Receiver[] = [];
afterAll(() => Promise.all(closing.map((receiver) => receiver.close())));

async function endpoint(eventType: string, content: object, more: object = {}): Promise<Endpoint> {
  const receiver = await startReceiver();
  closing.push(receiver);
  const input = { url: receiver.url, eventTypes: [eventType], content, ...more };
  const { webhook } = dataOf(await site.mutate('createWebhook', input, 'webhook { id }')).result;
  return Object.assign(receiver, { id: webhook.id });
}

const received = ({ received: all }: Receiver, count = 1): Promise<Received> =>
  eventually(() => (all.length === count ? all.at(-1) : undefined));
const bodies = ({ received: all }: Receiver) => all.map(({ body }) => body.toString());
const emit = (eventType: string, body: string, more: object = {}) =>
  site.mutate('emitEvent', { eventType, body, ...more }, 'event { id }').then((one) => dataOf(one).result.event.id);

beforeAll(async () => {
  await register('order.paid', history[0]!.schema);
  await release('2026-01');
  for (const { schema, converter } of history.slice(1)) {
    await update('order.paid', schema, converter);
  }
  await release('2026-11');
});

test('five changes later an endpoint gets bytes that its schema accepts: again, after restarts, and as replays', async () => {
  const hook = await endpoint('order.paid', { release: '2026-01' });
  let daemon = site.startDaemon();
  hook.answerWith((request, response) => answer(hook.received.length < 3 ? 500 : 200)(request, response));
  const event = await emit('order.paid', newest);
  await received(hook, 2);
  await daemon.stop();
  daemon = site.startDaemon();
  await received(hook, 3);
  const ask = `{ webhook(id: "${hook.id}") { deliveries(first: 1) { edges { node { id status attempts { requestBody } } } } } }`;
  const delivery = await eventually(async () => {
    const { node } = dataOf(await site.ask(ask)).webhook.deliveries.edges[0];
    return node.status === 'SUCCEEDED' ? node : undefined;
  });
  expect(delivery.attempts.map(({ requestBody }: { requestBody: string }) => requestBody)).toEqual(
    Array(3).fill(oldest),
  );
  dataOf(await site.mutate('redeliver', { deliveryId: delivery.id }, 'delivery { id }'));
  await received(hook, 4);
  await site.start('replayEvents', {
    webhookId: hook.id,
    filter: { since: new Date(Date.now() - 60_000).toISOString() },
    includeDelivered: true,
  });
  await received(hook, 5);
  expect(bodies(hook)).toEqual(Array(5).fill(oldest));
  expect(compileEventSchema(JSON.stringify(history[0]!.schema))(JSON.parse(oldest))).toBe(true);
  const { rows } = await site.api.owner.query('select type_version from hookwright.events where id = $1', [
    numberIn(event),
  ]);
  expect(rows).toEqual([{ type_version: 6 }]);
  await daemon.stop();
});

describe('an event', () => {
  beforeAll(async () => {
    await register('user.made', form({ name: text }));
    await release('2026-02');
    await update('user.made', form({ title: text }), [{ op: 'RENAME', path: 'title', to: 'name' }]);
    site.startDaemon();
  });
  const [emitted, sent] = ['{"title":"Ada"}', '{"name":"Ada"}'];

  test('is converted however it comes: alone, in a batch, in order, for some hours, later, by SQL, as a test', async () => {
    const hook = await endpoint('user.made', { release: '2026-02' });
    await emit('user.made', emitted);
    await received(hook, 1);
    const events = Array.from({ length: 3 }, () => ({ eventType: 'user.made', body: emitted }));
    dataOf(await site.mutate('emitEvents', { events }, 'results { event { id } }'));
    await received(hook, 4);
    await emit('user.made', emitted, { orderingKey: 'k' });
    await emit('user.made', emitted, { keepHours: 2 });
    await received(hook, 6);
    const scheduled = { eventType: 'user.made', body: emitted, delaySeconds: 0 };
    dataOf(await site.mutate('scheduleEvent', scheduled, 'scheduledEvent { id }'));
    await received(hook, 7);
    await site.api.owner.query('select * from hookwright.emit($1, $2, $3)', [site.tenant.id, 'user.made', emitted]);
    await received(hook, 8);
    await site.api.owner.query('select * from hookwright.schedule($1, $2, $3, now())', [
      ...[site.tenant.id, 'user.made', emitted],
    ]);
    await received(hook, 9);
    const payload = { title: 'Ada' };
    dataOf(await site.mutate('testWebhook', { id: hook.id, eventType: 'user.made', payload }, 'delivery { id }'));
    await received(hook, 10);
    expect(bodies(hook)).toEqual(Array(10).fill(sent));
  });

  test('that an application has checked by a version is of this version', async () => {
    const hook = await endpoint('user.made', { release: '2026-02' });
    const bySql = (version: number) =>
      site.api.owner.query(
        `select * from hookwright.emit_events(array[$1::bigint], array['user.made'], array[$2], schema_checked => true,
                                              type_versions => array[$3::integer])`,
        [site.tenant.id, sent, version],
      );
    await bySql(1);
    expect((await received(hook)).body.toString()).toBe(sent);
    const unknown = site.api.owner.query(
      `select * from hookwright.judge_emits(array[$1::bigint], array['user.made'], array[$2], null, false, true, '{7}')`,
      [site.tenant.id, sent],
    );
    expect((await unknown).rows).toMatchObject([{ refusals: ['SCHEMA_VERSION_UNKNOWN'] }]);
  });

  test('takes its shape and format from the converted payload', async () => {
    const template = { who: '{{name}}', was: '{{title}}' };
    const hook = await endpoint('user.made', { release: '2026-02', format: 'TEMPLATE', template });
    const plain = await endpoint('user.made', {});
    const later = await endpoint('user.made', { release: '2026-01' });
    await emit('user.made', emitted);
    expect((await received(hook)).body.toString()).toBe('{"who":"Ada","was":null}');
    expect((await received(plain)).body.toString()).toBe(emitted);
    // The release does not have the type: nobody built for it.
    expect((await received(later)).body.toString()).toBe(emitted);
  });

  test('is judged by filters as it was emitted', async () => {
    const filter = { field: { path: 'title', op: 'EQ', value: 'Ada' } };
    const hook = await endpoint('user.made', { release: '2026-02', filter });
    await emit('user.made', '{"title":"Bob"}');
    await emit('user.made', emitted);
    expect((await received(hook)).body.toString()).toBe(sent);
  });
});

test('a step without a converter ends the way; one that is added is for later events alone', async () => {
  await register('step.missing', form({ a: text }));
  await release('2026-04');
  await update('step.missing', form({ b: text }));
  await update('step.missing', form({ c: text }), [{ op: 'RENAME', path: 'c', to: 'b' }]);
  const hook = await endpoint('step.missing', { release: '2026-04' });
  hook.answerWith((request, response) => answer(hook.received.length < 2 ? 500 : 200)(request, response));
  await emit('step.missing', '{"c":"1"}');
  await received(hook, 1);
  await admin(
    'addConverter',
    { name: 'step.missing', version: 2, converter: [{ op: 'RENAME', path: 'b', to: 'a' }] },
    'proof { fits }',
  );
  // As it will be in a minute.
  await site.api.owner.query(
    `update hookwright.event_type_versions set converter_from = hookwright.id_at(clock_timestamp())
     where event_type = 'step.missing' and version = 2`,
  );
  await received(hook, 2);
  expect(bodies(hook)).toEqual(Array(2).fill('{"b":"1"}'));
  await eventually(async () => {
    await emit('step.missing', '{"c":"2"}');
    return bodies(hook).includes('{"a":"2"}');
  });
});

test('what the proof would not have accepted is sent converted all the same', async () => {
  await register('loose.form', form({ a: text }));
  await release('2026-05');
  const loose = { type: 'object', properties: { b: { type: ['string', 'null'] } }, examples: [{ b: 'x' }] };
  await update('loose.form', loose, [{ op: 'RENAME', path: 'b', to: 'a' }]);
  const hook = await endpoint('loose.form', { release: '2026-05' });
  await emit('loose.form', '{"b":null,"__proto__":{"x":1},"n":9007199254740993}');
  expect((await received(hook)).body.toString()).toBe('{"__proto__":{"x":1},"n":9007199254740993,"a":null}');
});

test('a payload of 256 KiB is converted, and so is one that many endpoints of a release get', async () => {
  const long = { type: 'object', properties: { l: lines({ s: text }) } };
  await register('long.list', long);
  await release('2026-06');
  await update('long.list', { type: 'object', properties: { l: lines({ longer: text }) } }, [
    { op: 'RENAME', path: 'l[].longer', to: 's' },
  ]);
  const hooks = await Promise.all([1, 2, 3].map(() => endpoint('long.list', { release: '2026-06' })));
  const body = JSON.stringify({ l: Array.from({ length: 13_000 }, (_, n) => ({ longer: String(n) })) });
  expect(body.length).toBeGreaterThan(200_000);
  await emit('long.list', body);
  for (const hook of hooks) {
    expect((await received(hook)).body.toString()).toBe(body.replaceAll('"longer"', '"s"'));
  }
});

test('the preview shows both bodies', async () => {
  const ask = `query ($input: PreviewContentInput!) { previewContent(input: $input) { samples { body } } }`;
  const body = async (release: string | null) => {
    const input = { content: { release }, eventTypes: ['order.paid'], payload: JSON.parse(newest) };
    return JSON.parse(dataOf(await site.ask(ask, { input })).previewContent.samples[0].body);
  };
  expect(await body('2026-01')).toEqual(JSON.parse(oldest));
  expect(await body('2026-11')).toEqual(JSON.parse(newest));
  expect(await body(null)).toEqual(JSON.parse(newest));
});

import { afterAll, expect, test } from 'vitest';
import { makeKey } from '../support/factories.js';
import { gid } from '../support/ids.js';
import { RestApi } from '../support/rest-api.js';

/** The shape of what is sent: `content.shape`. What shapes mean is in test/domain/shape.test.ts. */

const api = await RestApi.open();
const platform = await makeKey(api.services, null, ['platform:admin']);
afterAll(() => api[Symbol.asyncDispose]());

const ask = async (query: string, variables: object, key = api.tenant.key) =>
  (await api.ask('POST //graphql', { json: { query, variables }, key })).body;
const update = (id: number, content: object) =>
  ask(
    `mutation ($input: UpdateWebhookInput!) {
       updateWebhook(input: $input) { webhook { content { shape format warnings { code } } version } } }`,
    { input: { id: gid.webhook(id), content } },
  );
const changed = async (id: number, content: object) => {
  const { data, errors } = await update(id, content);
  expect(errors).toBeUndefined();
  return data.updateWebhook.webhook;
};
const register = (name: string, properties: object, verb = 'register') => {
  const schema = { type: 'object', properties };
  const input = { name, schema, ...(verb === 'register' ? { description: 'Changes.' } : {}) };
  const selection = verb === 'register' ? 'eventType { name }' : 'affectedShapes { tenant { id } webhookId fields }';
  const type = verb === 'register' ? 'RegisterEventTypeInput' : 'UpdateEventTypeInput';
  return ask(
    `mutation ($input: ${type}!) { ${verb}EventType(input: $input) { ${selection} } }`,
    { input },
    platform.key,
  );
};
const coupon = '\nsubscription {\n  event { type ... on CouponApplied { code } }\n}\n';

test('a shape is set, shown as it was written, and removed by null or nothing', async () => {
  const { id } = await api.webhook();
  const first = await changed(id, { shape: coupon });
  expect(first.content).toEqual({ shape: coupon, format: 'JSON', warnings: [] });
  expect((await changed(id, { shape: coupon })).version).toBe(first.version);
  expect((await changed(id, { format: 'SLACK' })).content).toMatchObject({ shape: coupon, format: 'SLACK' });
  expect((await changed(id, { shape: ' ', format: null })).content).toMatchObject({ shape: null, format: 'JSON' });
  const contents =
    'select shape is null as whole, format from hookwright.webhook_contents where webhook_id = $1 order by id';
  expect((await api.owner.query(contents, [id])).rows).toEqual([
    { whole: false, format: 'JSON' },
    { whole: false, format: 'SLACK' },
  ]);
  const log = '{ auditLog(first: 1, filter: {targetType: WEBHOOK}) { edges { node { before after } } } }';
  const { node } = (await ask(log, {})).data.auditLog.edges[0];
  expect(node).toMatchObject({ before: { shape: coupon }, after: { shape: null } });
});

test('faults are named by line and column, in GraphQL and in REST', async () => {
  const { id } = await api.webhook();
  const wrong = 'subscription {\n  event { ... on CouponApplied { cod } }\n}';
  const { errors } = (await update(id, { shape: wrong })).errors[0].extensions;
  expect(errors).toEqual([
    {
      path: ['input', 'content', 'shape'],
      code: 'shape_invalid',
      detail:
        'is wrong in line 2, column 34: Cannot query field "cod" on type "CouponApplied". Did you mean "code" or "id"?',
    },
  ]);
  const patch = (shape: unknown) => api.ask(`PATCH /webhooks/${id}/options`, { json: { content: { shape } } });
  expect((await patch(wrong)).body.errors).toMatchObject([{ pointer: '/content/shape', code: 'shape_invalid' }]);
  expect((await patch('{')).body.errors).toMatchObject([{ pointer: '/content/shape', code: 'shape_invalid' }]);
  expect((await patch(`${coupon}#${'x'.repeat(16_384)}`)).body.errors).toMatchObject([{ code: 'shape_too_long' }]);
  expect((await patch(`# \u0000${coupon}`)).status).toBe(422);
  expect((await patch(5)).status).toBe(422);
  expect((await patch(coupon)).body.data.content).toMatchObject({ shape: coupon });
  expect((await patch(null)).body.data.content).toMatchObject({ shape: null });
});

test('a preview shows what an unsaved shape makes of an event, before its format', async () => {
  const preview = async (content: object) => {
    const query = `query ($input: PreviewContentInput!) { previewContent(input: $input) { samples { body headers } } }`;
    const input = { content, eventTypes: ['coupon.applied'], payload: { code: 'X', more: [1] } };
    const answer = await ask(query, { input });
    return answer.data?.previewContent?.samples[0] ?? answer.errors[0].extensions.errors[0];
  };
  expect((await preview({ shape: coupon })).body).toBe('{"type":"coupon.applied","code":"X"}');
  const template = { is: '{{code}}', all: '{{@payload}}', more: '{{more}}' };
  expect((await preview({ shape: coupon, format: 'TEMPLATE', template })).body).toBe(
    '{"is":"X","all":{"type":"coupon.applied","code":"X"},"more":null}',
  );
  const { body } = await preview({ shape: coupon, format: 'CLOUDEVENTS_STRUCTURED' });
  expect(JSON.parse(body)).toMatchObject({ data: { type: 'coupon.applied', code: 'X' } });
  expect(JSON.parse(body)).not.toHaveProperty('dataschema');
  expect(await preview({ shape: 'subscription { event }' })).toMatchObject({ code: 'shape_invalid' });
});

test('another schema answers which shapes it no longer fits, and their webhooks warn of it', async () => {
  const text = { type: 'string' };
  await register('shape.changing', { a: text, b: { type: 'object', properties: { c: text } } });
  const { id } = await api.webhook();
  const shape = 'subscription { event { ... on ShapeChanging { a b { c } } } }';
  expect((await changed(id, { shape })).content).toMatchObject({ shape, warnings: [] });
  await changed((await api.webhook()).id, { shape: coupon });
  const { affectedShapes } = (await register('shape.changing', { a: text, b: text }, 'update')).data.updateEventType;
  expect(affectedShapes).toEqual([
    { tenant: { id: gid.tenant(api.tenant.id) }, webhookId: gid.webhook(id), fields: ['b.c'] },
  ]);
  const { webhook } = (
    await ask(`{ webhook(id: "${gid.webhook(id)}") { content { warnings { code path eventType message } } } }`, {})
  ).data;
  expect(webhook.content.warnings).toEqual([
    {
      code: 'shape_field_not_in_schema',
      path: 'b.c',
      eventType: 'shape.changing',
      message: 'The shape asks for b.c, which shape.changing no longer has.',
    },
  ]);

  // Clients that write back what they have read change nothing, and another setting can be tried.
  expect((await changed(id, { shape, format: 'SLACK' })).content).toMatchObject({
    shape,
    format: 'SLACK',
    warnings: [{ code: 'shape_field_not_in_schema' }],
  });
  const query = `query ($input: PreviewContentInput!) { previewContent(input: $input) { samples { body } } }`;
  const input = { webhookId: gid.webhook(id), content: { shape, format: null }, payload: { a: 'x', b: 'y' } };
  const { previewContent } = (await ask(query, { input: { ...input, eventTypes: ['shape.changing'] } })).data;
  expect(previewContent.samples).toEqual([{ body: '{"a":"x","b":null}' }]);
  expect((await update(id, { shape: `${shape} ` })).errors[0].extensions.code).toBe('BAD_USER_INPUT');
  expect((await update((await api.webhook()).id, { shape })).errors[0].extensions.code).toBe('BAD_USER_INPUT');
});

import { afterAll, describe, expect, test } from 'vitest';
import { exchangePortalCode } from '../../src/operations/portal/exchange-portal-code.js';
import { makeKey, makeTenant } from '../support/factories.js';
import { type Answer, dataOf, GraphqlApi } from '../support/graphql-api.js';

/** Endpoints that are pinned to a release: by the installation, by a portal session, and what has changed since. */

const api = await GraphqlApi.open({ PIN_NEW_WEBHOOKS: 'on' });
const platform = await makeKey(api.services, null, ['platform:admin']);
const tenant = await makeTenant(api.services);
afterAll(() => api.close());

const text = { type: 'string' };
const form = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, text])),
  required: names,
});
const by = (asking: { key: string } = tenant) => api.by(asking);
const admin = async (name: string, input: object, selection: string) =>
  Object.values(dataOf(await by(platform).mutate(name, input, selection)))[0] as Record<string, unknown>;
const SELECTED =
  'webhook { id content { release warnings { code eventType message } } olderVersions { eventType newest pinned sent steps { op path to } } }';
const create = (content: object | null, asking: { key: string } = tenant, more: object = {}) =>
  by(asking).mutate(
    'createWebhook',
    { url: 'https://receiver.example.com/', eventTypes: ['order.paid'], ...(content && { content }), ...more },
    SELECTED,
  );
const webhookOf = (answer: Answer) => dataOf(answer).createWebhook.webhook;
const issuesOf = (answer: Answer) =>
  (answer.errors[0]?.extensions.errors ?? []).map(({ path, code }: { path: string[]; code: string }) => [
    path.join('.'),
    code,
  ]);

test('a new endpoint is pinned to the newest release, unless it says otherwise', async () => {
  await admin('registerEventType', { name: 'order.paid', description: 'x', schema: form('a') }, 'eventType { name }');
  expect(webhookOf(await create(null)).content.release).toBeNull();
  await admin('createRelease', { name: '2026-03' }, 'release { name }');
  await admin('createRelease', { name: '2026-04' }, 'release { name }');
  expect(webhookOf(await create(null)).content.release).toBe('2026-04');
  expect(webhookOf(await create({ format: 'SLACK' })).content.release).toBe('2026-04');
  expect(webhookOf(await create({ release: '2026-03' })).content.release).toBe('2026-03');
  expect(webhookOf(await create({ release: null })).content.release).toBeNull();
});

test('an idempotent request is the same after another release', async () => {
  const first = webhookOf(await create(null, tenant, { idempotencyKey: 'once' }));
  await admin('createRelease', { name: '2026-05' }, 'release { name }');
  expect(webhookOf(await create(null, tenant, { idempotencyKey: 'once' }))).toMatchObject({ id: first.id });
});

test('its page has what has changed since, and a warning where a converter is missing', async () => {
  const update = (schema: object, converter?: object) =>
    admin('updateEventType', { name: 'order.paid', schema, ...(converter && { converter }) }, 'eventType { version }');
  await update(form('b'), [{ op: 'RENAME', path: 'b', to: 'a' }]);
  const { id, olderVersions, content } = webhookOf(await create({ release: '2026-03' }));
  expect(olderVersions).toEqual([
    { eventType: 'order.paid', newest: 2, pinned: 1, sent: 1, steps: [{ op: 'RENAME', path: 'b', to: 'a' }] },
  ]);
  expect(content.warnings).toEqual([]);
  await update(form('c'));
  await update(form('d'), [{ op: 'RENAME', path: 'd', to: 'c' }]);
  const { webhook } = dataOf(await by().ask(`{ ${SELECTED.replace('webhook', `webhook(id: "${id}")`)} }`));
  expect(webhook.olderVersions).toMatchObject([{ newest: 4, pinned: 1, sent: 3 }]);
  expect(webhook.content.warnings).toMatchObject([{ code: 'converter_missing', eventType: 'order.paid' }]);
});

describe('a shape and a template are judged by the version that the release gives', () => {
  const pinned = async (content: object) => create({ release: 'judged-1', ...content }, tenant, JUDGED);
  const JUDGED = { eventTypes: ['pin.judged'] };
  const shapeOf = (field: string) => `subscription { event { ... on PinJudged { ${field} } } }`;
  const templateOf = (field: string) => ({ format: 'TEMPLATE', template: { value: `{{${field}}}` } });
  const change = (id: string, content: object) =>
    by().mutate('updateWebhook', { id, content }, 'webhook { content { release shape warnings { code path } } }');
  const contentOf = (answer: Answer) => dataOf(answer).updateWebhook.webhook.content;
  const SHAPE_INVALID = [['input.content.shape', 'shape_invalid']];

  test('when they are written', async () => {
    const type = { name: 'pin.judged', description: 'x', schema: form('mail') };
    await admin('registerEventType', type, 'eventType { name }');
    await admin('createRelease', { name: 'judged-1' }, 'release { name }');
    const converter = [{ op: 'RENAME', path: 'email', to: 'mail' }];
    await admin('updateEventType', { name: type.name, schema: form('email'), converter }, 'eventType { version }');
    expect(webhookOf(await pinned({ shape: shapeOf('mail') })).content.warnings).toEqual([]);
    expect(issuesOf(await pinned({ shape: shapeOf('email') }))).toEqual(SHAPE_INVALID);
    expect(webhookOf(await pinned(templateOf('mail'))).content.warnings).toEqual([]);
    expect(webhookOf(await pinned(templateOf('email'))).content.warnings).toMatchObject([
      { code: 'path_not_in_schema' },
    ]);
    expect(issuesOf(await create({ shape: shapeOf('mail'), release: null }, tenant, JUDGED))).toEqual(SHAPE_INVALID);
  });

  test('while filters have the fields of events as they are emitted', async () => {
    const filter = (path: string) => ({ filter: { field: { path, op: 'EQ', value: 'x' } } });
    expect(webhookOf(await pinned(filter('email'))).content.warnings).toEqual([]);
    expect(webhookOf(await pinned(filter('mail'))).content.warnings).toMatchObject([{ code: 'path_not_in_schema' }]);
  });

  test('and by another version when the release changes', async () => {
    const { id } = webhookOf(await pinned({ shape: shapeOf('mail') }));
    expect(issuesOf(await change(id, { release: null }))).toEqual(SHAPE_INVALID);
    expect(issuesOf(await change(id, { release: '' }))).toEqual(SHAPE_INVALID);
    expect(issuesOf(await change(id, { release: null, shape: shapeOf('mail') }))).toEqual(SHAPE_INVALID);
    expect(contentOf(await change(id, { release: 'judged-1', shape: shapeOf('mail') }))).toMatchObject({
      warnings: [],
    });
    expect(contentOf(await change(id, { release: null, shape: shapeOf('email') }))).toEqual({
      release: null,
      shape: shapeOf('email'),
      warnings: [],
    });
    expect(issuesOf(await change(id, { release: 'judged-1' }))).toEqual(SHAPE_INVALID);
    expect(contentOf(await change(id, { shape: null, ...templateOf('email') })).warnings).toEqual([]);
    expect(contentOf(await change(id, { release: 'judged-1' })).warnings).toEqual([
      { code: 'path_not_in_schema', path: 'email' },
    ]);
  });

  test('and a shape is planned anew, where one name stands for another field', async () => {
    const type = { name: 'pin.planned', description: 'x', schema: form('unit-price') };
    await admin('registerEventType', type, 'eventType { name }');
    await admin('createRelease', { name: 'planned-1' }, 'release { name }');
    const converter = [{ op: 'RENAME', path: 'unit_price', to: '"unit-price"' }];
    await admin('updateEventType', { name: type.name, schema: form('unit_price'), converter }, 'eventType { version }');
    const shape = 'subscription { event { ... on PinPlanned { unit_price } } }';
    const more = { eventTypes: ['pin.planned'] };
    const { id } = webhookOf(await create({ release: 'planned-1', shape }, tenant, more));
    const sent = async () => {
      const input = { webhookId: id, payload: { unit_price: 'x' } };
      const query = 'query ($input: PreviewContentInput!) { previewContent(input: $input) { samples { body } } }';
      return dataOf(await by().ask(query, { input })).previewContent.samples;
    };
    expect(await sent()).toEqual([{ body: '{"unit_price":"x"}' }]);
    expect(contentOf(await change(id, { release: null }))).toMatchObject({ release: null, shape, warnings: [] });
    expect(await sent()).toEqual([{ body: '{"unit_price":"x"}' }]);
  });

  test('in the preview of an endpoint that is yet to be created, as it would be pinned', async () => {
    const type = { name: 'pin.tried', description: 'x', schema: form('mail') };
    await admin('registerEventType', type, 'eventType { name }');
    await admin('createRelease', { name: 'tried-1' }, 'release { name }');
    const converter = [{ op: 'RENAME', path: 'email', to: 'mail' }];
    await admin('updateEventType', { name: type.name, schema: form('email'), converter }, 'eventType { version }');
    const preview = (content: object | null) =>
      by().ask('query ($input: PreviewContentInput!) { previewContent(input: $input) { samples { body } } }', {
        input: { eventTypes: [type.name], payload: { email: 'x' }, ...(content && { content }) },
      });
    const bodyOf = (answer: Answer) => dataOf(answer).previewContent.samples[0].body;
    const shape = (field: string) => `subscription { event { ... on PinTried { ${field} } } }`;
    expect(bodyOf(await preview(null))).toBe('{"mail":"x"}');
    expect(bodyOf(await preview({ shape: shape('mail') }))).toBe('{"mail":"x"}');
    expect(issuesOf(await preview({ shape: shape('email') }))).toEqual(SHAPE_INVALID);
    expect(bodyOf(await preview({ shape: shape('email'), release: null }))).toBe('{"email":"x"}');
    const { id } = webhookOf(await create({ release: null }, tenant, { eventTypes: [type.name] }));
    const input = { webhookId: id, content: { shape: shape('email') }, payload: { email: 'x' } };
    const query = 'query ($input: PreviewContentInput!) { previewContent(input: $input) { samples { body } } }';
    expect(bodyOf(await by().ask(query, { input }))).toBe('{"email":"x"}');
  });

  test('in previews and in the schema that shapes are written with', async () => {
    const preview = async (shape: string) =>
      by().ask('query ($input: PreviewContentInput!) { previewContent(input: $input) { samples { body } } }', {
        input: { content: { release: 'judged-1', shape }, eventTypes: ['pin.judged'], payload: { email: 'x' } },
      });
    expect(dataOf(await preview(shapeOf('mail'))).previewContent.samples).toEqual([{ body: '{"mail":"x"}' }]);
    expect(issuesOf(await preview(shapeOf('email')))).toEqual(SHAPE_INVALID);
    const printed = async (release: string) =>
      dataOf(await by().ask(`{ eventSchema(types: ["pin.judged"]${release}) }`)).eventSchema;
    expect(await printed('')).toContain('email: String');
    expect(await printed(', release: "judged-1"')).toContain('mail: String');
    expect(issuesOf(await by().ask('{ eventSchema(types: ["*"], release: "none") }'))).toEqual([
      ['release', 'release_unknown'],
    ]);
  });
});

test('REST has the release among the options', async () => {
  const headers = { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' };
  const { id } = webhookOf(await create({ release: '2026-03' }));
  const rest = async (method: 'GET' | 'PATCH', payload?: object) => {
    const url = `/api/v1/webhooks/${id.replace('wh_', '')}/options`;
    const answer = await api.server.inject({ method, url, headers, ...(payload && { payload }) });
    return { status: answer.statusCode, body: answer.json() };
  };
  expect((await rest('GET')).body.data.content.release).toBe('2026-03');
  expect((await rest('PATCH', { content: { release: '2026-04' } })).body.data.content.release).toBe('2026-04');
  expect(await rest('PATCH', { content: { release: 'none' } })).toMatchObject({
    status: 422,
    body: { errors: [{ code: 'release_unknown' }] },
  });
});

describe('a portal session', () => {
  test('fixes the release of its endpoints', async () => {
    const session = (release: string) =>
      by(tenant).mutate(
        'createPortalSession',
        { capabilities: ['MANAGE_ENDPOINTS', 'MANAGE_OPTIONS'], release },
        'session { id release }',
      );
    const unknown = await session('none');
    expect(issuesOf(unknown)).toEqual([['input.release', 'release_unknown']]);
    expect(unknown.errors[0]!.extensions.errors[0].detail).toMatch(
      /^is not one that this installation has: .*2026-04, 2026-03$/,
    );
    expect(dataOf(await session('2026-03')).createPortalSession.session.release).toBe('2026-03');
    const { url } = dataOf(
      await by(tenant).mutate(
        'createPortalSession',
        { capabilities: ['MANAGE_ENDPOINTS', 'MANAGE_OPTIONS'], release: '2026-03' },
        'url',
      ),
    ).createPortalSession;
    const [, publicId, code] = /\/portal\/s\/([^#]+)#(.+)$/.exec(url)!;
    const { db, authenticator, random } = api.services;
    const exchange = { publicId: publicId!, code: code!, address: '203.0.113.7' };
    const { token: key } = await exchangePortalCode(db, authenticator, random, exchange);
    const made = webhookOf(await create(null, { key }));
    expect(made.content.release).toBe('2026-03');
    expect(issuesOf(await create({ release: '2026-04' }, { key }))).toEqual([
      ['input.content.release', 'release_fixed'],
    ]);
    const change = (content: object) =>
      by({ key }).mutate('updateWebhook', { id: made.id, content }, 'webhook { content { release } }');
    expect(issuesOf(await change({ release: null }))).toEqual([['input.content.release', 'release_fixed']]);
    expect(dataOf(await change({ format: 'SLACK' })).updateWebhook.webhook.content.release).toBe('2026-03');
  });
});

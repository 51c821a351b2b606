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
    expect(issuesOf(await session('none'))).toEqual([['input.release', 'release_unknown']]);
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

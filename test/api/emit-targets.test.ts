import { afterAll, describe, expect, test } from 'vitest';
import { couponPayload, makeKey, makeTenant, makeWebhook } from '../support/factories.js';
import { dataOf, GraphqlApi } from '../support/graphql-api.js';

const api = await GraphqlApi.open();
const quiet = await GraphqlApi.open({ PREVIOUS: 'off' });
afterAll(async () => {
  await api.close();
  await quiet.close();
});
const tenant = await makeTenant(api.services);
const emit = (input: object, of = api, by: { key: string } = tenant) =>
  of
    .by(by)
    .mutate(
      'emitEvent',
      { eventType: 'coupon.applied', payload: couponPayload, ...input },
      'event { id previousBody targets changes { added updated removed truncated } } deliveryCount',
    );
const text = (answer: object) => JSON.stringify(answer);

test('an event has its former state, what has changed, and whom it is for', async () => {
  const { id } = await makeWebhook(api.services, tenant.id);
  const previous = { ...couponPayload, code: 'before', old: 1 };
  const { emitEvent } = dataOf(await emit({ previous, to: [{ webhookId: `wh_${id}` }] }));
  expect(emitEvent).toMatchObject({
    deliveryCount: 1,
    event: {
      previousBody: JSON.stringify(previous),
      targets: [`wh_${id}`],
      changes: { added: [], updated: ['code'], removed: ['old'], truncated: false },
    },
  });
  const without = dataOf(await emit({})).emitEvent.event;
  expect(without).toMatchObject({ previousBody: null, targets: null, changes: null });
});

test('what is wrong is said with its place', async () => {
  const other = await makeTenant(api.services);
  const foreign = await makeWebhook(api.services, other.id);
  const cases: [object, string, string][] = [
    [{ previous: {}, previousBody: '{}' }, 'contradiction', '"previousBody"'],
    [{ previousBody: '[1]' }, 'no_object', '"previousBody"'],
    [{ to: [] }, 'too_small', '"to"'],
    [{ to: [{}] }, 'webhook_or_external_id', '"to",'],
    [{ to: [{ webhookId: `wh_${foreign.id}` }] }, 'webhook_unknown', '"to",'],
    [{ to: [{ externalId: 'none' }] }, 'webhook_unknown', '"to",'],
  ];
  for (const [input, code, place] of cases) {
    const answer = text(await emit(input));
    expect(answer, text(input)).toContain(`"${code}"`);
    expect(answer, text(input)).toContain(place);
  }
  const { key } = await makeTenant(quiet.services);
  expect(text(await emit({ previous: {} }, quiet, { key }))).toContain('"previous_off"');
});

test.each(['previous', 'previousBody'])(
  'a state before that is too long is named as it was given: %s',
  async (name) => {
    const long = { code: 'x'.repeat(api.services.config.payloadBytesMax) };
    const answer = await emit({ [name]: name === 'previous' ? long : JSON.stringify(long) });
    const [issue] = answer.errors[0]!.extensions.errors;
    expect(issue).toMatchObject({ path: ['input', name], code: 'payload_too_large' });
    expect(issue.detail).toMatch(new RegExp(`^\`${name}\` has \\d+ bytes as JSON; at most \\d+ are allowed\\.$`));
  },
);

test.each([
  [{ externalId: 'a\0' }, 'external_id_malformed', '["input","to",0,"externalId"]'],
  [{ externalId: '\ud800' }, 'external_id_malformed', '["input","to",0,"externalId"]'],
  [{ webhookId: '2', path: '/\ud800' }, 'path_malformed', '["input","to",0,"path"]'],
  [{ webhookId: '2', path: '/a\0' }, 'path_malformed', '["input","to",0,"path"]'],
  [{ webhookId: 'bla' }, 'webhook_unknown', '["input","to",0]'],
  [{ webhookId: '' }, 'webhook_unknown', '["input","to",0]'],
])('the target %j is refused as %s, at its place', async (target, code, place) => {
  const answer = text(await emit({ to: [target] }));
  expect(answer).toContain(`"${code}"`);
  expect(answer).toContain(place);
});

test('the option callback is set and read, and a path is shown to those alone who may read payloads', async () => {
  const { key } = tenant;
  const { id } = await makeWebhook(api.services, tenant.id);
  const set = await api
    .by({ key })
    .mutate('updateWebhook', { id: `wh_${id}`, delivery: { callback: true } }, 'webhook { delivery { callback } }');
  expect(dataOf(set).updateWebhook.webhook.delivery.callback).toBe(true);
  const malformed = text(await emit({ to: [{ webhookId: `wh_${id}`, path: '//evil.example' }] }));
  expect(malformed).toContain('"path_malformed"');
  expect(malformed).toContain(String.raw`before the \"?\" no \"//\"`);
  const inQuery = dataOf(await emit({ to: [{ webhookId: `wh_${id}`, path: '/to?next=//a/../b%2F' }] }));
  expect(inQuery.emitEvent.deliveryCount).toBe(1);
  const to = [{ webhookId: `wh_${id}`, path: '/actions/7f3' }];
  const { emitEvent } = dataOf(await emit({ to }));
  expect(emitEvent.deliveryCount).toBe(1);
  const pathFor = async (scopes: string[]) => {
    const by = await makeKey(api.services, tenant.id, scopes as never);
    const { deliveries } = await api.by(by).read(`{ deliveries(first: 1) { edges { node { path } } } }`);
    return deliveries.edges[0].node.path;
  };
  expect(await pathFor(['deliveries:read'])).toBe('[secret]');
  expect(await pathFor(['deliveries:read', 'events:read'])).toBe('/actions/7f3');
});

describe('a webhook with the option callback, in REST', () => {
  const rest = async (method: 'POST' | 'PATCH' | 'GET', path: string, payload?: object) => {
    const headers = { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' };
    const answer = await api.server.inject({
      method,
      url: `/api/v1/webhooks${path}`,
      headers,
      ...(payload && { payload }),
    });
    return { status: answer.statusCode, body: answer.json() };
  };
  const options = (callback: boolean | null) => ({ delivery: { callback } });
  const create = (more: object) =>
    rest('POST', '', { url: 'https://receiver.example.com/hooks?key=1', events: ['*'], ...more });

  test('is made, changed and read', async () => {
    const { status, body } = await create({ options: options(true) });
    expect(status).toBe(201);
    const path = `/${body.data.id}/options`;
    const callbackIn = async (answer: ReturnType<typeof rest>) => (await answer).body.data.delivery.callback;
    expect(await callbackIn(rest('GET', path))).toBe(true);
    const [target] = [{ webhookId: `wh_${body.data.id}`, path: '/a' }];
    expect(dataOf(await emit({ to: [target] })).emitEvent.deliveryCount).toBe(1);
    expect(await callbackIn(rest('PATCH', path, options(false)))).toBe(false);
    expect(text(await emit({ to: [target] }))).toContain('"path_not_taken"');
    expect(await callbackIn(rest('PATCH', path, options(true)))).toBe(true);
    expect(await callbackIn(rest('PATCH', path, options(null)))).toBe(false);
  });

  test('is refused with the fault of its value', async () => {
    const refused = await create({ options: { delivery: { callback: 'yes' } } });
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/options/delivery/callback', code: 'invalid_type' }] },
    });
  });

  test('waits for the end of daemons that do not know it', async () => {
    const { body } = await create({});
    await api.owner.query(
      `insert into hookwright.daemons (id, host, pid, version, slots, in_flight, started_at)
       values ('00000000-0000-4000-8000-000000000001', 'old', 1, '0.1.0', 1, 0, now())`,
    );
    const detail = 'A daemon of version 0.1.0 does not know callback (from 0.2.0 on).';
    for (const refused of [
      await create({ options: options(true) }),
      await rest('PATCH', `/${body.data.id}/options`, options(true)),
    ]) {
      expect(refused).toMatchObject({ status: 409, body: { code: 'older_daemons' } });
      expect(refused.body.detail).toContain(detail);
    }
    const change = { id: `wh_${body.data.id}`, ...options(true) };
    const inGraphql = await api.by(tenant).mutate('updateWebhook', change, 'webhook { id }');
    expect(inGraphql.errors[0]!.extensions).toMatchObject({ code: 'CONFLICT', reason: 'older_daemons' });
    expect((await create({ options: options(false) })).status).toBe(201);
    await api.owner.query('delete from hookwright.daemons');
    expect((await create({ options: options(true) })).status).toBe(201);
  });
});

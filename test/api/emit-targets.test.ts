import { afterAll, expect, test } from 'vitest';
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

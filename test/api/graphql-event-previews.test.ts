import { afterAll, expect, test } from 'vitest';
import type { Scope } from '../../src/domain/keys/scopes.js';
import { couponEmit, emitMany, makeTenant, makeWebhook } from '../support/factories.js';
import { codesOf, GraphqlApi, nodesOf } from '../support/graphql-api.js';
import { statementsOf } from '../support/statements.js';

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
const { ask, read } = api.by(tenant);
afterAll(() => api.close());

const long = 'x'.repeat(20_000);
await makeWebhook(api.services, tenant.id);
const emits = [
  { code: 'SUMMER', discount_type: 'percent' },
  { code: 'WINTER', discount_type: long, note: 'as told to order 815, at noon' },
].map((payload) => couponEmit(tenant.id, { body: JSON.stringify(payload) }));
for (const emit of emits) {
  await api.services.emitter.emit([emit]);
}

const fields = 'preview(contains: $text) { values { path value } excerpt }';
const events = async (text: string | null = null) =>
  nodesOf(
    (await read(`query ($text: String) { events(first: 50) { edges { node { ${fields} } } } }`, { text })).events,
  );

test('events show the first values of their payloads, cut where they are long', async () => {
  const [winter, summer] = await events();
  expect(summer.preview).toEqual({
    values: [
      { path: 'code', value: 'SUMMER' },
      { path: 'discount_type', value: 'percent' },
    ],
    excerpt: null,
  });
  expect(winter.preview.values[1].value).toMatch(/^x{79}…$/);
});

test('a text that no first value shows comes with the JSON around it', async () => {
  const [winter, summer] = await events('order 815');
  expect(winter.preview.excerpt).toMatch(/x","note":"as told to order 815, at noon"}$/);
  expect(summer.preview.excerpt).toBeNull();
  expect((await events('WINT'))[0].preview.excerpt).toBeNull();
});

test('previews of a page are read by one statement, with the deliveries that have the events', async () => {
  const list = (preview: string) =>
    statementsOf(() => read(`{ deliveries(first: 50) { edges { node { event { id ${preview} } } } } }`));
  expect(await list('preview { values { path } }')).toHaveLength((await list('')).length + 1);
});

test('a text that is too short to look for is refused', async () => {
  const answer = await ask('{ events { edges { node { preview(contains: "ab") { excerpt } } } } }');
  expect(new Set(codesOf(answer))).toEqual(new Set(['BAD_USER_INPUT']));
  expect(answer.errors[0].message).toMatch(/at least 3 characters/);
});

test('a key that may not read events gets no previews of them from its deliveries', async () => {
  const scopes: Scope[] = ['deliveries:read', 'webhooks:read'];
  const narrow = await makeTenant(api.services, scopes);
  await makeWebhook(api.services, narrow.id);
  await emitMany(api.services, narrow.id, 1);
  const answer = await api.by(narrow).ask('{ deliveries { edges { node { event { preview { excerpt } } } } } }');
  expect(codesOf(answer)).toEqual(['FORBIDDEN']);
});

import { afterAll, describe, expect, test } from 'vitest';
import { makeTenant, makeWebhook } from '../support/factories.js';
import { codesOf, GraphqlApi } from '../support/graphql-api.js';
import { documents } from '../support/graphql-documents.js';

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
afterAll(() => api.close());

const create = (input: Record<string, unknown>, key = tenant.key) =>
  api.ask(documents.createWebhook, { input }, { key });
const update = (input: Record<string, unknown>, key = tenant.key) =>
  api.ask(documents.updateWebhook, { input }, { key });
const read = (id: string, key = tenant.key) => api.ask(documents.webhook, { id }, { key });

test('a list that is much too long is judged as that, and not name by name', async () => {
  const url = 'https://receiver.example.com/';
  const many = await create({ url, eventTypes: Array.from({ length: 1_000 }, () => 'a') });
  expect(many.errors[0].extensions.errors).toMatchObject([
    { path: ['input', 'eventTypes'], detail: 'must have at most 100 names' },
  ]);
  expect(many.errors[0].message).not.toContain('more)');
});

describe('bad input for webhooks', () => {
  const good = { url: 'https://receiver.example.com/', eventTypes: ['*'] };
  test.each([
    ['an http url', { url: 'http://receiver.example.com/' }, ['input', 'url']],
    ['no url at all', { url: 'receiver' }, ['input', 'url']],
    ['an empty url', { url: '' }, ['input', 'url']],
    ['a url that is too long', { url: `https://receiver.example.com/${'a'.repeat(2048)}` }, ['input', 'url']],
    ['a name that is never public', { url: 'https://localhost/' }, ['input', 'url']],
    ['no event types', { eventTypes: [] }, ['input', 'eventTypes']],
    ['an unknown event type', { eventTypes: ['booking.created', 'booking.lost'] }, ['input', 'eventTypes', 1]],
    ['a name twice', { eventTypes: ['booking.created', 'booking.created'] }, ['input', 'eventTypes', 1]],
    ['the wildcard beside a name', { eventTypes: ['booking.created', '*'] }, ['input', 'eventTypes', 1]],
    ['too many names', { eventTypes: Array(101).fill('booking.created') }, ['input', 'eventTypes']],
  ])('%s is refused at its place, on creation and on change', async (_name, wrong, path) => {
    const { id } = await makeWebhook(api.services, tenant.id);
    for (const answer of [await create({ ...good, ...wrong }), await update({ id, ...wrong })]) {
      expect(answer.status).toBe(200);
      expect(answer.data).toBeNull();
      expect(answer.errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', reason: 'invalid_input' });
      expect(answer.errors[0].extensions.errors[0]).toEqual({
        path,
        code: expect.stringMatching(/^[a-z_]+$/),
        detail: expect.stringMatching(/./),
      });
    }
  });

  test('two broken rules are both told', async () => {
    const { errors } = await create({ url: 'nonsense', eventTypes: ['nonsense'] });
    expect(errors[0].extensions.errors.map(({ path }: { path: unknown[] }) => path[1])).toEqual(['url', 'eventTypes']);
  });

  test('a change of nothing, and held without active: true, are refused', async () => {
    const { id } = await makeWebhook(api.services, tenant.id);
    expect(codesOf(await update({ id }))).toEqual(['BAD_USER_INPUT']);
    expect(codesOf(await update({ id, active: false, held: 'DISCARD' }))).toEqual(['BAD_USER_INPUT']);
  });

  test.each(['0', '-1', '01', '1.0', '1e3', '', 'abc', '99999999999999999999', '9007199254740993'])(
    'the id %j is NOT_FOUND everywhere, as an unknown one',
    async (id) => {
      expect(await read(id)).toMatchObject({ status: 200, data: { webhook: null } });
      for (const answer of [
        await read(id),
        await update({ id, active: true }),
        await api.ask('mutation ($id: ID!) { deleteWebhook(input: {id: $id}) { deletedWebhookId } }', { id }, tenant),
        await api.ask('mutation ($id: ID!) { testWebhook(input: {id: $id}) { delivery { id } } }', { id }, tenant),
        await api.ask(
          'mutation ($id: ID!) { releaseHeld(input: {webhookId: $id}) { webhook { id } } }',
          { id },
          tenant,
        ),
        await api.ask(
          'mutation ($id: ID!) { redeliver(input: {deliveryId: $id}) { delivery { id } } }',
          { id },
          tenant,
        ),
        await api.ask('query ($id: ID!) { delivery(id: $id) { id } }', { id }, tenant),
        await api.ask('query ($id: ID!) { event(id: $id) { id } }', { id }, tenant),
      ]) {
        expect(codesOf(answer)).toEqual(['NOT_FOUND']);
      }
    },
  );
});

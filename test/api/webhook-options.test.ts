import { afterAll, describe, expect, test } from 'vitest';
import { makeTenant } from '../support/factories.js';
import { numberIn } from '../support/ids.js';
import { expectProblem, expectRefusedAt, RestApi } from '../support/rest-api.js';

/** Names, descriptions and metadata of webhooks, which are in a row beside theirs. */

const api = await RestApi.open();
afterAll(() => api[Symbol.asyncDispose]());

const url = 'https://receiver.example.com/';
/** Other options may be there too. */
const having = (options: object) => expect.objectContaining(options);
const none = { name: null, description: null, metadata: {} };
const shown = 'id version name description metadata';
const graphql = async (query: string, variables: object = {}, key = api.tenant.key) =>
  (await api.ask('POST //graphql', { json: { query, variables }, key })).body;
const mutate = (name: string, input: object, key = api.tenant.key) => {
  const type = `${name[0]!.toUpperCase()}${name.slice(1)}Input`;
  return graphql(`mutation ($input: ${type}!) { ${name}(input: $input) { webhook { ${shown} } } }`, { input }, key);
};
const create = async (input: object = {}) =>
  (await mutate('createWebhook', { url, eventTypes: ['*'], ...input })).data.createWebhook.webhook;
const issuesOf = (answer: { errors: { extensions: { errors: { path: string[]; code: string }[] } }[] }) =>
  answer.errors[0]!.extensions.errors.map(({ path, code }) => `${path.join('.')} ${code}`);
const optionsOf = async (id: number | string) => (await api.ask(`GET /webhooks/${id}/options`)).body.data;
const patch = (id: number, json: object, headers: Record<string, string> = {}, key = api.tenant.key) =>
  api.ask(`PATCH /webhooks/${id}/options`, { json, headers, key });
const rowsOf = async (id: number) =>
  (await api.owner.query('select * from hookwright.webhook_options where webhook_id = $1', [id])).rows;

describe('in GraphQL', () => {
  test('a webhook without any has no row beside it, and is as it was', async () => {
    const webhook = await create({ name: ' ', metadata: {} });
    expect(webhook).toMatchObject(none);
    expect(await rowsOf(numberIn(webhook.id))).toEqual([]);
  });

  test('they are set, changed one by one, and removed by null or nothing', async () => {
    const options = { name: 'Booking system', description: 'Two\nlines', metadata: { team: 'payments' } };
    const { id, version } = await create({ ...options, name: ' Booking system ' });
    const read = async () => (await graphql(`{ webhook(id: "${id}") { ${shown} } }`)).data.webhook;
    expect(await read()).toEqual({ id, version, ...options });
    const changes = [{ name: 'Other' }, { metadata: { tier: 'gold' } }, { description: '' }, { name: null }];
    let expected: object = options;
    for (const [index, change] of changes.entries()) {
      expected = { ...expected, ...change, ...('description' in change ? { description: null } : {}) };
      const { data } = await mutate('updateWebhook', { id, ifVersion: version + index, ...change });
      expect(data.updateWebhook.webhook).toEqual({ id, version: version + index + 1, ...expected });
      expect(await read()).toEqual(data.updateWebhook.webhook);
    }
    const same = await mutate('updateWebhook', { id, metadata: { tier: 'gold' } });
    expect(same.data.updateWebhook.webhook.version).toBe(version + changes.length);
  });

  test('a name has no characters that nobody sees; joiners of scripts and emoji stay', async () => {
    const named = async (name: string) => {
      return (await create({ name })).name;
    };
    const marks = ['\u061c', '\u200b', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069', '\ufeff', '\u00ad'];
    expect(await named(`\u202e ${marks.join('o')}k`)).toBe('oooooooook');
    expect(await named('می\u200cخواهم 👩\u200d💻')).toBe('می\u200cخواهم 👩\u200d💻');
    expect(await named('\u200b \u2067')).toBeNull();
  });

  test('what breaks a rule is refused by name', async () => {
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, '']));
    const refused = async (input: object) =>
      issuesOf(await mutate('createWebhook', { url, eventTypes: ['*'], ...input }));
    expect(await refused({ name: 'x'.repeat(101) })).toEqual(['input.name name_too_long']);
    expect(await refused({ name: 'two\nlines' })).toHaveLength(1);
    expect(await refused({ description: 'x'.repeat(1_001) })).toEqual(['input.description description_too_long']);
    expect(await refused({ metadata: many })).toEqual(['input.metadata metadata_too_many']);
    expect(await refused({ metadata: { 'a b': '', n: 1, long: 'x'.repeat(501), ok: '' } })).toEqual([
      'input.metadata.a b metadata_key_malformed',
      'input.metadata.n metadata_value_no_text',
      'input.metadata.long metadata_value_too_long',
    ]);
    const inline = `mutation { createWebhook(input: { url: "${url}", eventTypes: ["*"], metadata: { __proto__: "x" } }) { webhook { id } } }`;
    const malformed = ['input.metadata.__proto__ metadata_key_malformed'];
    expect(await refused({ metadata: { ['__proto__']: 'x' } })).toEqual(malformed);
    expect(issuesOf(await graphql(inline))).toEqual(malformed);
  });

  test('lists find them by text and by metadata', async () => {
    const { id } = await create({ name: 'Invoices 100%', description: 'of _ACME_', metadata: { team: 'billing' } });
    const found = async (filter: object) => {
      const query = 'query ($filter: WebhookFilter) { webhooks(filter: $filter) { edges { node { id name } } } }';
      return (await graphql(query, { filter })).data.webhooks.edges.map(({ node }: { node: object }) => node);
    };
    const one = [{ id, name: 'Invoices 100%' }];
    for (const filter of [
      { search: 'invoices' },
      { search: '100%' },
      { search: '_acme_' },
      { metadata: { key: 'team', value: 'billing' } },
    ]) {
      expect(await found(filter), JSON.stringify(filter)).toEqual(one);
    }
    for (const filter of [
      { search: '%acme' },
      { metadata: { key: 'team', value: 'bill' } },
      { search: 'invoices', metadata: { key: 'team', value: 'other' } },
    ]) {
      expect(await found(filter), JSON.stringify(filter)).toEqual([]);
    }
    const list = await api.ask('GET /webhooks?search=invoices');
    expect(list.body.data.map((webhook: { id: number }) => webhook.id)).toEqual([numberIn(id)]);
    expect((await api.ask('GET /webhooks?search=')).status).toBe(422);
  });

  test('the audit log has them with every change', async () => {
    const { id } = await create({ name: 'First' });
    await mutate('updateWebhook', { id, name: 'Second', metadata: { a: 'b' } });
    const query = `{ auditLog(first: 2, filter: { targetId: "${id}" }) { edges { node { action before after } } } }`;
    const { data, errors } = await graphql(query);
    expect(errors).toBeUndefined();
    const [changed, created] = data.auditLog.edges.map(({ node }: { node: object }) => node);
    expect(changed).toMatchObject({
      before: { name: 'First', metadata: null },
      after: { name: 'Second', metadata: { a: 'b' } },
    });
    expect(created.after).toEqual({ url, eventTypes: ['*'], name: 'First' });
  });
});

describe('in REST', () => {
  test('they are a resource of their own; the webhook has the fields of the contract alone', async () => {
    const json = { url, events: ['*'], options: { name: 'Booking system', metadata: { team: 'payments', x: null } } };
    const made = await api.ask('POST /webhooks', { json });
    const { id, secret: _, ...webhook } = made.body.data;
    const plain = await api.ask('POST /webhooks', { json: { url, events: ['*'] } });
    expect(Object.keys(made.body.data)).toEqual(Object.keys(plain.body.data));
    expect((await api.ask(`GET /webhooks/${id}`)).body.data).toEqual({ id, ...webhook });
    const read = await api.ask(`GET /webhooks/${id}/options`);
    expect(read.body.data).toEqual(having({ ...none, name: 'Booking system', metadata: { team: 'payments' } }));
    expect(read.headers['etag']).toBe(made.headers['etag']);
    expect(await optionsOf(plain.body.data.id)).toEqual(having(none));
  });

  test('the key __proto__ is refused wherever a map is taken, and nothing is changed', async () => {
    const { id } = await api.webhook();
    const map = (value: unknown) => ({ ['__proto__']: value, ok: value });
    const maps = [{ metadata: map('x') }, { delivery: { headers: map({ value: 'x' }) } }];
    for (const [index, options] of maps.entries()) {
      const place = `${['/metadata', '/delivery/headers'][index]}/__proto__`;
      expectRefusedAt(await patch(id, options), place);
      const json = { url, events: ['*'], options };
      expectRefusedAt(await api.ask('POST /webhooks', { json }), `/options${place}`);
      expectRefusedAt(await api.ask(`PATCH /webhooks/${id}`, { json: { options } }), `/options${place}`);
    }
    expect(await optionsOf(id)).toEqual(having(none));
  });

  test('a change is a merge patch, which keeps what it does not name', async () => {
    const { id } = await api.webhook();
    const changes: [object, object][] = [
      [
        { name: 'A', metadata: { a: '1', b: '2' } },
        { name: 'A', description: null, metadata: { a: '1', b: '2' } },
      ],
      [{ metadata: { a: null, c: '3' } }, { name: 'A', description: null, metadata: { b: '2', c: '3' } }],
      [
        { name: null, description: 'B' },
        { name: null, description: 'B', metadata: { b: '2', c: '3' } },
      ],
      [{ metadata: null, description: null }, none],
    ];
    for (const [change, expected] of changes) {
      const answer = await patch(id, change, { 'content-type': 'application/merge-patch+json' });
      expect(answer.body.data).toEqual(having(expected));
      expect(answer.headers['accept-patch']).toContain('merge-patch');
      expect(await optionsOf(id)).toEqual(having(expected));
    }
  });

  test('two patches at once both count; If-Match holds off the one that read an older version', async () => {
    const { id } = await api.webhook();
    await Promise.all([...'abcd'].map((key) => patch(id, { metadata: { [key]: key } })));
    expect(Object.keys((await optionsOf(id)).metadata).sort()).toEqual([...'abcd']);
    const etag = String((await api.ask(`GET /webhooks/${id}`)).headers['etag']);
    expect((await patch(id, { name: 'Mine' }, { 'if-match': etag })).status).toBe(200);
    expectProblem(await patch(id, { name: 'Yours' }, { 'if-match': etag }), 'precondition_failed');
    expect((await optionsOf(id)).name).toBe('Mine');
  });

  test('wrong requests say what is wrong and where', async () => {
    const { id } = await api.webhook();
    const errors = async (json: object) =>
      (await patch(id, json)).body.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`);
    expect(await errors({ name: 1 })).toEqual(['/name invalid_type']);
    expect(await errors({ name: 'x'.repeat(101) })).toEqual(['/name name_too_long']);
    expect(await errors({ metadata: { aB: 1 } })).toEqual(['/metadata/aB metadata_value_no_text']);
    expect(await errors({ name: 'A', color: 'red' })).toEqual(['/color unknown_property']);
    const inGroup = (await patch(id, { delivery: { timeoutMs: 5000 } })).body.errors[0];
    expect(inGroup).toMatchObject({ pointer: '/delivery/timeoutMs', code: 'unknown_property' });
    expect(inGroup.detail).toMatch(/^is not a property of delivery, which may have timeout_ms, retry_delays_seconds/);
    expect(await errors({})).toEqual([' nothing_to_change']);
    const json = { url, events: ['*'], options: { name: 'x'.repeat(101) } };
    const created = await api.ask('POST /webhooks', { json });
    expect(created.body.errors[0]).toMatchObject({ pointer: '/options/name', code: 'name_too_long' });
    expect((await api.ask('PATCH /webhooks/0/options', { json: { name: 'A' } })).status).toBe(404);
    expect((await api.ask(`GET /webhooks/${id}/options?a=b`)).status).toBe(422);
  });
});

describe('whose they are', () => {
  test('another tenant neither reads, finds nor changes them', async () => {
    const { id } = await create({ name: 'Ours alone' });
    const other = await makeTenant(api.services);
    expect((await api.ask(`GET /webhooks/${numberIn(id)}/options`, { key: other.key })).status).toBe(404);
    expect((await patch(numberIn(id), { name: 'Theirs' }, {}, other.key)).status).toBe(404);
    const found = await graphql('{ webhooks(filter: { search: "Ours" }) { edges { node { id } } } }', {}, other.key);
    expect(found.data.webhooks.edges).toEqual([]);
  });

  test('a deleted webhook has none', async () => {
    const { id } = await create({ name: 'Soon gone', description: 'b', metadata: { a: 'b' } });
    expect((await api.ask(`DELETE /webhooks/${numberIn(id)}`)).status).toBe(204);
    expect(await rowsOf(numberIn(id))).toMatchObject([{ name: null, description: null, metadata: null }]);
    expect((await api.ask(`GET /webhooks/${numberIn(id)}/options`)).status).toBe(404);
  });
});

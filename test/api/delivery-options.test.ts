import { afterAll, describe, expect, test } from 'vitest';
import { gid } from '../support/ids.js';
import { RestApi } from '../support/rest-api.js';

/** How an endpoint is called: the group `delivery` of a webhook's options. */

const api = await RestApi.open();
afterAll(() => api[Symbol.asyncDispose]());

const shown = 'delivery { headers { name value secret } own } version';
const update = async (id: number, delivery: object) => {
  const query = `mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { ${shown} } } }`;
  const json = { query, variables: { input: { id: gid.webhook(id), delivery } } };
  return (await api.ask('POST //graphql', { json })).body;
};
const changed = async (id: number, delivery: object) => (await update(id, delivery)).data.updateWebhook.webhook;
const refused = async (id: number, delivery: object) => {
  const { errors } = (await update(id, delivery)).errors[0].extensions;
  return errors.map(({ path, code }: { path: string[]; code: string }) => `${path.slice(2).join('.')} ${code}`);
};
const patch = (id: number, delivery: object | null) => api.ask(`PATCH /webhooks/${id}/options`, { json: { delivery } });
const optionsOf = async (id: number) => (await api.ask(`GET /webhooks/${id}/options`)).body.data.delivery;
const auditOf = async (id: number) => {
  const text = `select coalesce(before::text, '') || ' > ' || coalesce(after::text, '') as entry
                from hookwright.audit_log where target_id = $1 order by id`;
  return (await api.owner.query(text, [String(id)])).rows.map(({ entry }) => entry as string);
};

describe('headers', () => {
  test('are set and removed by their names, whatever their case; a secret value is never shown again', async () => {
    const { id } = await api.webhook();
    expect(await optionsOf(id)).toMatchObject({ headers: {}, own: [] });
    const first = [
      { name: 'X-Api-Key', value: 'marker-1' },
      { name: 'X-Env', value: 'prod', secret: false },
    ];
    const key = { name: 'X-Api-Key', value: null, secret: true };
    const env = { name: 'X-Env', value: 'prod', secret: false };
    const { delivery, version } = await changed(id, { setHeaders: first });
    expect(delivery).toEqual({ headers: [key, env], own: ['HEADERS'] });
    const second = await changed(id, { setHeaders: [{ name: 'x-env', value: 'test', secret: false }] });
    expect(second.delivery.headers).toEqual([key, { ...env, name: 'x-env', value: 'test' }]);
    expect(second.version).toBe(version + 1);
    const same = await changed(id, { setHeaders: [{ name: 'x-env', value: 'test', secret: false }] });
    expect(same.version).toBe(version + 1);
    expect((await changed(id, { removeHeaders: ['X-API-KEY'] })).delivery.headers).toHaveLength(1);
    expect((await changed(id, { reset: ['HEADERS'] })).delivery).toEqual({ headers: [], own: [] });
    const entries = (await auditOf(id)).join('\n');
    expect(entries).toContain('{"headers":{"X-Api-Key":"[secret]","X-Env":"[value]"}}');
    expect(entries).not.toContain('marker-1');
    expect(entries).not.toContain('prod');
  });

  test('are a map in REST, of which a patch changes one', async () => {
    const { id } = await api.webhook();
    const set = { 'X-Api-Key': { value: 'marker-2' }, 'X-Env': { value: 'prod', secret: false } };
    const kept = { 'X-Api-Key': { secret: true }, 'X-Env': { value: 'prod', secret: false } };
    expect((await patch(id, { headers: set })).body.data.delivery).toMatchObject({ headers: kept, own: ['headers'] });
    expect((await patch(id, { headers: kept })).body.data.delivery.headers).toEqual(kept);
    const { 'X-Env': env, ...key } = kept;
    await patch(id, { headers: { 'X-Api-Key': null } });
    expect(await optionsOf(id)).toMatchObject({ headers: { 'X-Env': env }, own: ['headers'] });
    await patch(id, { headers: set });
    await patch(id, { headers: { 'X-Env': null } });
    expect((await optionsOf(id)).headers).toEqual(key);
    await patch(id, null);
    expect(await optionsOf(id)).toMatchObject({ headers: {}, own: [] });
    const json = { url: 'https://a.example.com/', events: ['*'], options: { delivery: { headers: set } } };
    const made = await api.ask('POST /webhooks', { json });
    expect((await optionsOf(made.body.data.id)).headers).toEqual(kept);
    expect((await auditOf(made.body.data.id)).join()).not.toContain('marker-2');
  });

  test('that would change the request, or another header of it, are refused by name', async () => {
    const { id } = await api.webhook();
    const name = async (text: string) => refused(id, { setHeaders: [{ name: text, value: 'a' }] });
    const reserved = [
      ...['Authorization', 'HOST', 'Content-Type', 'content-length', 'Connection', 'Keep-Alive', 'TE', 'Trailer'],
      ...['Transfer-Encoding', 'Upgrade', 'Proxy-Authorization', 'Expect', 'Accept-Encoding', 'Date', 'Forwarded'],
      ...['X-Forwarded-For', 'X-Real-IP', 'Sec-Fetch-Mode', 'traceparent', 'tracestate', 'ce-id', 'webhook-id'],
      ...['svix-id', 'X-Service-Signature', 'x-service-anything'],
    ];
    for (const one of reserved) {
      expect(await name(one)).toEqual(['setHeaders.0.name header_not_allowed']);
    }
    for (const one of ['', 'a b', 'a:', 'a\r\nb', 'ä', 'a\0', ' a', 'x'.repeat(65)]) {
      expect(await name(one)).toEqual(['setHeaders.0.name header_name_malformed']);
    }
    const values = [
      '',
      ' a',
      'a ',
      'a\tb',
      'a\r\nX-Evil: 1',
      'a\r\n b',
      'a\nb',
      'a\0b',
      'ä',
      '\u{1f600}',
      'x'.repeat(1_025),
    ];
    for (const value of values) {
      const setHeaders = [{ name: 'X-A', value }];
      expect(await refused(id, { setHeaders })).toEqual(['setHeaders.0.value header_value_malformed']);
    }
    const answer = await patch(id, { headers: { 'X-A': { value: ' a' }, Host: { value: 'b' } } });
    const errors = answer.body.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`);
    expect(errors).toEqual([
      '/delivery/headers/X-A/value header_value_malformed',
      '/delivery/headers/Host header_not_allowed',
    ]);
    expect(await optionsOf(id)).toMatchObject({ headers: {}, own: [] });
  });

  test('are limited in number and length, with those that are set already', async () => {
    const { id } = await api.webhook();
    const list = (count: number, from = 0, value = 'a') =>
      Array.from({ length: count }, (_, index) => ({ name: `X-${from + index}`, value }));
    expect(await refused(id, { setHeaders: list(21) })).toEqual(['setHeaders headers_too_many']);
    expect((await changed(id, { setHeaders: list(20) })).delivery.headers).toHaveLength(20);
    expect(await refused(id, { setHeaders: list(1, 20) })).toEqual(['setHeaders headers_too_many']);
    expect((await changed(id, { setHeaders: list(1, 20), removeHeaders: ['X-0'] })).delivery.headers).toHaveLength(20);
    await changed(id, { reset: ['HEADERS'] });
    expect((await changed(id, { setHeaders: list(7, 0, 'x'.repeat(1_024)) })).delivery.headers).toHaveLength(7);
    expect(await refused(id, { setHeaders: list(1, 7, 'x'.repeat(1_024)) })).toEqual(['setHeaders headers_too_long']);
    const twice = [
      { name: 'X-A', value: 'a' },
      { name: 'x-a', value: 'b' },
    ];
    expect(await refused(id, { setHeaders: twice })).toEqual(['setHeaders.1.name header_repeated']);
    const both = { setHeaders: list(1), reset: ['HEADERS'] };
    expect(await refused(id, both)).toEqual(['headers contradiction']);
  });
});

import { afterAll, describe, expect, test } from 'vitest';
import { makeTenant } from '../support/factories.js';
import { expectProblem, RestApi } from '../support/rest-api.js';

/** Editors who do not overwrite each other's changes (RFC 9110 §13.1.1). */

const api = await RestApi.open();
const address = await api.server.listen({ host: '127.0.0.1', port: 0 });
afterAll(() => api[Symbol.asyncDispose]());

const etagOf = async (id: number) => (await api.ask(`GET /webhooks/${id}`)).headers['etag'];
const read = async (id: number) => (await api.ask(`GET /webhooks/${id}`)).body.data;
const patch = (id: number, json: object, ifMatch?: string, key = api.tenant.key) =>
  api.ask(`PATCH /webhooks/${id}`, { json, key, headers: ifMatch === undefined ? {} : { 'if-match': ifMatch } });
const remove = (id: number, ifMatch: string) => api.ask(`DELETE /webhooks/${id}`, { headers: { 'if-match': ifMatch } });

describe('the ETag of a webhook', () => {
  test('is the same on the answers to POST, GET and PATCH, and changes with each setting', async () => {
    const made = await api.ask('POST /webhooks', { json: { url: 'https://a.example.com/', events: ['*'] } });
    const { id } = made.body.data;
    expect(made.headers['etag']).toBe('"1"');
    expect(await etagOf(id)).toBe('"1"');
    const seen = new Set(['"1"']);
    const settings = [{ url: 'https://b.example.com/' }, { events: ['coupon.applied'] }];
    for (const change of [...settings, { active: false }, { active: true }]) {
      const { status, headers } = await patch(id, change);
      expect(status).toBe(200);
      expect(seen).not.toContain(headers['etag']);
      expect(await etagOf(id)).toBe(headers['etag']);
      seen.add(String(headers['etag']));
    }
  });

  test('stays when a change sets what is set already', async () => {
    const { id, url, events } = await api.webhook();
    expect((await patch(id, { url, events, active: true })).headers['etag']).toBe('"1"');
  });

  test('stays when deliveries fail, though the counters do not', async () => {
    const { id } = await api.webhook();
    const failed = 'update hookwright.webhooks set consecutive_failures = 3, last_failure_at = now() where id = $1';
    await api.owner.query(failed, [id]);
    expect(await etagOf(id)).toBe('"1"');
    expect((await read(id)).consecutive_failures).toBe(3);
  });

  test('is not on a list, nor in a body', async () => {
    const { id } = await api.webhook();
    const list = await api.ask('GET /webhooks');
    expect(list.headers['etag']).toBeUndefined();
    expect(await read(id)).not.toHaveProperty('version');
  });
});

describe('If-Match on PATCH', () => {
  test('with the ETag that was read: the change is made, once', async () => {
    const { id } = await api.webhook();
    const etag = String(await etagOf(id));
    const first = await patch(id, { active: false }, etag);
    expect(first.status).toBe(200);
    const retry = await patch(id, { url: 'https://late.example.com/' }, etag);
    expectProblem(retry, 'precondition_failed');
    expect(await read(id)).toEqual(first.body.data);
  });

  test.each(['*', ' * ', '"7", "1"', '"1","7"', ', "1" ,', 'W/"1", "1"'])(
    '%s lets a webhook of version 1 be changed',
    async (ifMatch) => {
      const { id } = await api.webhook();
      expect((await patch(id, { active: false }, ifMatch)).status).toBe(200);
    },
  );

  test.each([
    ...['"2"', 'W/"1"', '"01"', '"0"', '"2", W/"1"'].map((tags) => [tags, 'precondition_failed'] as const),
    ...['1', '"1', '"1" "2"', '*, "1"', 'w/"1"', '', ','].map((tags) => [tags, 'header_malformed'] as const),
  ])('%s does not: %s, and nothing is changed', async (ifMatch, reason) => {
    const { secret: _, ...before } = await api.webhook();
    expectProblem(await patch(before.id, { active: false }, ifMatch), reason);
    expect(await read(before.id)).toEqual(before);
  });

  test('a body that breaks a rule is reported first, and so is a webhook that is not there', async () => {
    const { id } = await api.webhook();
    expectProblem(await patch(id, { url: 'nonsense' }, '"9"'), 'invalid_input');
    const { key } = await makeTenant(api.services);
    for (const ifMatch of ['*', '"1"']) {
      expectProblem(await patch(id, { active: false }, ifMatch, key), 'not_found');
    }
  });

  test('two editors who have read the same: one of them wins, over real sockets', async () => {
    const { id } = await api.webhook();
    const edit = async (name: string, etag: string) => {
      const answer = await fetch(`${address}/api/v1/webhooks/${id}`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${api.tenant.key}`, 'content-type': 'application/json', 'if-match': etag },
        body: JSON.stringify({ url: `https://${name}.example.com/` }),
      });
      return { status: answer.status, body: (await answer.json()) as { data?: { url: string } } };
    };
    for (let round = 0; round < 10; round++) {
      const etag = String(await etagOf(id));
      const answers = await Promise.all([edit(`one-${round}`, etag), edit(`two-${round}`, etag)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
      const winner = answers.find(({ status }) => status === 200);
      expect((await read(id)).url).toBe(winner?.body.data?.url);
    }
    const { rows } = await api.owner.query(
      `select from hookwright.audit_log where target_id = $1 and action = 'WEBHOOK_UPDATED'`,
      [String(id)],
    );
    expect(rows).toHaveLength(10);
  });
});

describe('If-Match on DELETE', () => {
  test('deletes the version that was read, and no other one', async () => {
    const { id } = await api.webhook();
    await patch(id, { active: false });
    expectProblem(await remove(id, '"1"'), 'precondition_failed');
    expectProblem(await remove(id, 'nonsense'), 'header_malformed');
    expect((await read(id)).active).toBe(false);
    expect((await remove(id, '"2"')).status).toBe(204);
    expectProblem(await remove(id, '*'), 'not_found');
  });

  test('*: if it is there', async () => {
    const { id } = await api.webhook();
    expect((await remove(id, '*')).status).toBe(204);
  });
});

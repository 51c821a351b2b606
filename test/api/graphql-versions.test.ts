import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeTenant, makeWebhook } from '../support/factories.js';
import { codesOf, GraphqlApi } from '../support/graphql-api.js';

let id: string;
const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
afterAll(() => api.close());

const update = (input: object) =>
  api.ask(
    `mutation ($input: UpdateWebhookInput!) {
       updateWebhook(input: $input) { webhook { version url active } } }`,
    { input: { id, ...input } },
    tenant,
  );
const versionOf = async () => (await api.ask(`{ webhook(id: "${id}") { version } }`, {}, tenant)).data.webhook;
const auditLog = async () => {
  const query = `{ auditLog(first: 100, filter: {targetType: WEBHOOK, targetId: "${id}"}) {
    edges { node { action before after } } } }`;
  const { data } = await api.ask(query, {}, tenant);
  return data.auditLog.edges.map(({ node }: { node: object }) => node);
};

describe('the version of a webhook', () => {
  beforeAll(async () => {
    id = String((await makeWebhook(api.services, tenant.id)).id);
  });

  test('is 1 at first, and raised by each change that somebody makes', async () => {
    expect(await versionOf()).toEqual({ version: 1 });
    expect((await update({ url: 'https://b.example.com/' })).data.updateWebhook.webhook.version).toBe(2);
    expect((await update({ active: false })).data.updateWebhook.webhook.version).toBe(3);
    const enabled = await update({ active: true, held: 'KEEP' });
    expect(enabled.data.updateWebhook.webhook.version).toBe(4);
    const released = await api.ask(
      `mutation { releaseHeld(input: {webhookId: "${id}"}) { webhook { version } } }`,
      {},
      tenant,
    );
    expect(released.data.releaseHeld.webhook.version).toBe(5);
    const rotated = await api.ask(
      `mutation { rotateWebhookSecret(input: {id: "${id}"}) { webhook { version previousSecretExpiresAt } } }`,
      {},
      tenant,
    );
    expect(rotated.data.rotateWebhookSecret.webhook).toEqual({
      version: 6,
      previousSecretExpiresAt: expect.any(String),
    });
    expect(await versionOf()).toEqual({ version: 6 });
  });

  test('stays when nothing is changed, and the audit log has no entry', async () => {
    const before = await auditLog();
    const same = await update({ url: 'https://b.example.com/', eventTypes: ['*'], active: true });
    expect(same.data.updateWebhook.webhook).toMatchObject({ version: 6, active: true });
    expect(await auditLog()).toEqual(before);
  });
});

describe('ifVersion', () => {
  beforeAll(async () => {
    id = String((await makeWebhook(api.services, tenant.id, { url: 'https://a.example.com/' })).id);
  });

  test('a change for the version that the webhook has is made', async () => {
    const { data } = await update({ url: 'https://b.example.com/', ifVersion: 1 });
    expect(data.updateWebhook.webhook).toEqual({ version: 2, url: 'https://b.example.com/', active: true });
  });

  test('a change for another one is a CONFLICT that names both, and changes nothing', async () => {
    const before = await auditLog();
    for (const ifVersion of [1, 3]) {
      const answer = await update({ url: 'https://c.example.com/', active: false, ifVersion });
      expect(answer.errors[0].extensions).toMatchObject({ code: 'CONFLICT', reason: 'precondition_failed' });
      expect(answer.errors[0].message).toContain('has version 2');
      expect(answer.errors[0].message).toContain(`for version ${ifVersion}`);
    }
    expect(await versionOf()).toEqual({ version: 2 });
    expect(await auditLog()).toEqual(before);
  });

  test('an invalid change is reported as such, whatever its version', async () => {
    expect(codesOf(await update({ url: 'nonsense', ifVersion: 1 }))).toEqual(['BAD_USER_INPUT']);
  });

  test('a deletion is for one version too', async () => {
    const remove = (ifVersion: number) =>
      api.ask(
        'mutation ($input: DeleteWebhookInput!) { deleteWebhook(input: $input) { deletedWebhookId } }',
        { input: { id, ifVersion } },
        tenant,
      );
    expect(codesOf(await remove(1))).toEqual(['CONFLICT']);
    expect(codesOf(await remove(2))).toEqual([]);
    expect(codesOf(await remove(2))).toEqual(['NOT_FOUND']);
  });
});

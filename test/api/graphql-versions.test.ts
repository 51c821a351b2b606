import { beforeAll, describe, expect, test } from 'vitest';
import { makeWebhook } from '../support/factories.js';
import { codesOf, nodesOf, openGraphql } from '../support/graphql-api.js';

let id: string;
const { api, tenant, mutate, read } = await openGraphql();

const update = (input: object) => mutate('updateWebhook', { id, ...input }, 'webhook { version url active }');
const versionAfter = async (name: string, input: object) =>
  (await mutate(name, input, 'webhook { version }')).data[name].webhook.version;
const versionOf = async () => (await read(`{ webhook(id: "${id}") { version } }`)).webhook.version;
const auditLog = async () => {
  const filter = `{targetType: WEBHOOK, targetId: "${id}"}`;
  const query = `{ auditLog(first: 100, filter: ${filter}) { edges { node { action before after } } } }`;
  return nodesOf((await read(query)).auditLog);
};

describe('the version of a webhook', () => {
  beforeAll(async () => {
    id = String((await makeWebhook(api.services, tenant.id)).id);
  });

  test('is 1 at first, and raised by each change that somebody makes', async () => {
    expect(await versionOf()).toBe(1);
    expect(await versionAfter('updateWebhook', { id, url: 'https://b.example.com/' })).toBe(2);
    expect(await versionAfter('updateWebhook', { id, active: false })).toBe(3);
    expect(await versionAfter('updateWebhook', { id, active: true, held: 'KEEP' })).toBe(4);
    expect(await versionAfter('releaseHeld', { webhookId: id })).toBe(5);
    const rotated = await mutate('rotateWebhookSecret', { id }, 'webhook { version previousSecretExpiresAt }');
    const { webhook } = rotated.data.rotateWebhookSecret;
    expect(webhook).toEqual({ version: 6, previousSecretExpiresAt: expect.any(String) });
    expect(await versionOf()).toBe(6);
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
    expect(await versionOf()).toBe(2);
    expect(await auditLog()).toEqual(before);
  });

  test('an invalid change is reported as such, whatever its version', async () => {
    expect(codesOf(await update({ url: 'nonsense', ifVersion: 1 }))).toEqual(['BAD_USER_INPUT']);
  });

  test('a deletion is for one version too', async () => {
    const remove = (ifVersion: number) => mutate('deleteWebhook', { id, ifVersion }, 'deletedWebhookId');
    expect(codesOf(await remove(1))).toEqual(['CONFLICT']);
    expect(codesOf(await remove(2))).toEqual([]);
    expect(codesOf(await remove(2))).toEqual(['NOT_FOUND']);
  });
});

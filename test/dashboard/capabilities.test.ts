import { isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Requirement, requirementOf } from '../../src/api/graphql/fields/requires.js';
import { PortalCapability } from '../../src/api/graphql/keys/portal-session-types.js';
import { buildGraphqlSchema } from '../../src/api/graphql/schema.js';
import { scopesOfPortal } from '../../src/domain/keys/portal-session.js';
import { SCOPES, type Scope } from '../../src/domain/keys/scopes.js';
import { DashboardSite } from '../support/dashboard-site.js';
import { emitMany, makeTenant, makeWebhook, type TestTenant } from '../support/factories.js';
import { gid } from '../support/ids.js';

/**
 * What each field needs that VIEW is not enough for; several: all of them; `null`: no portal session may. What only
 * platform keys read need not stand here.
 */
const needed: Record<string, readonly (keyof typeof PortalCapability)[] | null> = {
  'Query.apiKeys': ['MANAGE_KEYS'],
  'Query.auditLog': ['MANAGE_KEYS'],
  'Query.noticeRecipients': ['MANAGE_OPTIONS'],
  'Query.portalSessions': ['MANAGE_KEYS'],
  'Mutation.cancelBulkOperation': ['BULK'],
  'Mutation.checkWebhook': ['SEND'],
  'Mutation.verifyWebhook': ['SEND'],
  'Mutation.probeWebhook': ['MANAGE_ENDPOINTS'],
  'Mutation.recoverDeliveries': ['BULK'],
  'Mutation.cancelDeliveries': ['BULK'],
  'Mutation.cancelDelivery': ['SEND'],
  'Mutation.createApiKey': ['MANAGE_KEYS'],
  'Mutation.createNoticeRecipient': ['MANAGE_OPTIONS'],
  'Mutation.deleteNoticeRecipient': ['MANAGE_OPTIONS'],
  'Mutation.sendTestNotice': ['MANAGE_OPTIONS'],
  'Mutation.updateNoticeRecipient': ['MANAGE_OPTIONS'],
  'Mutation.createPortalSession': ['MANAGE_KEYS'],
  'Mutation.createTenant': null,
  'Mutation.createWebhook': ['MANAGE_ENDPOINTS'],
  'Mutation.deleteTenant': null,
  'Mutation.deleteWebhook': ['MANAGE_ENDPOINTS'],
  'Mutation.deprecateEventType': null,
  'Mutation.hideEventType': null,
  'Mutation.emitEvent': null,
  'Mutation.emitEvents': null,
  'Mutation.scheduleEvent': null,
  'Mutation.cancelScheduledEvent': null,
  'Mutation.recoverWebhook': ['BULK'],
  'Mutation.redeliver': ['SEND'],
  'Mutation.registerEventType': null,
  'Mutation.releaseHeld': ['MANAGE_ENDPOINTS'],
  'Mutation.replayEvents': ['BULK'],
  'Mutation.resumeBulkOperation': ['BULK'],
  'Mutation.revokeApiKey': ['MANAGE_KEYS'],
  'Mutation.revokePortalSession': ['MANAGE_KEYS'],
  'Mutation.rotateSigningKey': ['MANAGE_ENDPOINTS', 'SEE_SECRETS'],
  'Mutation.rotateWebhookSecret': ['MANAGE_ENDPOINTS', 'SEE_SECRETS'],
  'Mutation.testWebhook': ['SEND'],
  'Mutation.unblockKey': ['SEND'],
  'Mutation.addConverter': null,
  'Mutation.createRelease': null,
  'Query.converterProof': null,
  'Mutation.updateEventType': null,
  'Mutation.updateTenant': null,
  'CreateWebhookPayload.secret': ['MANAGE_ENDPOINTS', 'SEE_SECRETS'],
};

/** One of these is enough: the resolver asks for the one that the input needs. */
const oneOf: Record<string, readonly (keyof typeof PortalCapability)[]> = {
  'Mutation.attemptNow': ['SEND', 'BULK'],
  'Mutation.updateWebhook': ['MANAGE_ENDPOINTS', 'MANAGE_OPTIONS'],
};

/** No session may do these, whatever its capabilities. */
const NEVER = ['Mutation.eraseEvent', 'Mutation.eraseEvents'];

const all = Object.values(PortalCapability);
/** Every set of capabilities. */
const sets = Array.from({ length: 2 ** all.length }, (_, bits) => all.filter((_one, at) => (bits >> at) & 1));

describe('every set of capabilities', () => {
  test('may what its capabilities are for, looks at what VIEW is for, and may nothing else', async () => {
    const schema = await buildGraphqlSchema();
    const guarded = Object.values(schema.getTypeMap())
      .filter(isObjectType)
      .flatMap((type) =>
        Object.values(type.getFields()).map((field) => ({
          name: `${type.name}.${field.name}`,
          requirement: requirementOf(field),
        })),
      )
      .filter(({ requirement }) => requirement !== undefined);
    expect(guarded.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(needed)));
    const unlisted = guarded.filter(
      ({ name }) => name.startsWith('Mutation.') && !(name in needed || name in oneOf || NEVER.includes(name)),
    );
    expect(unlisted).toEqual([]);
    const contextWith = (scopes: readonly Scope[]) => ({
      caller: { keyId: 1, tenantId: 1, isPortalSession: true, scopes: new Set(scopes) },
      tenantId: 1,
    });
    const isForTenants = (requirement: Requirement) => {
      try {
        requirement(contextWith(SCOPES) as never);
        return true;
      } catch {
        return false;
      }
    };
    for (const capabilities of sets) {
      const context = contextWith(scopesOfPortal(capabilities));
      for (const { name, requirement } of guarded) {
        const wanted = name in needed ? needed[name]! : isForTenants(requirement!) ? [] : null;
        const has = (one: keyof typeof PortalCapability) => capabilities.includes(PortalCapability[one]);
        const may = oneOf[name]?.some(has) ?? wanted?.every(has);
        const does = () => requirement?.(context as never);
        if (may) {
          expect(does, `${name} with ${capabilities}`).not.toThrow();
        } else {
          expect(does, `${name} with ${capabilities}`).toThrow();
        }
      }
    }
  });
});

describe('over the wire', () => {
  let site: DashboardSite;
  let tenant: TestTenant;
  let webhook: string;
  let delivery: string;
  beforeAll(async () => {
    site = await DashboardSite.open();
    tenant = await makeTenant(site.services);
    const { id } = await makeWebhook(site.services, tenant.id);
    webhook = gid.webhook(id);
    await emitMany(site.services, tenant.id, 1);
    const { rows } = await site.owner.query(
      `update hookwright.deliveries set status = 'SUCCEEDED', finished_at = now() returning id`,
    );
    delivery = gid.delivery(rows[0].id);
  });
  afterAll(() => site[Symbol.asyncDispose]());

  const opened = (...capabilities: (keyof typeof PortalCapability)[]) => site.openSession(tenant.key, { capabilities });
  const create = (selected: string) =>
    `mutation { createWebhook(input: {url: "https://example.com/hooks", eventTypes: ["*"]}) { ${selected} } }`;
  const webhooks = async () =>
    (await site.owner.query('select id, url, active, encode(sealed_secret, $1) from hookwright.webhooks', ['hex']))
      .rows;
  const refusal = (capability: string) => [
    {
      message: expect.stringContaining(
        `This needs the capability ${capability}, which this portal session does not have. Nothing was done.`,
      ),
      extensions: { code: 'FORBIDDEN', reason: 'scope_missing' },
    },
  ];

  test('what a session lacks is refused with the name of the capability, and nothing is done', async () => {
    const viewer = await opened('VIEW');
    const before = await webhooks();
    for (const [mutation, capability] of [
      [create('webhook { id }'), 'MANAGE_ENDPOINTS'],
      [`mutation { updateWebhook(input: {id: "${webhook}", active: false}) { webhook { id } } }`, 'MANAGE_ENDPOINTS'],
      [`mutation { deleteWebhook(input: {id: "${webhook}"}) { deletedWebhookId } }`, 'MANAGE_ENDPOINTS'],
      [`mutation { rotateWebhookSecret(input: {id: "${webhook}"}) { secret } }`, 'SEE_SECRETS'],
      [`mutation { testWebhook(input: {id: "${webhook}"}) { delivery { id } } }`, 'SEND'],
      [`mutation { redeliver(input: {deliveryId: "${delivery}"}) { delivery { id } } }`, 'SEND'],
      [`mutation { cancelDeliveries(input: {filter: {webhookId: "${webhook}"}}) { total } }`, 'BULK'],
      ['mutation { createApiKey(input: {name: "k", scopes: ["webhooks:read"]}) { key } }', 'MANAGE_KEYS'],
    ] as const) {
      expect((await site.ask(mutation, {}, viewer)).errors, mutation).toMatchObject(refusal(capability));
    }
    expect(await webhooks()).toEqual(before);
    expect((await site.ask('{ webhooks { edges { node { id } } } }', {}, viewer)).errors).toEqual([]);
  });

  test('without SEE_SECRETS a webhook is made only by who does not ask for its secret, and none is rotated', async () => {
    const manager = await opened('MANAGE_ENDPOINTS');
    const before = await webhooks();
    expect((await site.ask(create('secret webhook { id }'), {}, manager)).errors).toMatchObject(refusal('SEE_SECRETS'));
    const rotate = `mutation { rotateWebhookSecret(input: {id: "${webhook}"}) { webhook { id } } }`;
    expect((await site.ask(rotate, {}, manager)).errors).toMatchObject(refusal('SEE_SECRETS'));
    expect(await webhooks()).toEqual(before);
    const made = await site.ask(create('webhook { id }'), {}, manager);
    expect(made.errors).toEqual([]);

    const trusted = await opened('MANAGE_ENDPOINTS', 'SEE_SECRETS');
    const { id } = made.data.createWebhook.webhook;
    const rotated = await site.ask(
      `mutation { rotateWebhookSecret(input: {id: "${id}", overlapHours: 0}) { secret } }`,
      {},
      trusted,
    );
    expect(rotated.data.rotateWebhookSecret.secret).toMatch(/^whsec_/);
    expect((await site.ask(create('secret'), {}, trusted)).data.createWebhook.secret).toMatch(/^whsec_/);
  });

  test('SEND tests and sends again, one at a time', async () => {
    const sender = await opened('SEND');
    const tested = await site.ask(
      `mutation { testWebhook(input: {id: "${webhook}"}) { delivery { webhook { id } attempts { number } } } }`,
      {},
      sender,
    );
    expect(tested.errors).toEqual([]);
    const again = await site.ask(
      `mutation { redeliver(input: {deliveryId: "${delivery}"}) { delivery { status } } }`,
      {},
      sender,
    );
    expect(again.errors).toEqual([]);
    const since = '2026-01-01T00:00:00Z';
    const bulk = `mutation { recoverWebhook(input: {id: "${webhook}", filter: {since: "${since}"}}) { total } }`;
    expect((await site.ask(bulk, {}, sender)).errors).toMatchObject(refusal('BULK'));
    expect((await site.ask(bulk, {}, await opened('BULK'))).errors).toEqual([]);
  });

  test('MANAGE_KEYS makes keys that end with the session, with no more rights than it has', async () => {
    const keeper = await opened('MANAGE_KEYS');
    const key = (scopes: string[], key = keeper, expiresInSeconds?: number) =>
      site.ask(
        'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { expiresAt } } }',
        { input: { name: 'k', scopes, ...(expiresInSeconds ? { expiresInSeconds } : {}) } },
        key,
      );
    const { expiresAt } = (await site.ask('{ viewer { apiKey { expiresAt } } }', {}, keeper)).data.viewer.apiKey;
    expect((await key(['webhooks:read'])).data.createApiKey.apiKey).toEqual({ expiresAt });
    expect((await key(['events:emit'])).errors[0].extensions.reason).toBe('scope_missing');
    expect((await key(['webhooks:write'])).errors[0].extensions.reason).toBe('scope_missing');
    expect((await site.ask('{ auditLog(first: 1) { edges { node { actor } } } }', {}, keeper)).data).toEqual({
      auditLog: { edges: [{ node: { actor: 'PORTAL_SESSION' } }] },
    });
    const whole = await opened('MANAGE_KEYS', 'MANAGE_ENDPOINTS', 'MANAGE_OPTIONS', 'SEE_SECRETS', 'SEND');
    expect((await key(['webhooks:write'], whole)).errors).toEqual([]);
  });

  test('keys of a session end with it or with the key that made it, and so do further sessions', async () => {
    const { data } = await site.ask(
      'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key } }',
      {
        input: {
          name: 'for a day',
          scopes: ['keys:admin', 'webhooks:read', 'events:read', 'deliveries:read'],
          expiresInSeconds: 86_400,
        },
      },
      tenant.key,
    );
    const manager = { capabilities: ['MANAGE_KEYS'], keysExpireInSeconds: 86_200 };
    const keeper = await site.openSession(data.createApiKey.key, manager);
    const second = await site.openSession(keeper, { ...manager, keysExpireInSeconds: 86_100 });
    for (const key of [keeper, second]) {
      const make = (expiresInSeconds: number | null) =>
        site.ask(
          'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key } }',
          { input: { name: 'k', scopes: ['webhooks:read'], expiresInSeconds } },
          key,
        );
      expect((await make(86_000)).errors).toEqual([]);
      expect((await make(86_201)).errors[0].extensions.errors[0].path).toEqual(['input', 'expiresInSeconds']);
    }
    const { session } = await site.session(second, { capabilities: ['VIEW'] });
    const own = (await site.ask('{ viewer { portalSession { expiresAt } } }', {}, second)).data.viewer;
    expect(Date.parse(session.expiresAt)).toBeLessThanOrEqual(Date.parse(own.portalSession.expiresAt));
    await expect(site.session(second, { capabilities: ['SEND'] })).rejects.toThrow('lacks webhooks:test');
  });
});

import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isCompositeType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { afterAll, describe, expect, test } from 'vitest';
import { requirementOf } from '../../src/api/graphql/fields/requires.js';
import { buildGraphqlSchema } from '../../src/api/graphql/schema.js';
import { ERASE, PLATFORM_ADMIN, SCOPES, type Scope } from '../../src/domain/keys/scopes.js';
import { emitMany, makeKey, makeWebhook } from '../support/factories.js';
import { gid } from '../support/ids.js';
import { RestApi } from '../support/rest-api.js';

/** The guarded fields by the scopes of which one is enough ('' is a platform key alone), or that any key may read. */
const guardedBy: Record<string, string> = {
  'keys:admin': `
    Query.apiKeys Query.auditLog Query.portalSessions Mutation.createApiKey Mutation.createPortalSession
    Mutation.revokeApiKey Mutation.revokePortalSession`,
  'deliveries:read': `
    Query.backlog Query.bulkOperation Query.bulkOperations Query.closedBacklog Query.deliveries Query.delivery Query.deliveryCounts
    Query.failureStats Query.queueStats Query.stats Subscription.deliveryUpdated Event.deliveries Event.fanOut Tenant.backlog
    Tenant.lastDay Tenant.stats Webhook.backlog
    Webhook.deliveries Webhook.failureStats Webhook.failures Webhook.lastDay Webhook.nextAttempts
    Webhook.orderingKeys Webhook.queueStats Webhook.stats`,
  'events:read': `
    Query.event Query.events Query.previewContent Query.scheduledEvent Query.scheduledEvents Attempt.requestBody Delivery.asCurl
    Delivery.event`,
  'any key':
    'Query.eventSchema Query.eventType Query.eventTypes Query.node Query.nodes Query.release Query.releases Query.viewer',
  '': `
    Query.converterProof Query.installation Query.tenant Query.tenants Query.whereIs Mutation.addConverter
    Mutation.createRelease Mutation.createTenant Mutation.deleteTenant
    Mutation.deprecateEventType Mutation.hideEventType Mutation.registerEventType Mutation.updateEventType Mutation.updateTenant`,
  'webhooks:read':
    'Query.webhook Query.webhooks Subscription.webhookUpdated FanOutEntry.webhook Tenant.signingKeys Tenant.webhookCount',
  'deliveries:write': `
    Mutation.attemptNow Mutation.cancelBulkOperation Mutation.cancelDeliveries Mutation.cancelDelivery
    Mutation.recoverDeliveries Mutation.recoverWebhook Mutation.redeliver Mutation.replayEvents Mutation.resumeBulkOperation
    Mutation.unblockKey`,
  'webhooks:write': `
    Query.noticeRecipients Mutation.checkWebhook Mutation.createNoticeRecipient Mutation.createWebhook
    Mutation.deleteNoticeRecipient Mutation.deleteWebhook Mutation.probeWebhook Mutation.releaseHeld Mutation.rotateSigningKey
    Mutation.rotateWebhookSecret
    Mutation.sendTestNotice Mutation.testWebhook Mutation.updateNoticeRecipient Mutation.updateWebhook
    Mutation.verifyWebhook
    CreateWebhookPayload.secret`,
  'events:emit': 'Mutation.cancelScheduledEvent Mutation.emitEvent Mutation.emitEvents Mutation.scheduleEvent',
  'events:erase': 'Mutation.eraseEvent Mutation.eraseEvents',
  'webhooks:read webhooks:write': 'BulkOperation.webhook Delivery.webhook',
};
const words = (text: string) => text.trim().split(/\s+/);
/** A platform key may do everything. `node` and `nodes` ask for more by the id's type: test/api/graphql-nodes.test.ts */
const guarded = Object.fromEntries(
  Object.entries(guardedBy).flatMap(([scopes, names]) =>
    words(names).map((name) => [name, scopes === 'any key' ? scopes : scopes.split(' ').filter(Boolean)]),
  ),
) as Record<string, readonly Scope[] | 'any key'>;

/**
 * The fields without a guard of their own: the guarded field that leads to their object was asked for. A mutation
 * shows what it made or changed: `redeliver` its delivery with its attempts, `emitEvent` its event.
 */
const unguarded: Record<string, string> = {
  AffectedShape: 'fields tenant webhookId',
  ApiKey: 'consoleSession createdAt databaseId expiresAt id lastUsedAt name revokedAt scopes',
  Attempt: `
    connectMs dnsMs durationMs errorCode firstByteMs id method number requestHeaders responseBody responseBodyBase64
    responseHeaders responseTruncated startedAt statusCode tlsMs tokenFailure url`,
  AuditEntry: 'action actor after apiKeyId before createdAt databaseId id requestId targetId targetType',
  AttemptNowPayload: 'bulkOperation deliveries leftOut total totalCapped',
  Backlog: 'countMax due held oldestDueAt scheduled waiting',
  BrokenOption: 'code message option path tenant types webhookId',
  BulkOperation: `
    affected beginsAt createdAt databaseId error filter finishedAt id kind processed progress skipped status total`,
  AddConverterPayload: 'eventType proof',
  CancelBulkOperationPayload: 'bulkOperation',
  CancelDeliveriesPayload: 'bulkOperation leftOut total totalCapped',
  CancelDeliveryPayload: 'delivery',
  CancelScheduledEventPayload: 'scheduledEvent',
  CheckWebhookPayload: 'delivery',
  CreateApiKeyPayload: 'apiKey key',
  CreateNoticeRecipientPayload: 'noticeRecipient',
  CreatePortalSessionPayload: 'session url',
  CreateReleasePayload: 'release',
  CreateTenantPayload: 'tenant',
  CreateWebhookPayload: 'webhook',
  DeleteNoticeRecipientPayload: 'deletedNoticeRecipientId',
  DeleteTenantPayload: 'deletedTenantId',
  DeleteWebhookPayload: 'deletedWebhookId',
  Delivery: `
    attemptCount attempts cancelReason createdAt databaseId eventId eventType finishedAt id isCheck
    lastErrorCode lastStatusCode nextAttemptAt orderingKey path settlesUntil status supersededBy
    waitsFor webhookId`,
  DeliveryCounts: 'all delivered failed held lastAttemptFailed retrying',
  DeliveryUpdate: 'cursor delivery resync',
  DeprecateEventTypePayload: 'eventType',
  EmitEventError: 'code detail issues path',
  EmitEventIssue: 'code detail path',
  EmitEventPayload: 'deliveryCount duplicate event',
  EmitEventResult: 'deliveryCount duplicate error event',
  EmitEventsPayload: 'results',
  EraseEventPayload: 'event scheduledEvent',
  EraseEventsPayload: 'bulkOperation total totalCapped',
  EndpointState: 'inFlight meanMs putOffs waiting window',
  Event: `
    body bodyBytes changes createdAt databaseId erasedAt eventType id onlyWebhookId orderingKey payload preview
    previousBody targets`,
  EventChanges: 'added removed truncated updated',
  PayloadPreview: 'excerpt values',
  PayloadValue: 'path value',
  ClosedBacklog: 'due oldestOtherDueAt until webhooks',
  Daemon: 'host inFlight lastSeenAt pid slots startedAt version workerId',
  EncryptionKeyInUse: 'kid tenants',
  FailureCount: 'deliveries errorCode',
  Finding: 'level name text',
  HideEventTypePayload: 'eventType',
  Housekeeping: 'error failedAt nextAt startedAt succeededAt',
  Installation: `
    backlog closed daemons encryptionKeys examinedAt failing failureStats failures findings housekeeping jobsPutAside partitions
    queueStats retention stats topTenants topWebhooks`,
  PutAsideJob: 'deliveryId jobKey lastError task triedAgainAt tries',
  Partition: 'bytes rowsEstimate since table until',
  Retention: 'deliveryDays eventDays holdHours',
  TopWebhook: `
    active closedUntil consecutiveFailures disabledReason due externalId figures lastDay name oldestDueAt tenant url
    webhookId`,
  EventType: 'createdAt deprecatedAt description hiddenAt id name reserved samplePayload schema version versions',
  EventTypeVersion: 'converter converterFrom createdAt schema version',
  ConverterProof: 'complete eventsFit eventsJudged eventsLookedAt fits misfits sampleIssues',
  ConverterStep: 'op path to value',
  OlderVersion: 'eventType newest pinned sent steps',
  Release: 'createdAt id name versions',
  ReleaseVersion: 'eventType version',
  FailingNow: 'disabled failing gone tenants webhooks',
  FailingTenant: 'disabled failing gone held since tenant',
  DeliveryAuth: 'audience clientAuth clientId header kind lastFailure scope tokenUrl username',
  ContentOptions: 'filter format release shape template text warnings',
  ContentPreview: 'matched samples total',
  ContentSample: 'body event failedCondition headers matches',
  DeliveryHeader: 'name secret value',
  DeliveryDefaults: 'concurrencyMax own ratePerSecond recovery retryDelaysSeconds signing timeoutMs',
  DeliveryOptions: `
    auth callback compat concurrencyMax headers method own ratePerSecond recovery retryDelaysSeconds signing timeoutMs
    tls warnings`,
  DeliveryTls: 'ca clientCertificate',
  TlsAuthorities: 'endsAt subjects',
  TlsClientCertificate: 'endsAt fingerprint issuer serial subject',
  DeliverySignature: 'form headers overlap scheme',
  FailingWebhook: 'consecutiveFailures externalId held lastErrorCode name since state tenant url webhookId',
  FailedCondition: 'negated op path pointer value',
  FanOutEntry: 'delivery failedCondition reason webhookId',
  NoticeRecipient: `
    address confirmedAt createdAt databaseId digest id lastError locale timeZone topics unsubscribedAt`,
  OptionWarning: 'code eventType message path types',
  Ordering: 'by keep keyPath onFailure settleMaxSeconds settleSeconds warnings',
  OrderingKey: 'blockedAt head key waiting waitingSince',
  PageInfo: 'endCursor hasNextPage hasPreviousPage startCursor',
  PayloadIssue: 'detail path',
  PortalLook: 'accent accentDark font header radius transparent',
  PortalSession: `
    capabilities createdAt createdBy createdByKeyId createdByName databaseId exchangedAt expiresAt id invitationDays
    keysExpireInSeconds lastUsedAt locale look openUntil parentOrigins path release returnUrl revokedAt status theme`,
  ProbeWebhookPayload: 'delivery',
  RecoverDeliveriesPayload: 'bulkOperation leftOut total totalCapped',
  RecoverWebhookPayload: 'bulkOperation leftOut total totalCapped',
  RedeliverPayload: 'delivery',
  RefusedEvent: 'eventId issues tenant',
  RegisterEventTypePayload: 'eventType',
  ReleaseHeldPayload: 'webhook',
  ReplayEventsPayload: 'bulkOperation leftOut total totalCapped',
  ResumeBulkOperationPayload: 'bulkOperation',
  RevokeApiKeyPayload: 'apiKey',
  RevokePortalSessionPayload: 'session',
  RotateSigningKeyPayload: 'tenant',
  RotateWebhookSecretPayload: 'secret webhook',
  ScheduledEvent: `
    body createdAt databaseId deliverAt erasedAt error eventId eventType finishedAt id idempotencyKey keepHours orderingKey
    status`,
  ScheduleEventPayload: 'duplicate scheduledEvent',
  SchemaImpact: `
    breaks brokenOptionCount brokenOptions complete eventsLookedAt eventsRefused refusedEvents webhookCount`,
  SendTestNoticePayload: 'noticeRecipient',
  SigningKey: 'endsAt jwksUrl kid publicKey usedFrom',
  FailureStats: 'reasons resolution since until',
  FailuresOfReason: 'buckets failures reason',
  QueueBucket: 'due held isMore oldestSeconds start',
  QueueStats: 'buckets resolution since until',
  Stats: 'buckets resolution since total until',
  StatsBucket: 'attempts failures p50Ms p95Ms p99Ms start successRate successes',
  StatsFigures: 'attempts failures p50Ms p95Ms p99Ms successRate successes',
  Tenant: 'createdAt databaseId deliveryDefaults externalId id limitedBy limitedSince limits name retentionDays',
  TenantLimits: 'bodyBytesMax endpointsMax eventsPerSecond reason requestsAtOnce requestsPerSecond',
  TestWebhookPayload: 'delivery',
  TokenFailure: 'at code detail',
  UnblockKeyPayload: 'webhook',
  UpdateEventTypePayload: 'affectedShapes eventType impact proof',
  UpdateNoticeRecipientPayload: 'noticeRecipient',
  UpdateTenantPayload: 'tenant',
  UpdateWebhookPayload: 'webhook',
  Verification: 'challengeCode checkedAt detail method nextAt optionsCode status',
  VerifyWebhookPayload: 'webhook',
  Viewer:
    'apiKey egressAddresses endpointChallenge endpointOptions mailConfigured mailSettingsMissing portalSession retention scopes tenant',
  Webhook: `
    active closedUntil consecutiveFailures content createdAt databaseId delivery description disabledAt disabledReason endpointState
    eventTypes externalId heldCount holdUntil id lastFailureAt lastSuccessAt metadata name nextProbeAt olderVersions ordering
    previousSecretExpiresAt signatures url verification
    version`,
  FoundObject: 'createdAt externalId kind name objectId tenant url',
  WebhookUpdate: 'cursor resync webhook webhookId',
};
/** Each has a connection and an edge. */
const listed = words(
  'ApiKey AuditEntry BulkOperation Delivery Event FanOutEntry NoticeRecipient PortalSession ScheduledEvent Tenant Webhook',
);
for (const name of listed) {
  unguarded[`${name}Connection`] = 'edges nodes pageInfo';
  unguarded[`${name}Edge`] = 'cursor node';
}

const schema = await buildGraphqlSchema();

type Field = GraphQLField<unknown, unknown>;

const fields = Object.values(schema.getTypeMap())
  .filter((type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__'))
  .flatMap((type) =>
    Object.values(type.getFields()).map((field) => ({
      name: `${type.name}.${field.name}`,
      type,
      field: field as Field,
    })),
  );
const isGuarded = ({ field }: { field: Field }) => requirementOf(field) !== undefined;
const guardedFields = fields.filter(isGuarded);

/** Whether a key with these scopes may use a field: a tenant's, or one of the platform, for a tenant or for none. */
function mayUse(field: Field, scopes: Scope[], keyOf: number | null, tenantId: number | null): boolean {
  try {
    requirementOf(field)?.({ caller: { keyId: 1, tenantId: keyOf, scopes: new Set(scopes) }, tenantId } as never);
    return true;
  } catch {
    return false;
  }
}

describe('the whole schema', () => {
  test('every field that asks for something is written down, with the scopes that will do', () => {
    const found = guardedFields.map(({ name, field }) => {
      const isEnough = (...scopes: Scope[]) => mayUse(field, scopes, 1, 1);
      expect(isEnough(PLATFORM_ADMIN)).toBe(true);
      return [name, isEnough() ? 'any key' : ([...SCOPES, ERASE] as Scope[]).filter((scope) => isEnough(scope))];
    });
    expect(Object.fromEntries(found)).toEqual(guarded);
  });

  test('platform:read reads everything and changes nothing; platform:support changes what is of a tenant', () => {
    const mayAll = (tenantId: number | null, scope: Scope) =>
      guardedFields.filter(({ field }) => mayUse(field, [scope], null, tenantId));
    const names = (found: typeof fields) => found.map(({ name }) => name);
    const changes = fields.filter(({ type }) => type.name === 'Mutation' || type.name.endsWith('Payload'));
    const reads = guardedFields.filter((each) => !changes.includes(each));
    expect(names(mayAll(1, 'platform:read'))).toEqual(names(reads));
    expect(names(mayAll(1, 'platform:admin'))).toEqual(names(guardedFields));
    const ofInstallation =
      words(`Mutation.addConverter Mutation.createRelease Mutation.createTenant Mutation.deleteTenant Mutation.deprecateEventType
      Mutation.eraseEvent Mutation.eraseEvents Mutation.hideEventType Mutation.registerEventType Mutation.updateEventType Mutation.updateTenant`);
    const support = names(mayAll(1, 'platform:support'));
    const others = names(guardedFields).filter((name) => !support.includes(name));
    expect(others.sort()).toEqual(ofInstallation);
    // Without a tenant keys are those of the platform; events and portal sessions name their tenant themselves.
    const withoutTenant = names(mayAll(null, 'platform:support')).filter((name) => name.startsWith('Mut'));
    expect(withoutTenant.sort()).toEqual([
      'Mutation.createPortalSession',
      'Mutation.emitEvent',
      'Mutation.emitEvents',
      'Mutation.scheduleEvent',
    ]);
  });

  test('every field that asks for nothing is written down too: a new one has to be thought about', () => {
    const found: Record<string, string[]> = {};
    for (const { type, field } of fields.filter((each) => !isGuarded(each))) {
      found[type.name] = [...(found[type.name] ?? []), field.name].sort();
    }
    expect(found).toEqual(Object.fromEntries(Object.entries(unguarded).map(([type, names]) => [type, words(names)])));
  });

  test('no root field asks for nothing', () => {
    const roots = fields.filter(({ type }) => ['Query', 'Mutation', 'Subscription'].includes(type.name));
    expect(roots.length).toBeGreaterThan(15);
    expect(roots.filter((each) => !isGuarded(each)).map(({ name }) => name)).toEqual([]);
  });
});

const api = await RestApi.open();
afterAll(() => api[Symbol.asyncDispose]());
const { id: webhook } = await makeWebhook(api.services, api.tenant.id);
const [event] = await emitMany(api.services, api.tenant.id, 1);
const { rows: deliveries } = await api.owner.query(
  `insert into hookwright.attempts (delivery_id, number, tenant_id, url, started_at, duration_ms, request_headers)
   select id, 1, tenant_id, 'https://a.example.com/', now(), 1, '{}' from hookwright.deliveries returning delivery_id`,
);
const { rows: operations } = await api.owner.query(
  `insert into hookwright.bulk_operations (tenant_id, kind, webhook_id, filter, from_id, to_id, cursor_id, total, actor)
   values ($1, 'REPLAY_EVENTS', $2, '{}', 0, 1, 0, 0, 'TENANT_KEY') returning id`,
  [api.tenant.id, webhook],
);
const ids: Record<string, unknown> = {
  webhook: String(webhook),
  event: String(event),
  delivery: String(deliveries[0].delivery_id),
  bulkOperation: String(operations[0].id),
  eventType: 'coupon.applied',
  tenant: String(api.tenant.id),
  node: gid.webhook(webhook),
  nodes: [gid.webhook(webhook)],
  whereIs: '1',
  eventSchema: '*',
  scheduledEvent: '1',
  release: '2026-11',
  converterProof: 'coupon.applied',
};

describe('over the wire', () => {
  const scopeMissing = [{ code: 'FORBIDDEN', reason: 'scope_missing' }];
  const ask = (query: string, key: string | null) => api.ask('POST //graphql', { json: { query }, key });
  /** A key with every scope of a tenant but these. */
  const keyWithout = async (without: readonly string[]) => {
    const scopes = SCOPES.filter((scope) => !without.includes(scope));
    return (await makeKey(api.services, api.tenant.id, scopes)).key;
  };
  const lacking = ([_name, scopes]: readonly [string, readonly Scope[] | 'any key']) => scopes !== 'any key';

  /** A literal that fits, so that it is the scope and not the input that is refused. */
  const literals: Record<string, string> = {
    AddConverterInput: '{name: "a.b", converter: []}',
    CreateReleaseInput: '{name: "2026-11"}',
    Int: '2',
    CreateApiKeyInput: '{name: "k", scopes: ["webhooks:read"]}',
    CreatePortalSessionInput: '{capabilities: [VIEW]}',
    CreateNoticeRecipientInput: '{address: "a@example.com"}',
    CreateTenantInput: '{name: "t"}',
    DateTime: '"2026-01-01T00:00:00Z"',
    EraseEventInput: '{id: "1", reason: "r"}',
    EraseEventsInput: '{filter: {since: "2026-01-01T00:00:00Z"}, dryRun: true}',
    CreateWebhookInput: '{url: "https://a.example.com/", eventTypes: ["*"]}',
    DeleteTenantInput: '{id: "1", name: "t"}',
    EmitEventInput: '{event: "coupon.applied", payload: {code: "A", discount_type: "B"}}',
    EmitEventsInput: '{events: []}',
    AttemptNowInput: '{deliveryIds: ["1"]}',
    CancelDeliveriesInput: '{filter: {webhookId: "1"}}',
    CheckWebhookInput: '{webhookId: "1"}',
    ProbeWebhookInput: '{webhookId: "1"}',
    RecoverDeliveriesInput: '{filter: {webhookId: "1"}}',
    DeprecateEventTypeInput: '{name: "a.b"}',
    HideEventTypeInput: '{name: "a.b"}',
    RecoverWebhookInput: '{id: "1", filter: {since: "2026-01-01T00:00:00Z"}}',
    ScheduleEventInput: '{event: "coupon.applied", payload: {code: "A", discount_type: "B"}, delaySeconds: 60}',
    RegisterEventTypeInput: '{name: "a.b", description: "d", schema: {type: "object"}}',
    PreviewContentInput: '{last: 1}',
    ReplayEventsInput: '{webhookId: "1", filter: {since: "2026-01-01T00:00:00Z"}}',
    UnblockKeyInput: '{webhookId: "1", key: "k", action: SKIP}',
    UpdateEventTypeInput: '{name: "a.b", description: "d"}',
    RedeliverInput: '{deliveryId: "1"}',
    RotateSigningKeyInput: '{inHours: 24}',
    ReleaseHeldInput: '{webhookId: "1"}',
    UpdateTenantInput: '{id: "1", name: "t"}',
    UpdateWebhookInput: '{id: "1", active: false}',
  };
  function call(field: Field): string {
    const args = field.args.filter(isRequiredArgument).map(({ name, type }) => {
      const usual = name === 'input' ? '{id: "1"}' : JSON.stringify(ids[field.name]);
      return `${name}: ${literals[getNamedType(type).name] ?? usual}`;
    });
    const selection = isCompositeType(getNamedType(field.type)) ? '{ __typename }' : '';
    return `${field.name}${args.length === 0 ? '' : `(${args.join(', ')})`} ${selection}`;
  }

  const roots = Object.entries(guarded).filter(([name]) => /^(Query|Mutation)\./.test(name));
  // Subscriptions have an endpoint of their own: test/live/streams.test.ts
  const nested = Object.entries(guarded).filter(
    ([name]) => !/^(Query|Mutation|Subscription|CreateWebhookPayload)\./.test(name),
  );
  const fieldNamed = (wanted: string) => fields.find(({ name }) => name === wanted)!;

  test.each(roots.filter(lacking))('%s refuses a key with all other scopes, and does nothing', async (name, scopes) => {
    const { field, type } = fieldNamed(name);
    const before = await everything();
    const key = await keyWithout(scopes as Scope[]);
    const { body } = await ask(`${type.name.toLowerCase()} { ${call(field)} }`, key);
    expect(body.errors.map(({ extensions }: never) => extensions)).toEqual(scopeMissing);
    expect(body.data?.[field.name] ?? null).toBeNull();
    expect(await everything()).toEqual({ ...before, keys: before['keys']! + 1 });
  });

  test.each(roots)('%s is 401 without a key', async (name) => {
    const { field, type } = fieldNamed(name);
    const { status, body } = await ask(`${type.name.toLowerCase()} { ${call(field)} }`, null);
    expect(status).toBe(401);
    expect(body).not.toHaveProperty('data');
  });

  /** How to get to an object of each type with a key that may not have the guarded field of it. */
  const ways: Record<string, (inner: string) => string> = {
    BulkOperation: (inner) => `{ bulkOperation(id: "${ids['bulkOperation']}") { id ${inner} } }`,
    Attempt: (inner) => `{ delivery(id: "${ids['delivery']}") { attempts { number ${inner} } } }`,
    FanOutEntry: (inner) => `{ event(id: "${ids['event']}") { fanOut { edges { node { reason ${inner} } } } } }`,
    Tenant: (inner) => `{ viewer { tenant { id ${inner} } } }`,
    Delivery: (inner) => `{ delivery(id: "${ids['delivery']}") { id ${inner} } }`,
    Event: (inner) => `{ event(id: "${ids['event']}") { id ${inner} } }`,
    Webhook: (inner) => `{ webhook(id: "${ids['webhook']}") { id ${inner} } }`,
  };
  test.each(nested)('%s refuses a key with all other scopes, and its neighbours answer', async (name, scopes) => {
    const { field, type } = fieldNamed(name);
    const query = ways[type.name]!(`${call(field)}`);
    const { body } = await ask(query, await keyWithout(scopes as Scope[]));
    expect(body.errors.map(({ extensions }: never) => extensions)).toEqual(scopeMissing);
    expect(body.errors[0].path.at(-1)).toBe(field.name);
    expect((await ask(query, api.tenant.key)).body).not.toHaveProperty('errors');
  });

  test('every REST route refuses a key with all other scopes, and one without any', async () => {
    const { body: document } = await api.ask('GET /openapi.json', { key: null });
    let routes = 0;
    for (const [path, item] of Object.entries<Record<string, { description?: string }>>(document.paths)) {
      for (const [method, { description }] of Object.entries(item)) {
        const scope = /`([a-z]+:[a-z]+)`/.exec(description ?? '')?.[1];
        if (!['get', 'post', 'patch', 'put', 'delete'].includes(method)) {
          continue;
        }
        routes += 1;
        const line = `${method.toUpperCase()} ${path.replace('{id}', String(ids['webhook']))}`;
        const before = await everything();
        expect((await api.ask(line, { key: await keyWithout([String(scope)]) })).status, line).toBe(403);
        expect((await api.ask(line, { key: null })).status, line).toBe(401);
        expect(await everything()).toEqual({ ...before, keys: before['keys']! + 1 });
      }
    }
    expect(routes).toBe(13);
  });

  /** How much of everything there is, to see that a refusal left no trace. */
  async function everything(): Promise<Record<string, number>> {
    const { rows } = await api.owner.query(
      `select (select count(*)::integer from hookwright.webhooks where active) as webhooks,
              (select count(*)::integer from hookwright.events) as events,
              (select count(*)::integer from hookwright.deliveries) as deliveries,
              (select count(*)::integer from hookwright.tenants) as tenants,
              (select count(*)::integer from hookwright.api_keys where revoked_at is null) as keys`,
    );
    return rows[0];
  }
});

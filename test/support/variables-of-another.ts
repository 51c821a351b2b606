import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLInputType, isInputObjectType, isListType, isNonNullType, typeFromAST } from 'graphql';
import { flat, inputNames } from '../../src/domain/fields/field-table.js';
import { webhookFields } from '../../src/domain/fields/webhook-fields.js';
import type { DashboardDocument } from './dashboard-documents.js';
import { gid } from './ids.js';

/** Ids and names of a tenant that somebody may know. */
export interface Known {
  tenantId: number;
  name: string;
  /** Of the tenant and of its webhook. */
  externalId: string;
  webhook: string;
  event: string;
  delivery: string;
  attempt: string;
  apiKey: string;
  bulkOperation: string;
  portalSession: string;
  noticeRecipient: string;
  scheduledEvent: string;
  cursors: string[];
}

type Value = { of: (known: Known) => readonly unknown[] } | { always: unknown };

const anyId = ({ tenantId, ...known }: Known) => [
  known.webhook,
  known.event,
  known.delivery,
  known.attempt,
  known.apiKey,
  known.bulkOperation,
  known.portalSession,
  known.noticeRecipient,
  known.scheduledEvent,
  gid.tenant(tenantId),
];

/**
 * What variables, and fields of their inputs, are given, by `Document.variable`, `Input.field` or their own name: `of`:
 * something of a tenant; `always`: the same.
 */
const values: Record<string, Value> = {
  id: { of: anyId },
  targetId: { of: anyId },
  webhook: { of: ({ webhook }) => [webhook] },
  webhookId: { of: ({ webhook }) => [webhook] },
  event: { of: ({ event }) => [event] },
  eventId: { of: ({ event }) => [event] },
  delivery: { of: ({ delivery }) => [delivery] },
  deliveryId: { of: ({ delivery }) => [delivery] },
  deliveryIds: { of: ({ delivery }) => [delivery] },
  apiKeyId: { of: ({ apiKey }) => [apiKey] },
  after: { of: ({ cursors }) => cursors },
  text: { of: ({ name }) => [name] },
  search: { of: ({ name }) => [name] },
  idempotencyKey: { of: ({ event }) => [`order-${event}`] },
  name: { always: 'payment.captured' },
  'TenantFilter.name': { of: ({ name }) => [name] },
  'DeleteTenant.name': { of: ({ name }) => [name] },
  'CreateTenant.name': { always: 'a new name' },
  'RenameTenant.name': { always: 'a new name' },
  'EndpointOfExternalId.externalId': { of: ({ externalId }) => [externalId] },
  'TenantOfExternalId.externalId': { of: ({ externalId }) => [externalId] },
  'CreateApiKeyInput.name': { always: 'a key' },
  scopes: { always: ['webhooks:read'] },
  capabilities: { always: ['VIEW'] },
  description: { always: 'changed' },
  schema: { always: { type: 'object' } },
  deprecated: { always: true },
  'ConverterProof.eventType': { always: 'payment.captured' },
  version: { always: 2 },
  hidden: { always: true },
  // Only some formats have one.
  'ContentOptionsInput.text': { of: () => [] },
  'UnblockKeyInput.action': { always: 'SKIP' },
  'UnblockKeyInput.key': { always: 'order-7' },
  to: { of: ({ webhook }) => [{ webhookId: webhook }] },
  callback: { always: false },
  reshape: { always: true },
  shape: { always: 'subscription { event { id } }' },
  types: { always: ['*'] },
  'FindText.text': { of: () => ['http'] },
  'FindText.search': { of: () => ['http'] },
  url: { always: 'https://hooks.example.com/taken' },
  eventTypes: { always: ['*'] },
  held: { always: 'DISCARD' },
  since: { always: new Date(Date.now() - 14 * 86_400_000).toISOString() },
  by: { always: 'ATTEMPTS' },
  first: { always: 50 },
  byId: { always: true },
  deliveries: { always: true },
  payloads: { always: true },
  withSecret: { always: true },
  redacted: { always: false },
  'UpdateWebhookInput.active': { always: false },
  'PortalSessions.active': { always: true },
  address: { always: 'ops@example.com' },
  digest: { always: 'DAILY' },
  includeDelivered: { always: true },
  includeUnsubscribed: { always: true },
  includeFiltered: { always: true },
  overlapHours: { always: 0 },
  inHours: { always: 0 },
  retentionDays: { always: 5 },
  ids: { of: ({ event }) => [event] },
  eventsPerSecond: { always: 5 },
  requestsPerSecond: { always: 5 },
  requestsAtOnce: { always: 5 },
  endpointsMax: { always: 5 },
  bodyBytesMax: { always: 5 },
  reason: { always: 'changed' },
  tenantId: { of: ({ tenantId }) => [gid.tenant(tenantId)] },
  'AuditNames.tenants': { always: false },
  'AuditNames.webhooks': { always: true },
};

const leftOut = new Set([
  ...['active', 'action', 'askAgain', 'confirmed', 'dryRun', 'errorCode', 'eventType', 'expiresInSeconds', 'ifVersion'],
  ...[
    'consoleSession',
    'invitationDays',
    'last', // a preview looks at one event, by its id
    'lastAttemptFailed',
    'locale',
    'outcomes',
    'body', // of an emit
    'confirm',
    'converter', // of an event type
    'delaySeconds',
    'deliverAt',
    'field',
    'keepHours',
    'orderingKey',
    'path',
    'retrying',
    'payload',
    'payloadContains',
    'previous',
    'previousBody',
    'previousSecret',
    'previousSecretExpiresAt',
    'scope',
    'secret', // of a new webhook; platform keys alone set it
    'status',
    'statusCodeClass',
    'targetType',
    'timeZone',
    'topics',
    'until',
  ],
  // Texts that people choose.
  ...['reset', ...flat(webhookFields).flatMap(([name, field]) => inputNames(name, field))].filter(
    (one) => one !== 'filter',
  ),
]);

const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));

/** A place among the variables where something of a tenant can stand, such as `input.filter.webhookId`. */
interface Slot {
  path: string[];
  isList: boolean;
  isRequired: boolean;
  of: (known: Known) => readonly unknown[];
}

/** @returns slots, and what stands beside them, by path */
function placesOf({ name, variables }: DashboardDocument): { slots: Slot[]; fixed: [string[], unknown][] } {
  const slots: Slot[] = [];
  const fixed: [string[], unknown][] = [];
  const visit = (type: GraphQLInputType, path: string[], parent: string) => {
    const isRequired = isNonNullType(type);
    const inner = isRequired ? type.ofType : type;
    const field = path.at(-1)!;
    if (isInputObjectType(inner) && !isRequired && (leftOut.has(field) || inner.name === 'EventFilterInput')) {
      return;
    }
    if (isInputObjectType(inner)) {
      for (const { name, type } of Object.values(inner.getFields())) {
        visit(type, [...path, name], inner.name);
      }
      return;
    }
    const value = values[`${parent}.${field}`] ?? values[field];
    if (value === undefined && !leftOut.has(field)) {
      throw new Error(
        `The document ${name} has a variable that the tests do not know: $${path.join('.')} of the type ${type}. ` +
          `Add '${field}' (or '${parent}.${field}', where others of that name are something else) to the values in ` +
          'test/support/variables-of-another.ts: with `of` where it can name something of a tenant, else with `always`, ' +
          'or to those that are left out.',
      );
    }
    if (value === undefined) {
      if (isRequired) {
        throw new Error(`$${path.join('.')} of ${name} is required: it cannot be left out.`);
      }
    } else if ('of' in value) {
      slots.push({ path, isList: isListType(inner), isRequired, of: value.of });
    } else {
      fixed.push([path, value.always]);
    }
  };
  for (const { variable, type } of variables) {
    visit(typeFromAST(schema, type as never) as GraphQLInputType, [variable.name.value], name);
  }
  return { slots, fixed };
}

function put(variables: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [first = '', ...rest] = path;
  if (rest.length === 0) {
    variables[first] = value;
  } else {
    variables[first] ??= {};
    put(variables[first] as Record<string, unknown>, rest, value);
  }
}

/**
 * Variables in which one thing after the other is the other tenant's, and what else is required one's own; then all
 * things at once; and none of them, where none is required.
 */
export function variablesFor(document: DashboardDocument, own: Known, other: Known): Record<string, unknown>[] {
  const { slots, fixed } = placesOf(document);
  const made = (choose: (slot: Slot) => unknown) => {
    const variables: Record<string, unknown> = {};
    for (const [path, value] of fixed) {
      put(variables, path, value);
    }
    for (const slot of slots) {
      const value = choose(slot);
      if (value !== undefined) {
        put(variables, slot.path, slot.isList ? [value] : value);
      }
    }
    return variables;
  };
  const oneByOne = slots.flatMap((slot) =>
    slot.of(other).map((value) => made((any) => (any === slot ? value : any.isRequired ? any.of(own)[0] : undefined))),
  );
  const without = slots.some(({ isRequired }) => isRequired) ? [] : [made(() => undefined)];
  const all = slots.length > 1 ? [made((slot) => slot.of(other)[0])] : [];
  return [...oneByOne, ...all, ...without];
}

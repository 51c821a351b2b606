import { type Api, getPath, post } from '../client.js';
import { dashboardQueries } from './documents.js';

/** Something that a page or a program asks, of a first screen or of a list. */
export interface Question {
  screen: 'first' | 'list';
  /** Such as `console / FailingNow`. */
  name: string;
  /** @returns the answer where it is no good one; null: it is */
  ask(): Promise<string | null>;
}

/** Who asks, and about what. */
export interface Subject {
  /** With a platform key. */
  platform: Api;
  /** With a key of the largest tenant. */
  tenant: Api;
  tenantId: number;
  /** One of its busiest webhooks, an event of it and that event's delivery. */
  webhookId: string;
  eventId: string;
  deliveryId: string;
  /** Webhooks of it that are pinned to a release, and that wait until a key is quiet. */
  pinnedId: string;
  settlingId: string;
  /** A webhook that is called at addresses below its url, and an event that was for it alone, or for it and another. */
  calledId: string;
  targetedId: string;
}

const DAY_MS = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

type Asked = readonly [query: string, variables?: Record<string, unknown>, about?: string];

/** What pages ask: `screen`, the page, who asks, and a query of the dashboard with its variables. */
export const asksOf = (subject: Subject): (readonly [Question['screen'], string, Api, Asked])[] => [
  ...consoleFirst.map((one) => ['first', 'console', subject.platform, one] as const),
  ...portalFirst.map((one) => ['first', 'portal', subject.tenant, one] as const),
  ...consoleLists(subject).map((one) => ['list', 'console', subject.platform, one] as const),
  ...portalLists(subject).map((one) => ['list', 'portal', subject.tenant, one] as const),
];

/** Every first screen and list page of console and portal, and the lists of the REST interface. */
export function questionsOf(subject: Subject): Question[] {
  const queries = dashboardQueries();
  const ofPages = asksOf(subject).map(([screen, page, api, [name, variables, about]]): Question => {
    const query = queries.get(name)!;
    return {
      screen,
      name: `${page} ${name}${about === undefined ? '' : ` (${about})`}`,
      ask: async () => {
        const { statusCode, text } = await post(api, query, variables);
        return statusCode === 200 && errorsIn(text).every((reason) => reason === 'not_found')
          ? null
          : `${statusCode} ${text}`;
      },
    };
  });
  const ofRest = restPaths(subject).map(
    (path): Question => ({ screen: 'list', name: `GET ${path}`, ask: () => getPath(subject.tenant, path) }),
  );
  return [...ofPages, ...ofRest];
}

/** The reasons of the errors. One box asks for a number as that of anything, so most of its parts are not found. */
function errorsIn(text: string): (string | undefined)[] {
  const { errors = [] } = JSON.parse(text) as { errors?: { extensions?: { reason?: string } }[] };
  return errors.map(({ extensions }) => extensions?.reason);
}

const consoleFirst: Asked[] = [
  ['Viewer'],
  ['FirstTenants'],
  ['InstallationNow'],
  ['InstallationAttempts', { since: ago(1), until: null }],
  ['InstallationKept'],
  ['FailingNow'],
];

const portalFirst: Asked[] = [['Viewer'], ['Overview', { since: ago(1), until: null, deliveries: true }]];

const consoleLists = ({ tenantId, webhookId }: Subject): Asked[] => [
  ['Tenants', { filter: null }],
  ['Tenants', { filter: { search: `${tenantId}` } }, 'search'],
  ...['ATTEMPTS', 'FAILURES', 'LATENCY', 'BACKLOG'].map((by): Asked => ['WorstEndpoints', { by, since: ago(1) }, by]),
  ['EventTypes'],
  ['TypeUsage', { name: 'booking.created', since: ago(7) }],
  ['Keys', { filter: { active: true } }],
  ['AuditLog', { filter: null }],
  ['AuditNames', { webhooks: false, tenants: true }],
  ['FindTenants', { text: 'Customer 1', first: 10 }],
  ['WhereIs', { id: webhookId }],
];

const portalLists = ({ webhookId, eventId, deliveryId, ...others }: Subject): Asked[] => [
  ['Endpoints'],
  ['Endpoint', { id: webhookId }],
  ['Endpoint', { id: others.pinnedId }, 'pinned'],
  ['EndpointStats', { id: webhookId, since: ago(7), until: null, eventType: null }],
  ['OrderingKeys', { id: webhookId }],
  ['OrderingKeys', { id: others.settlingId }, 'settling'],
  ['Deliveries', { filter: {} }],
  ...['FAILED', 'PENDING', 'HELD', 'CANCELED', 'SUCCEEDED'].map(
    (status): Asked => ['Deliveries', { filter: { status } }, status],
  ),
  ['Deliveries', { filter: { webhookId } }, 'webhook'],
  ['Deliveries', { filter: { webhookId: others.settlingId } }, 'settling'],
  ['Deliveries', { filter: { webhookId: others.calledId } }, 'called'],
  ['Deliveries', { filter: { eventType: 'voucher.emitted' } }, 'type'],
  ['Deliveries', { filter: { since: ago(5), until: ago(4) } }, 'range'],
  ['DeliveryCounts', { filter: { since: ago(1) } }],
  ['Delivery', { id: deliveryId }],
  ['FilterChoices'],
  ['Targets'],
  ['Events', { filter: {}, deliveries: true }],
  ['Event', { id: eventId }],
  ['FanOut', { id: eventId }],
  ['Event', { id: others.targetedId }, 'targets'],
  ['FanOut', { id: others.targetedId }, 'targets'],
  ['ScheduledEvents', { filter: {} }],
  ['Operations', { filter: null }],
  ['Keys', { filter: { active: true } }],
  ['PortalSessions', { active: false }],
  ['AuditLog', { filter: null }],
  ['AuditNames', { webhooks: true, tenants: false }],
  ['NoticeRecipients'],
  ['EventTypes'],
  ['Subscribers', { name: 'booking.created' }],
  ['Subscriptions'],
  ['TestTargets'],
  ['FindText', { text: 'hooks', search: 'hooks', first: 10 }],
  ['Find', { id: webhookId }],
  ['WhatGoes'],
];

const restPaths = ({ webhookId }: Subject): string[] => [
  '/api/v1/webhooks?limit=100',
  '/api/v1/webhooks?active=false',
  '/api/v1/webhooks?event=booking.created',
  '/api/v1/webhooks?search=hooks',
  `/api/v1/webhooks/${webhookId}`,
];

import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';

/** The bench's requests to the API besides the load: GraphQL, mostly to manage webhooks. */

/** Where the API is, and the key that it asks for. */
export interface Api {
  origin: string;
  apiKey: string;
  /** For which tenant, where the key is a platform key. */
  tenantId?: number;
}

/** The headers of a request to the API. */
export const headersOf = ({ apiKey, tenantId }: Omit<Api, 'origin'>): Record<string, string> => ({
  'content-type': 'application/json',
  authorization: `Bearer ${apiKey}`,
  ...(tenantId === undefined ? {} : { 'hookwright-tenant': `${tenantId}` }),
});

interface Answer {
  query: string;
  statusCode: number;
  retryAfterSeconds: number;
  text: string;
}

type Variables = Readonly<Record<string, unknown>>;

const CREATE_TENANT = 'mutation($input: CreateTenantInput!) { createTenant(input: $input) { tenant { databaseId } } }';
const CREATE_WEBHOOK =
  'mutation($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { databaseId } secret } }';
const ENABLE_WEBHOOK = 'mutation($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { id } } }';
const DELETE_WEBHOOK = 'mutation($input: DeleteWebhookInput!) { deleteWebhook(input: $input) { deletedWebhookId } }';
const REGISTER_EVENT_TYPE =
  'mutation($input: RegisterEventTypeInput!) { registerEventType(input: $input) { eventType { name } } }';
const EMIT_EVENT = 'mutation($input: EmitEventInput!) { emitEvent(input: $input) { event { id } } }';
const PREVIEW_CONTENT =
  'query($input: PreviewContentInput!) { previewContent(input: $input) { samples { matches body } } }';
const RECOVER_WEBHOOK =
  'mutation($input: RecoverWebhookInput!) { recoverWebhook(input: $input) { total bulkOperation { id } } }';

/** Makes a tenant, with a platform key. @returns its id */
export async function createTenant(platform: Api, name: string): Promise<number> {
  const answer = await ask<{ createTenant: { tenant: { databaseId: number } } }>(platform, CREATE_TENANT, {
    input: { name },
  });
  return answer.createTenant.tenant.databaseId;
}

/** Registers an event type, with a platform key. @param type as the mutation takes it */
export async function registerEventType(platform: Api, type: object): Promise<void> {
  await ask(platform, REGISTER_EVENT_TYPE, { input: type });
}

/** An event whose payload is written as JSON. */
export interface WrittenEvent {
  event: string;
  body: string;
}

/** @returns the id of the event */
export async function emitOne(service: Api, event: WrittenEvent): Promise<string> {
  const answer = await ask<{ emitEvent: { event: { id: string } } }>(service, EMIT_EVENT, { input: event });
  return answer.emitEvent.event.id;
}

/** What a webhook with some content would get of an event. */
export interface Preview {
  matches: boolean;
  /** Null: nothing would be sent. */
  body: string | null;
  /** The answer that refuses the content; null: it is allowed. */
  refusal: string | null;
}

export async function previewContent(service: Api, eventId: string, content: object): Promise<Preview> {
  const answer = await postInTime(service, PREVIEW_CONTENT, { input: { eventId, content } });
  if (answer.text.startsWith('{"errors":')) {
    return { matches: false, body: null, refusal: answer.text };
  }
  type Data = { previewContent: { samples: Omit<Preview, 'refusal'>[] } };
  const [sample] = dataIn<Data>(answer).previewContent.samples;
  return { ...sample!, refusal: null };
}

/** Makes a webhook for one type of event. @param ratePerSecond default: none. @param isOrdered by keys, or by keyPath. @param settle seconds until a key is quiet, and the most */
export async function createWebhook(
  service: Api,
  url: string,
  eventType: string,
  {
    ratePerSecond,
    isOrdered = false,
    keyPath,
    settle,
    content,
  }: {
    ratePerSecond?: number | undefined;
    isOrdered?: boolean;
    keyPath?: string | undefined;
    settle?: readonly [quiet: number, most: number] | undefined;
    content?: object | undefined;
  } = {},
): Promise<{ id: number; secret: string }> {
  const { createWebhook: created } = await ask<{
    createWebhook: { webhook: { databaseId: number }; secret: string };
  }>(service, CREATE_WEBHOOK, {
    input: {
      url,
      eventTypes: [eventType],
      ...(ratePerSecond && { delivery: { ratePerSecond } }),
      ...((isOrdered || keyPath !== undefined) && { ordering: { by: 'KEY', keyPath } }),
      ...(settle && {
        ordering: { by: 'KEY', keep: 'LATEST', settleSeconds: settle[0], settleMaxSeconds: settle[1] },
      }),
      ...(content && { content }),
    },
  });
  return { id: created.webhook.databaseId, secret: created.secret };
}

/** Enables a webhook and discards what it holds; an active one is left as it is. */
export async function enableWebhook(service: Api, id: number): Promise<void> {
  await ask(service, ENABLE_WEBHOOK, { input: { id: `${id}`, active: true, held: 'DISCARD' } });
}

export async function deleteWebhook(service: Api, id: number): Promise<void> {
  await ask(service, DELETE_WEBHOOK, { input: { id: `${id}` } });
}

/** Has all deliveries of a webhook sent again that have failed since then. @returns how many there are */
export async function recoverWebhook(service: Api, id: number, since: Date): Promise<number> {
  const input = { id: `${id}`, filter: { since: since.toISOString() } };
  const answer = await ask<{ recoverWebhook: { total: number } }>(service, RECOVER_WEBHOOK, { input });
  return answer.recoverWebhook.total;
}

/** Waits where the service limits how fast management may go. @throws Error with the answer when it is not a good one */
export async function ask<Data>(api: Api, query: string, variables?: Variables): Promise<Data> {
  return dataIn<Data>(await postInTime(api, query, variables));
}

/** Sends a request again while the service limits how fast management may go. */
async function postInTime(api: Api, query: string, variables?: Variables): Promise<Answer> {
  for (;;) {
    const answer = await post(api, query, variables);
    if (answer.statusCode !== 429) {
      return answer;
    }
    await delay(1000 * answer.retryAfterSeconds);
  }
}

/** Sends one request, and takes every answer. */
export async function post({ origin, ...caller }: Api, query: string, variables?: Variables): Promise<Answer> {
  const { statusCode, headers, body } = await request(`${origin}/graphql`, {
    method: 'POST',
    headers: headersOf(caller),
    body: JSON.stringify({ query, variables }),
  });
  const retryAfterSeconds = Number(headers['retry-after'] ?? 1);
  return { query, statusCode, retryAfterSeconds, text: await body.text() };
}

/** Reads a path of the REST interface. @returns the answer where it is no good one; null: it is */
export async function getPath({ origin, ...caller }: Api, path: string): Promise<string | null> {
  const { statusCode, body } = await request(`${origin}${path}`, { headers: headersOf(caller) });
  const text = await body.text();
  return statusCode === 200 ? null : `${statusCode} ${text}`;
}

/** @throws Error with the answer when it is not a good one */
export function dataIn<Data>({ query, statusCode, text }: Answer): Data {
  if (statusCode !== 200 || text.includes('"errors":')) {
    throw new Error(`The service refused ${query}: ${statusCode} ${text}`);
  }
  return (JSON.parse(text) as { data: Data }).data;
}

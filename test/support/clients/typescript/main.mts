/**
 * A program with the client that oazapfts has generated from the OpenAPI document: api.mts, in this folder. It goes
 * through the life of a webhook and prints what it sees, a line each. Arguments: base URL, API key.
 */
import * as api from './api.mjs';

const [, , baseUrl = '', key = ''] = process.argv;
api.defaults.baseUrl = baseUrl;
api.defaults.headers = { authorization: `Bearer ${key}` };

const created = await api.createWebhook({ url: 'https://example.com/hooks', events: ['booking.created'] });
if (created.status !== 201) {
  throw new Error(created.data.detail);
}
const webhook: api.WebhookWithSecret = created.data.data;
const isThere = created.headers.get('location') === `/api/v1/webhooks/${webhook.id}`;
console.log('created', webhook.events.join(), webhook.secret.length > 40, isThere);

const page = await api.listWebhooks({ limit: 1, active: true, event: 'a.type_registered_later' });
console.log('refused', page.status === 422 && page.data.errors?.[0]?.code);

const list = await api.listWebhooks({ limit: 1, active: true });
if (list.status === 200) {
  const { data, meta } = list.data;
  console.log('listed', data.length, data[0]?.last_success_at === null, meta.next_cursor === null);
}

const tested = await api.testWebhook(webhook.id);
if (tested.status === 202) {
  const { event, id, webhook_id } = tested.data.data;
  console.log('tested', event, id > 2 ** 32, webhook_id === webhook.id);
}

const paused = await api.updateWebhook(webhook.id, { active: false });
if (paused.status === 200) {
  const { active, disabled_at } = paused.data.data;
  console.log('paused', active, new Date(disabled_at ?? 0).getFullYear() > 2000);
}

const deleted = await api.deleteWebhook(webhook.id);
const gone = await api.getWebhook(webhook.id);
console.log('deleted', deleted.status, gone.status === 404 && gone.data.code);

/** None of these is right, and the compiler says so. */
export const wrong = [
  // @ts-expect-error events is missing
  () => api.createWebhook({ url: 'https://example.com/' }),
  // @ts-expect-error an id is a number
  () => api.getWebhook('1'),
  // @ts-expect-error there is no such field to change
  () => api.updateWebhook(1, { secret: 'x' }),
  // @ts-expect-error it may be null
  (one: api.Webhook) => one.last_success_at.length,
  // @ts-expect-error only the answer to createWebhook has it
  (one: api.Webhook) => one.secret,
];

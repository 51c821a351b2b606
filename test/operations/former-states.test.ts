import { afterAll, expect, test } from 'vitest';
import { loadDeliveries } from '../../src/operations/attempts/load-deliveries.js';
import { makeTenant } from '../support/factories.js';
import { dataOf, GraphqlApi } from '../support/graphql-api.js';
import { numberIn } from '../support/ids.js';

/** Whose deliveries bring the state before a change: those whose content asks for it, and no others. */

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
afterAll(() => api.close());

const template = (value: string) => ({ format: 'TEMPLATE', template: { a: ['x', value] } });
const shape = (fields: string) => ({ shape: `subscription { event { ${fields} } }` });
const previous = { code: 'before' };

test.each<[asks: boolean, content: object]>([
  [false, { format: 'SLACK' }],
  [false, { format: 'SLACK', text: 'previous and changed: {{previous}} {{code}}' }],
  [true, { format: 'SLACK', text: 'was {{ @previous.code }}' }],
  [true, { format: 'DISCORD', text: '{{@changed}}' }],
  [false, template('{{code}} \\{{previous}}')],
  [true, template('{{@previous}}')],
  [true, template('now {{@changed}}')],
  [false, shape('id payload ... on CouponApplied { code }')],
  [true, shape('changes { added }')],
  [true, shape('... on CouponApplied { previous { code } }')],
  [true, { ...shape('id'), ...template('{{@changed}}') }],
  [true, { format: 'CLOUDEVENTS_BINARY' }],
  [true, { format: 'CLOUDEVENTS_STRUCTURED' }],
])('asks %s: %j', async (asks, content) => {
  const input = { url: 'https://receiver.example.com/', eventTypes: ['coupon.applied'], content };
  const { webhook } = dataOf(await api.by(tenant).mutate('createWebhook', input, 'webhook { id }')).createWebhook;
  const bringing = async (state: object) => {
    const emit = { eventType: 'coupon.applied', payload: { code: 'now', discount_type: 'percent' }, ...state };
    const { event } = dataOf(await api.by(tenant).mutate('emitEvent', emit, 'event { id }')).emitEvent;
    const found = await api.owner.query(
      'select id from hookwright.deliveries where event_id = $1 and webhook_id = $2',
      [numberIn(event.id), numberIn(webhook.id)],
    );
    const id = Number(found.rows[0].id);
    const [loaded] = await loadDeliveries(api.owner, [{ id, attempt: 1 }]);
    return (loaded as { content: { previous: string | null } }).content.previous;
  };
  expect(await bringing({ previous })).toBe(asks ? JSON.stringify(previous) : null);
  expect(await bringing({})).toBeNull();
});

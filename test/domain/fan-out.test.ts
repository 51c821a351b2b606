import { describe, expect, test } from 'vitest';
import { whyNoDelivery } from '../../src/domain/events/fan-out.js';

const event = {
  eventType: 'coupon.applied',
  createdAt: new Date('2026-01-31T12:00:00Z'),
  forOneWebhook: false,
  targets: null as readonly number[] | null,
  aboutWebhookId: null,
  beyondRetention: false,
};
const webhook = {
  id: 7,
  createdAt: new Date('2026-01-01T00:00:00Z'),
  eventTypes: ['coupon.applied'],
  active: true,
  callback: false,
  eventTypesBefore: null,
  activeBefore: null,
};

describe('why an event has no delivery to a webhook', () => {
  test.each([
    ['CREATED_LATER', {}, { createdAt: new Date('2026-01-31T12:00:00.001Z') }],
    ['UNKNOWN', {}, { createdAt: event.createdAt }],
    ['NOT_SUBSCRIBED', {}, { eventTypes: ['booking.created'] }],
    ['NOT_SUBSCRIBED', {}, { eventTypes: ['*'], eventTypesBefore: ['booking.created'] }],
    ['UNKNOWN', {}, { eventTypes: ['booking.created'], eventTypesBefore: ['*'] }],
    ['INACTIVE', {}, { active: false }],
    ['INACTIVE', {}, { active: true, activeBefore: false }],
    ['UNKNOWN', {}, { active: false, activeBefore: true }],
    ['NOT_SUBSCRIBED', {}, { active: false, eventTypes: [] }],
    ['FOR_ANOTHER_WEBHOOK', { forOneWebhook: true }, {}],
    ['FOR_ANOTHER_WEBHOOK', { forOneWebhook: true }, { eventTypes: ['booking.created'], active: false }],
    ['NOT_SUBSCRIBED', { eventType: 'webhook.test' }, {}],
    ['ABOUT_THIS_WEBHOOK', { aboutWebhookId: 7 }, {}],
    ['UNKNOWN', { aboutWebhookId: 8 }, {}],
    ['NOT_SUBSCRIBED', { eventType: 'webhook.disabled', aboutWebhookId: 8 }, {}],
    ['CREATED_LATER', { forOneWebhook: true }, { createdAt: new Date('2026-02-01T00:00:00Z') }],
    ['NO_LONGER_KEPT', { beyondRetention: true }, {}],
    ['NO_LONGER_KEPT', { beyondRetention: true }, { active: false }],
    ['NO_LONGER_KEPT', { beyondRetention: true, forOneWebhook: true }, {}],
    ['NOT_SUBSCRIBED', { beyondRetention: true }, { eventTypes: [] }],
    ['ABOUT_THIS_WEBHOOK', { beyondRetention: true, aboutWebhookId: 7 }, {}],
    ['FOR_ANOTHER_WEBHOOK', { targets: [8] }, {}],
    ['UNKNOWN', { targets: [7, 8] }, { callback: true }],
    ['NEEDS_A_PATH', {}, { callback: true }],
    ['UNKNOWN', {}, {}],
  ])('is %s for the event %j and the webhook %j', (reason, facts, history) => {
    expect(whyNoDelivery({ ...event, ...facts }, { ...webhook, ...history })).toBe(reason);
  });
});

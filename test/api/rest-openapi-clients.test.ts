import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { registerEventType } from '../../src/operations/event-types/register-event-type.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { expectFits, type Json } from '../support/openapi-document.js';
import { complaintsAbout } from '../support/openapi-rules.js';
import { RestApi } from '../support/rest-api.js';

let api: RestApi;
let document: Json;
const schema = { type: 'object', properties: { a: { type: 'string' } } };
const readDocument = async () => (await api.ask('GET /openapi.json', { key: null })).body;

beforeAll(async () => {
  api = await RestApi.open();
  for (const name of ['order.paid_v2', 'order_paid.v2']) {
    await registerEventType(api.services.db, { name, description: 'An order.', schema }, commandLine);
  }
  document = await readDocument();
});
afterAll(() => api[Symbol.asyncDispose]());

describe('for generators of clients, the OpenAPI document', () => {
  test('breaks no rule: names, integers, errors, descriptions', () => {
    expect(complaintsAbout(document)).toEqual([]);
  });

  test.each<[string, (copy: Json) => void, string]>([
    [
      'a name with New',
      ({ components: { schemas } }) => Object.assign(schemas, { NewWebhook: schemas.WebhookInput }),
      'NewWebhook is the name of two things',
    ],
    [
      'an id without int64',
      ({ components: { schemas } }) => delete schemas.Webhook.properties.id.format,
      'an integer without the right format',
    ],
    [
      'an operation named like another one',
      ({ paths }) => Object.assign(paths['/webhooks'].get, { operationId: 'create_webhook' }),
      'CreateWebhook is the name of two things',
    ],
    [
      'an error that is no problem',
      ({ components: { responses } }) => Object.assign(responses.NotFound, { content: {} }),
      'getWebhook: 404 is no problem',
    ],
    [
      'a field without a description',
      ({ components: { schemas } }) => delete schemas.Webhook.properties.active.description,
      'Webhook.active has no description',
    ],
  ])('and the rules complain of %s', (_name, spoil, complaint) => {
    const copy = structuredClone(document);
    spoil(copy);
    expect(complaintsAbout(copy)).toEqual(expect.arrayContaining([expect.stringContaining(complaint)]));
  });

  test('says whose it is and under which license', () => {
    expect(document.info).toMatchObject({
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The Hookwright authors' },
    });
  });

  test('has ids of 64 bits, which end where JavaScript counts no further', () => {
    const { Webhook, TestDelivery } = document.components.schemas;
    const bounds = { type: 'integer', format: 'int64', maximum: 2 ** 53 - 1 };
    expect(Webhook.properties.id).toMatchObject({ ...bounds, minimum: 1 });
    expect(Webhook.properties.consecutive_failures).toMatchObject({ ...bounds, minimum: 0 });
    expect(TestDelivery.properties.id).toMatchObject({ ...bounds, minimum: 1 });
    expect(document.components.parameters.WebhookId.schema).toMatchObject({ ...bounds, minimum: 1 });
  });

  test('names what may be null by its type, for want of unions in Go', () => {
    expect(document.components.schemas.Webhook.properties.disabled_at).toMatchObject({
      type: ['string', 'null'],
      format: 'date-time',
    });
  });

  test('keeps the operationId of an event, whatever is registered after it', () => {
    const ids = ['booking.created', 'order.paid_v2', 'order_paid.v2'].map(
      (name) => document.webhooks[name].post.operationId,
    );
    expect(ids).toEqual(['receiveBookingCreated', 'receiveOrderPaidV2', 'receiveOrderPaidV2_2']);
  });
});

describe('the names of events in it', () => {
  const knownIn = (of: Json, name: string) => of.components.schemas[name]['x-extensible-enum'];

  test('are those of the contract, those of the service and those registered', () => {
    const contract = ['booking.created', 'booking.canceled', 'voucher.emitted', 'coupon.applied', 'webhook.test'];
    const known = knownIn(document, 'EventName');
    expect(known).toEqual(expect.arrayContaining([...contract, 'webhook.disabled', 'order.paid_v2']));
    expect(known.toSorted()).toEqual(Object.keys(document.webhooks).sort());
    expect(knownIn(document, 'SubscribedEvent')).toEqual(['*', ...known]);
  });

  test('may be others: a client that was made before a type was registered does not refuse it', async () => {
    const before = document.components.schemas;
    await registerEventType(api.services.db, { name: 'made.later', description: 'A thing.', schema }, commandLine);
    api.services.eventTypes.forget();
    expect(knownIn(await readDocument(), 'EventName')).toContain('made.later');
    const { id } = await api.webhook({ url: 'https://example.com/', events: ['made.later'] });
    const { body } = await api.ask(`GET /webhooks/${id}`);
    expectFits(document, before.WebhookResult, body);
  });

  test('are nothing else', () => {
    const { EventName, SubscribedEvent } = document.components.schemas;
    expect(() => expectFits(document, EventName, 'Booking Created')).toThrow();
    expect(() => expectFits(document, EventName, '*')).toThrow();
    expect(() => expectFits(document, SubscribedEvent, '**')).toThrow();
    expectFits(document, SubscribedEvent, '*');
  });

  test('answers may have fields that a later version adds, and requests have no others', () => {
    const { Webhook, WebhookInput } = document.components.schemas;
    expectFits(document, Webhook, { ...Webhook.examples[0], added_later: 1 });
    expect(() => expectFits(document, WebhookInput, { ...WebhookInput.examples[0], other: 1 })).toThrow();
  });
});

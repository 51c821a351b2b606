import { afterAll, describe, expect, test, vi } from 'vitest';
import { walkSchemas } from '../../src/domain/schema-rules/subschemas.js';
import { hideEventType, registerEventType } from '../../src/operations/event-types/register-event-type.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { expectFits, type Json, resolveIn } from '../support/openapi-document.js';
import { RestApi } from '../support/rest-api.js';

const address = { type: 'object', properties: { street: { type: 'string' } }, required: ['street'] };
/** Looks like a reference, and is data. */
const data = { $ref: '#/$defs/addr', $schema: 'x' };
const schemas: Record<string, Record<string, unknown>> = {
  'ship.ped': {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      from: { $ref: '#/$defs/addr' },
      to: { $ref: '#/$defs/home' },
      odd: { $ref: '#/$defs/a.b-1' },
      $ref: { type: 'string' },
      stops: { type: 'array', items: { anyOf: [{ $ref: '#/$defs/addr' }, { $ref: '#/$defs/gate' }] } },
    },
    required: ['from', 'to', 'odd'],
    $defs: {
      addr: address,
      home: { $ref: '#/$defs/addr' },
      'a.b-1': { type: 'integer', minimum: 7 },
      gate: { default: data },
    },
  },
  'data.like': {
    type: 'object',
    properties: { b: { default: data, examples: [data] }, c: { 'x-note': data } },
  },
  'length.least': { type: 'object', properties: { a: { type: 'string', minLength: 9 } }, required: ['a'] },
  'none.found': {
    type: 'object',
    properties: { a: { type: 'string', pattern: '^[0-9]{4}$' } },
    required: ['a'],
  },
};

const api = await RestApi.open();
for (const [name, schema] of Object.entries(schemas)) {
  await registerEventType(api.services.db, { name, description: 'A thing.', schema }, commandLine);
}
const document: Json = (await api.ask('GET /openapi.json', { key: null })).body;
afterAll(() => api[Symbol.asyncDispose]());

const contentOf = (name: string): Json => document.webhooks[name].post.requestBody.content['application/json'];

describe('the schema of a registered event type in the OpenAPI document', () => {
  test('refers to its own definitions, from the root of the document', () => {
    const references: string[] = [];
    for (const name of Object.keys(document.webhooks)) {
      walkSchemas(contentOf(name).schema, ({ $ref }) => {
        if ($ref !== undefined) {
          references.push(String($ref));
        }
      });
    }
    expect(references).toHaveLength(6);
    expect(references[0]).toBe('#/webhooks/ship.ped/post/requestBody/content/application~1json/schema/$defs/addr');
    for (const reference of references) {
      expect(resolveIn(document, reference), reference).toBeTypeOf('object');
    }
    const { odd, to } = contentOf('ship.ped').schema.properties;
    expect(resolveIn(document, odd.$ref)).toEqual({ type: 'integer', minimum: 7 });
    expect(resolveIn(document, resolveIn(document, to.$ref).$ref)).toEqual(address);
  });

  test('leaves data alone that looks like a reference', () => {
    expect(contentOf('data.like').schema).toEqual(schemas['data.like']);
    expect(contentOf('ship.ped').schema.$defs.gate).toEqual({ default: data });
  });

  test('has the stored sample as its example, which fits it, and none where none was found', async () => {
    for (const type of await api.services.eventTypes.all()) {
      const { schema, example } = contentOf(type.name);
      if (type.name in schemas) {
        expect(example, type.name).toEqual(type.samplePayload === null ? undefined : JSON.parse(type.samplePayload));
      }
      if (type.name !== 'none.found') {
        expectFits(document, schema, example);
      }
    }
    expect(contentOf('length.least').example).toEqual({ a: 'xxxxxtext' });
    expect(contentOf('none.found')).not.toHaveProperty('example');
    expect(contentOf('ship.ped').example).toMatchObject({ odd: 7, to: { street: 'text' } });
  });

  test('of the contract has an example with a text of its own for each field', () => {
    expect(contentOf('coupon.applied').example).toEqual({ code: 'SUMMER', discount_type: 'percent' });
  });
});

describe('the text of the document', () => {
  const ask = (headers = {}) => api.ask('GET /openapi.json', { key: null, headers });
  /** The schemas that are read: all of them whenever the document is made. */
  async function schemasReadBy(asking: () => Promise<unknown>): Promise<number> {
    const parse = vi.spyOn(JSON, 'parse');
    await asking();
    const read = parse.mock.calls.filter(([text]) => String(text).includes('"minLength":9'));
    parse.mockRestore();
    return read.length;
  }

  test('is made once for all requests, until an event type changes', async () => {
    const asking = () => api.server.inject('/api/v1/openapi.json');
    await asking();
    api.services.eventTypes.forget(); // read again, and nothing has changed
    expect(await schemasReadBy(asking)).toBe(0);
    const schema = { type: 'object', properties: { a: { type: 'boolean' } } };
    await registerEventType(api.services.db, { name: 'made.later', description: 'A thing.', schema }, commandLine);
    api.services.eventTypes.forget();
    expect(await schemasReadBy(asking)).toBeGreaterThan(0);
    expect((await ask()).body.webhooks).toHaveProperty(['made.later']);
  });

  test('is not sent again to who has it', async () => {
    const { status, headers, text } = await ask();
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    const again = await ask({ 'if-none-match': headers['etag'] });
    expect([status, again.status, again.text]).toEqual([200, 304, '']);
    expect((await ask({ 'if-none-match': `"another", W/${headers['etag']}` })).status).toBe(304);
    expect((await ask({ 'if-none-match': '"another"' })).text).toBe(text);
  });
});

test('hidden types are in the OpenAPI document only while a webhook names them', async () => {
  const own = await RestApi.open();
  try {
    const { db } = own.services;
    const offered = async () => {
      own.services.eventTypes.forget();
      const { body } = await own.ask('GET /openapi.json', { key: null });
      return Object.keys(body.webhooks);
    };
    expect(await offered()).toContain('booking.created');
    await own.ask('POST /webhooks', {
      json: { url: 'https://a.example.com/', events: ['voucher.emitted', 'coupon.applied'] },
    });
    for (const name of ['booking.created', 'voucher.emitted']) {
      await hideEventType(db, { name, hidden: true }, commandLine);
    }
    expect(await offered()).toContain('voucher.emitted');
    expect(await offered()).not.toContain('booking.created');
    const { status } = await own.ask('POST /webhooks', {
      json: { url: 'https://b.example.com/', events: ['booking.created'] },
    });
    expect(status).toBe(201);
  } finally {
    await own[Symbol.asyncDispose]();
  }
});

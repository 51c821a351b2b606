import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readOpenApi } from '../../src/cli/developer/types/openapi.js';
import { pushTypes } from '../../src/cli/developer/types/push.js';
import { ApiOverSockets } from '../support/api-over-sockets.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { makeKey } from '../support/factories.js';

const folder = mkdtempSync(join(tmpdir(), 'hookwright-openapi-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function write(text: string): string {
  files += 1;
  const file = join(folder, `openapi-${files}.yaml`);
  writeFileSync(file, text);
  return file;
}

/** A document with one webhook and this schema of its payload, as YAML or JSON. */
const withSchema = (schema: unknown, more: object = {}, openapi = '3.1.0') =>
  write(
    JSON.stringify({
      openapi,
      [openapi.startsWith('3.0') ? 'x-webhooks' : 'webhooks']: {
        'order.paid': {
          post: { summary: 'An order was paid.', requestBody: { content: { 'application/json': { schema } } } },
        },
      },
      ...more,
    }),
  );
const schemaOf = (file: string) => {
  const { types, refused } = readOpenApi(file);
  expect(refused).toEqual([]);
  return types[0]!.schema;
};

const SHOP = `
openapi: 3.1.0
info: { title: Shop, version: "1" }
webhooks:
  order.paid:
    post:
      summary: An order was paid.
      requestBody: { $ref: "#/components/requestBodies/Paid" }
  order.sent: { $ref: "#/components/pathItems/Sent" }
  orderLost:
    post:
      summary: An order was lost.
      requestBody: { content: { application/json: { schema: { type: object } } } }
  order.moved:
    post:
      requestBody: { content: { application/json: { schema: { type: object } } } }
  order.split:
    post:
      summary: An order was split.
      requestBody: { content: { application/json: { schema: { $ref: "parts.yaml#/Split" } } } }
  order.grown:
    post:
      summary: An order has grown.
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Tree" } } } }
  webhook.mine:
    post:
      summary: It has a name of the service.
      requestBody: { content: { application/json: { schema: { type: object } } } }
components:
  pathItems:
    Sent:
      post:
        description: An order was sent.
        requestBody:
          content:
            application/json; charset=utf-8:
              schema: { $ref: "#/components/schemas/Order" }
  requestBodies:
    Paid:
      content:
        application/json:
          schema: { $ref: "#/components/schemas/Order" }
          examples:
            small: { $ref: "#/components/examples/Small" }
  examples:
    Small: { value: { id: "42", total: { amount: 5, currency: EUR } } }
  schemas:
    Order:
      type: object
      required: [id]
      properties:
        id: { type: string, pattern: "^[0-9]+$" }
        total: { $ref: "#/components/schemas/Money" }
        refund: { $ref: "#/components/schemas/Money" }
    Money:
      type: object
      properties: { amount: { type: number }, currency: { $ref: "#/components/schemas/Currency" } }
    Currency: { type: string, enum: [EUR, USD] }
    Tree: { type: object, properties: { child: { $ref: "#/components/schemas/Tree" } } }
`;

test('webhooks of an OpenAPI document are event types, with what they refer to and an example', () => {
  const { types } = readOpenApi(write(SHOP));
  const money = { type: 'object', properties: { amount: { type: 'number' }, currency: { $ref: '#/$defs/Currency' } } };
  const order = {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'string', pattern: '^[0-9]+$' },
      total: { $ref: '#/$defs/Money' },
      refund: { $ref: '#/$defs/Money' },
    },
    $defs: { Money: money, Currency: { type: 'string', enum: ['EUR', 'USD'] } },
  };
  const example = { id: '42', total: { amount: 5, currency: 'EUR' } };
  expect(types).toEqual([
    { name: 'order.paid', description: 'An order was paid.', schema: { ...order, examples: [example] } },
    { name: 'order.sent', description: 'An order was sent.', schema: order },
  ]);
});

test('each webhook that cannot be an event type is named with the reason', () => {
  expect(readOpenApi(write(SHOP)).refused).toEqual([
    'orderLost: the name is not the name of an event type, such as order.paid',
    'order.moved: needs a "description" of 1 to 1,000 characters, which says when the event is emitted',
    'order.split: refers to parts.yaml#/Split, and only this document is read',
    'order.grown: $defs.Tree refers to itself, directly or through others: a schema must not be recursive',
    'webhook.mine: the name is one of the service itself, such as order.paid',
  ]);
});

test('words of OpenAPI 3.0 become those of JSON Schema', () => {
  const schema = {
    properties: {
      note: { type: 'string', nullable: true, enum: ['a'], example: 'a' },
      owner: { nullable: true, allOf: [{ $ref: '#/components/schemas/Owner' }] },
      amount: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
      // A field may be called as a rule is.
      nullable: { type: 'boolean' },
    },
    example: { amount: 1 },
  };
  const components = { schemas: { Owner: { type: 'object' } } };
  expect(schemaOf(withSchema(schema, { components }, '3.0.3'))).toEqual({
    type: 'object',
    properties: {
      note: { type: ['string', 'null'], enum: ['a', null], examples: ['a'] },
      owner: { anyOf: [{ allOf: [{ $ref: '#/$defs/Owner' }] }, { type: 'null' }] },
      amount: { type: 'number', exclusiveMinimum: 0, maximum: 9 },
      nullable: { type: 'boolean' },
    },
    examples: [{ amount: 1 }],
    $defs: { Owner: { type: 'object' } },
  });
});

test('two parts with one name both come along, and a pointer may lead anywhere in the document', () => {
  const components = {
    schemas: {
      Id: { type: 'string' },
      'a/b': { type: 'object', properties: { Id: { type: 'number' } } },
    },
  };
  const properties = {
    one: { $ref: '#/components/schemas/Id' },
    two: { $ref: '#/components/schemas/a~1b/properties/Id' },
    three: { $ref: '#/components/schemas/Id' },
  };
  expect(schemaOf(withSchema({ type: 'object', properties }, { components }))).toEqual({
    type: 'object',
    properties: {
      one: { $ref: '#/$defs/Id' },
      two: { $ref: '#/$defs/Id_2' },
      three: { $ref: '#/$defs/Id' },
    },
    $defs: { Id: { type: 'string' }, Id_2: { type: 'number' } },
  });
});

test.each([
  ['a file of another kind', 'type: object', /is not an OpenAPI document of version 3/],
  ['Swagger 2', 'swagger: "2.0"', /is not an OpenAPI document of version 3/],
  [
    'one with a key twice',
    'openapi: 3.1.0\nwebhooks:\n  order.paid: {}\n  "order.paid": {}',
    /cannot be read as YAML or JSON: line 4 has the key "order.paid" a second time in one object/,
  ],
  ['no YAML', 'openapi: [', /cannot be read as YAML or JSON/],
  ['a document without webhooks', 'openapi: 3.1.0\npaths: {}', /has no webhooks/],
  ['one that contains itself', 'openapi: 3.1.0\nwebhooks: &a { order.paid: *a }', /contains itself|cannot be read/],
  [
    'one that grows without an end',
    `openapi: 3.1.0\nx: &a [1,1,1,1,1,1,1,1,1,1]\n${[...'bcdefg']
      .map((name, at) => `${name}: &${name} [${Array(10).fill(`*${'abcdef'[at]}`).join()}]`)
      .join('\n')}`,
    /cannot be read as YAML or JSON/,
  ],
])('%s is refused with a sentence', (_, text, sentence) => {
  expect(() => readOpenApi(write(text))).toThrow(sentence);
});

test.each([
  [{ $ref: '#/components/schemas/None' }, /the document has no such schema/],
  [{ $ref: 'https://example.com/a.json' }, /only this document is read/],
  [{ type: 'object', properties: { a: { $ref: 7 } } }, /refers to 7/],
  [{ $ref: '#/components/schemas/Loop' }, /leads to itself/],
  [{ type: 'array' }, /must be "object"/],
  [{ type: 'object', unevaluatedProperties: false }, /is not supported/],
])('a schema such as %j is refused, and the others are read', (schema, reason) => {
  const components = { schemas: { Loop: { $ref: '#/components/schemas/Loop' } } };
  const { types, refused } = readOpenApi(withSchema(schema, { components }));
  expect(types).toEqual([]);
  expect(refused).toEqual([expect.stringMatching(reason)]);
});

let stack: DeliveryStack;
let api: ApiOverSockets;
beforeAll(async () => {
  stack = await DeliveryStack.open();
  api = await ApiOverSockets.open(stack.services, stack.tenantId);
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

test('types push registers those of a document, lists what is refused, and exits with 1 for it', async () => {
  const { key } = await makeKey(stack.services, null, ['platform:admin']);
  let said = '';
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    said += text;
    return true;
  });
  const before = process.exitCode;
  try {
    await pushTypes(write(SHOP), { url: `http://127.0.0.1:${api.port}`, key, yes: true });
    expect(process.exitCode).toBe(1);
  } finally {
    out.mockRestore();
    process.exitCode = before;
  }
  expect(said).toContain('refused: order.split: refers to parts.yaml#/Split');
  expect(said).toContain('order.sent is registered.');
  const types = await stack.rows<{ name: string; sample: string }>(
    `select name, sample_payload as sample from hookwright.event_types where name like 'order.%' order by 1`,
  );
  expect(types.map(({ name }) => name)).toEqual(['order.paid', 'order.sent']);
  expect(JSON.parse(types[0]!.sample)).toEqual({ id: '42', total: { amount: 5, currency: 'EUR' } });
});

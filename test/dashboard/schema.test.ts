import { expect, test } from 'vitest';
import { schemaDiff } from '../../dashboard/parts/schema/schema-diff.js';
import { propertiesOf, skeletonOf } from '../../dashboard/parts/schema/schema-properties.js';

const order = {
  type: 'object',
  required: ['id', 'lines'],
  properties: {
    id: { type: 'string', maxLength: 20, description: 'The number of the order.' },
    paidAt: { type: ['string', 'null'], format: 'date-time' },
    lines: { type: 'array', minItems: 1, items: { $ref: '#/$defs/line' } },
  },
  $defs: {
    line: {
      type: 'object',
      required: ['sku'],
      properties: { sku: { type: 'string' }, state: { enum: ['new', 'sent'] } },
    },
  },
};

const lines = (schema: object) =>
  propertiesOf(schema as Record<string, unknown>).map(
    ({ path, type, required, rules }) => `${path}${required ? '!' : ''} ${type} [${rules.join('; ')}]`,
  );

test('properties are listed with their type and rules, nested ones below their parents', () => {
  expect(lines(order)).toEqual([
    'id! string [length ≤ 20]',
    'paidAt string or null [date-time]',
    'lines! array of object [items ≥ 1]',
    'lines[].sku! string []',
    'lines[].state string ["new", "sent"]',
  ]);
  expect(propertiesOf(order)[0]?.description).toBe('The number of the order.');
});

test('a property is required only where every alternative needs it', () => {
  const schema = {
    allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }],
    oneOf: [
      { properties: { card: { type: 'string' } }, required: ['card'] },
      { properties: { bank: { type: 'string' } }, required: ['bank'] },
    ],
    additionalProperties: { type: 'integer' },
  };
  expect(lines(schema)).toEqual(['a! string []', 'card string []', 'bank string []', '* integer []']);
});

test('names of a payload that objects have by nature are properties like others', () => {
  const schema = JSON.parse('{"properties":{"constructor":{"type":"string"},"x":{"$ref":"#/$defs/toString"}}}');
  expect(lines(schema)).toEqual(['constructor string []', 'x any []']);
});

test('a schema that leads back to itself ends at a bounded depth', () => {
  const schema = { properties: { child: { $ref: '#' } } };
  expect(lines(schema).length).toBeLessThan(20);
});

test('a wide schema ends at a bounded number of lines', () => {
  const properties = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`p${at}`, {}]));
  expect(lines({ properties })).toHaveLength(500);
});

test('lists in lists reach the objects within', () => {
  const schema = {
    properties: { grid: { type: 'array', items: { type: 'array', items: { properties: { x: {} } } } } },
  };
  expect(lines(schema)).toEqual(['grid array of array of any []', 'grid[][].x any []']);
});

test('two versions differ by what was removed, changed and added', () => {
  const later = {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'string', maxLength: 40, description: 'Other words change nothing.' },
      paidAt: { type: ['string', 'null'], format: 'date-time', description: 'When it was paid.' },
      total: { type: 'number' },
      lines: order.properties.lines,
    },
    $defs: { line: { type: 'object', properties: { sku: { type: 'string' } } } },
  };
  const said = schemaDiff(order, later).map((change) =>
    change.kind === 'CHANGED'
      ? `${change.property.path}: ${change.before} → ${change.after}`
      : `${change.kind} ${change.property.path}`,
  );
  expect(said).toEqual([
    'REMOVED lines[].state',
    'id: string, required, length ≤ 20 → string, required, length ≤ 40',
    'lines: array of object, required, items ≥ 1 → array of object, optional, items ≥ 1',
    'lines[].sku: string, required → string, optional',
    'ADDED total',
  ]);
});

test('where no sample is known, a payload begins with what the schema requires', () => {
  const schema = {
    type: 'object',
    required: ['id', 'total', 'paid'],
    properties: {
      id: { type: 'string', pattern: '^[A-Z]{6}$' },
      total: { $ref: '#/$defs/money' },
      paid: { type: ['boolean', 'null'] },
      note: { type: 'string' },
    },
    $defs: {
      money: {
        required: ['amount', 'currency'],
        properties: { amount: { type: 'integer' }, currency: { enum: ['EUR', 'CHF'] } },
      },
    },
  };
  expect(skeletonOf(schema)).toEqual({ id: '', total: { amount: 0, currency: 'EUR' }, paid: false });
  expect(skeletonOf({})).toEqual({});
});

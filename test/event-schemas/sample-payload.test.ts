import { describe, expect, test } from 'vitest';
import { samplePayload } from '../../src/domain/schema-rules/sample-payload.js';
import { compileEventSchema } from '../../src/platform/payload-checks/payload-check.js';
import { schemaIssues } from '../../src/platform/payload-checks/schema-issues.js';
import { payloadSchema } from '../support/payload-schema.js';
import { fc } from '../support/properties.js';

type Schema = Record<string, unknown>;
const sampleOf = (schema: Schema) => samplePayload(schema, compileEventSchema(JSON.stringify(schema)));
const object = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest });

describe('a sample', () => {
  test('is found for every schema of the supported keywords, and the schema accepts it', {
    timeout: 120_000,
  }, () => {
    fc.assert(
      fc.property(payloadSchema, (whole) => {
        fc.pre(schemaIssues(whole).length === 0);
        const sample = sampleOf(whole);
        expect(sample, JSON.stringify(whole)).not.toBeNull();
        expect(compileEventSchema(JSON.stringify(whole))(sample)).toBe(true);
      }),
    );
  });

  test('shows what the schema shows, and what is optional too', () => {
    const schema = object({
      fixed: { const: 'a' },
      shown: { type: 'string', examples: ['b'], default: 'no', enum: ['no', 'b'] },
      usual: { type: 'string', default: 'c' },
      one: { enum: ['d', 'e'] },
      at: { type: 'string', format: 'date-time' },
      count: { type: 'integer', minimum: 5 },
    });
    expect(sampleOf(schema)).toEqual({
      fixed: 'a',
      shown: 'b',
      usual: 'c',
      one: 'd',
      at: '2026-01-31T09:30:00+00:00',
      count: 5,
    });
  });

  test('follows references, and everything that must hold at once', () => {
    const schema = {
      ...object({ who: { $ref: '#/$defs/person' } }),
      allOf: [
        { minProperties: 2 },
        { required: ['who', 'size'], properties: { size: { type: 'integer', minimum: 3 } } },
      ],
      $defs: { person: object({ name: { type: 'string', minLength: 6 } }, { required: ['name'] }) },
    };
    expect(sampleOf(schema)).toEqual({ who: { name: 'xxtext' }, size: 3 });
  });

  test('has prices in whole cents, and other numbers within their bounds', () => {
    const price = { type: 'number', multipleOf: 0.01 };
    const schema = object({
      price: { ...price, exclusiveMinimum: 4.34 },
      most: { ...price, minimum: 0.29, maximum: 0.295 },
      whole: { ...price, type: 'integer', minimum: 7 },
      tens: { type: 'array', minItems: 3, items: { type: 'integer', minimum: 10, maximum: 10 } },
      low: { type: 'number', exclusiveMaximum: 1, multipleOf: 0.25 },
      large: { type: 'integer', minimum: 9_007_199_254_740_991 },
    });
    expect(sampleOf(schema)).toEqual({
      price: 4.35,
      most: 0.29,
      whole: 7,
      tens: [10, 10, 10],
      low: 0.75,
      large: 9_007_199_254_740_991,
    });
  });

  test('tries other branches when the first one cannot be', () => {
    const schema = object(
      { a: { type: 'string' } },
      { required: ['a'], oneOf: [{ maxProperties: 0 }, { minProperties: 1 }] },
    );
    expect(sampleOf(schema)).toEqual({ a: 'text' });
  });

  test.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty'])('may have a field called %s', (name) => {
    const inner = object({ [name]: { type: 'string' } }, { required: [name] });
    const schema = { ...object({ [name]: inner, a: { $ref: '#/$defs/a' } }), $defs: { a: inner } };
    const text = JSON.parse(`{"${name}":"text"}`);
    expect(sampleOf(schema)).toEqual({ [name]: text, a: text });
    expect(sampleOf(object({}, { required: [name] }))).toEqual(JSON.parse(`{"${name}":"text"}`));
  });

  test('may have a field called __proto__', () => {
    const sample = sampleOf(object({}, { required: ['__proto__'] }));
    expect(JSON.stringify(sample)).toBe('{"__proto__":"text"}');
  });

  test('is not misled by keywords and formats that look like what every object inherits', () => {
    const odd = JSON.parse('{"__proto__":{"type":"array","const":[]},"constructor":{},"toString":1}');
    const schema = object({
      a: { allOf: [{ ...odd, type: 'string' }, odd], format: 'constructor' },
      b: Object.fromEntries([...Object.entries({ type: 'string' }), ['__proto__', { const: 1 }]]),
    });
    expect(sampleOf(schema)).toEqual({ a: 'text', b: 'text' });
  });

  test.each<[string, Schema]>([
    [
      'numbers that all differ',
      object({ a: { type: 'array', minItems: 2, uniqueItems: true, items: { type: 'number' } } }, { required: ['a'] }),
    ],
    ['a pattern without examples', object({ a: { type: 'string', pattern: '^[0-9]{4}$' } }, { required: ['a'] })],
    ['what nothing satisfies', object({ a: false }, { required: ['a'] })],
    ['more than anybody would read', object({ a: { type: 'array', minItems: 1e9 } }, { required: ['a'] })],
    ['a text of megabytes', object({ a: { type: 'string', minLength: 1e9 } }, { required: ['a'] })],
    ['fields without end', object({}, { minProperties: 1e9 })],
  ])('is not found for %s', (_, schema) => {
    expect(sampleOf(schema)).toBeNull();
  });
});

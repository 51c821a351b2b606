import { describe, expect, test } from 'vitest';
import { compileEventSchema, schemaIssues } from '../../src/operations/compile-event-schema.js';

type Schema = Record<string, unknown>;
const object = (rest: object): Schema => ({ type: 'object', ...rest });
const property = (schema: unknown) => object({ properties: { a: schema } });
const accepts = (schema: Schema, payload: unknown) => compileEventSchema(JSON.stringify(schema))(payload);

describe('a keyword that JSON Schema does not have changes no verdict', () => {
  const inPlaces = (keywords: object): [string, Schema][] => [
    ['at the top', { ...property({ type: 'string' }), ...keywords }],
    ['in a property', property({ type: 'string', ...keywords })],
    [
      'behind a reference',
      { ...property({ $ref: '#/$defs/b' }), $defs: { b: { type: 'string', ...keywords } } },
    ],
  ];

  // What was stored before such schemas were refused: ajv would answer with a promise.
  test.each(inPlaces({ $async: true }))('a stored $async %s', (_, schema) => {
    expect([accepts(schema, { a: 'x' }), accepts(schema, { a: 1 })]).toEqual([true, false]);
  });

  test.each<[string, object]>([
    ['nullable', { nullable: true }],
    ['nullable as no type has it', { nullable: 'x' }],
    ['nullable against the type', { nullable: false }],
    ['id, as old drafts had it', { id: 'x' }],
    ['what looks like an address', { 'x-source': { $id: 'a b', $anchor: '?' } }],
    ['names that every object inherits', { constructor: 1, toString: {}, hasOwnProperty: false }],
  ])('%s', (_, keywords) => {
    for (const [, schema] of inPlaces(keywords)) {
      expect(schemaIssues(schema)).toEqual([]);
      expect([accepts(schema, { a: 'x' }), accepts(schema, { a: 1 }), accepts(schema, { a: null })]).toEqual([
        true,
        false,
        false,
      ]);
    }
  });

  test('nullable beside null, and without a type', () => {
    expect(accepts(property({ type: ['string', 'null'], nullable: false }), { a: null })).toBe(true);
    expect(accepts(property({ nullable: false }), { a: null })).toBe(true);
  });
});

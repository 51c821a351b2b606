import { describe, expect, test } from 'vitest';
import { issuesOf } from '../../src/operations/event-types/payload-issue.js';
import { compileEventSchema } from '../../src/platform/payload-checks/payload-check.js';
import { schemaIssues } from '../../src/platform/payload-checks/schema-issues.js';

type Schema = Record<string, unknown>;
const object = (rest: object): Schema => ({ type: 'object', ...rest });
const property = (schema: unknown) => object({ properties: { a: schema } });
const accepts = (schema: Schema, payload: unknown) => compileEventSchema(JSON.stringify(schema))(payload);

describe('a keyword that JSON Schema does not have changes no verdict', () => {
  const inPlaces = (keywords: object): [string, Schema][] => [
    ['at the top', { ...property({ type: 'string' }), ...keywords }],
    ['in a property', property({ type: 'string', ...keywords })],
    ['behind a reference', { ...property({ $ref: '#/$defs/b' }), $defs: { b: { type: 'string', ...keywords } } }],
  ];

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
      expect(['x', 1, null].map((a) => accepts(schema, { a }))).toEqual([true, false, false]);
    }
  });

  test('nullable beside null, and without a type', () => {
    expect(accepts(property({ type: ['string', 'null'], nullable: false }), { a: null })).toBe(true);
    expect(accepts(property({ nullable: false }), { a: null })).toBe(true);
  });
});

describe('names that every object inherits are names like any other', () => {
  const inherited = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf', '__proto__'];
  const payload = (name: string, value: unknown) => JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`);

  test.each(inherited)('%s is required', (name) => {
    for (const required of [[name], [name, ...Array.from({ length: 30 }, (_, n) => `a${n}`)]]) {
      const schema = object({ required });
      expect(schemaIssues(schema)).toEqual([]);
      const others = Object.fromEntries(required.slice(1).map((other) => [other, 1]));
      expect(accepts(schema, others)).toBe(false);
      expect(accepts(schema, Object.assign(payload(name, 1), others))).toBe(true);
    }
  });

  test.each(inherited)('%s is one of the properties that are not mentioned', (name) => {
    for (const schema of [
      object({ additionalProperties: false }),
      object({ propertyNames: { maxLength: 3 } }),
      object({ maxProperties: 0 }),
    ]) {
      expect([accepts(schema, {}), accepts(schema, payload(name, 1))], JSON.stringify(schema)).toEqual([true, false]);
    }
  });

  test.each(inherited.slice(0, -1))('%s has a schema', (name) => {
    for (const schema of [
      object({ properties: { [name]: { type: 'string' } } }),
      object({ properties: { [name]: { type: 'string' } }, additionalProperties: false }),
      object({ patternProperties: { [name]: { type: 'string' } } }),
    ]) {
      expect(schemaIssues(schema)).toEqual([]);
      expect(
        [{}, payload(name, 'x'), payload(name, 1)].map((given) => accepts(schema, given)),
        JSON.stringify(schema),
      ).toEqual([true, true, false]);
    }
    const schema = object({ dependentRequired: { [name]: ['a'] } });
    expect([{}, payload(name, 'x')].map((given) => accepts(schema, given))).toEqual([true, false]);
  });

  test('__proto__ may be a definition', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"a":{"$ref":"#/$defs/__proto__"}},"$defs":{"__proto__":{"type":"string"}}}',
    );
    expect(schemaIssues(schema)).toEqual([]);
    expect([accepts(schema, { a: 'x' }), accepts(schema, { a: 1 })]).toEqual([true, false]);
  });

  test.each(['properties', 'patternProperties'])(
    '%s of __proto__ are refused, for nothing would check them',
    (keyword) => {
      const schema = property(JSON.parse(`{"${keyword}":{"__proto__":{"type":"string"}}}`));
      const path = ['properties', 'a', keyword, '__proto__'];
      expect(schemaIssues(schema)).toMatchObject([{ path, code: 'schema_name' }]);
    },
  );

  test('dependentRequired of __proto__ is refused', () => {
    const schema = object(JSON.parse('{"dependentRequired":{"__proto__":["a"]}}'));
    expect(schemaIssues(schema)).toMatchObject([{ path: ['dependentRequired', '__proto__'] }]);
  });
});

describe('const and enum', () => {
  const detailsOf = (schema: Schema, payload: object) =>
    issuesOf(compileEventSchema(JSON.stringify(schema)).brokenRules(payload), payload).map(({ detail }) => detail);

  test.each([{ const: { a: 1 } }, { const: [] }, { enum: ['here', 5, [1]] }])(
    '%j is refused: it has more than scalars',
    (rule) => {
      const path = ['properties', 'a', Object.keys(rule)[0]];
      expect(schemaIssues(property(rule))).toMatchObject([{ path, code: 'schema_constant' }]);
    },
  );

  test.each(['valueOf', 'toString', 'constructor', '__proto__'])('refuse an object with %s', (name) => {
    for (const rule of [{ const: 1 }, { enum: [1, 'x', null] }, { enum: Array.from({ length: 300 }, (_, n) => n) }]) {
      expect(accepts(property(rule), { a: JSON.parse(`{"${name}":1}`) })).toBe(false);
      expect(accepts(property(rule), { a: 1 })).toBe(true);
    }
  });

  test('say which values are allowed', () => {
    const schema = object({ properties: { a: { const: 1 }, b: { enum: [1] } } });
    expect(detailsOf(schema, { a: 2, b: 2 })).toEqual([
      'must be equal to constant: 1',
      'must be equal to one of the allowed values: 1',
    ]);
  });

  const long = 'y'.repeat(38);
  const letters = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`);
  const quoted = (values: string[]) => values.map((value) => `"${value}"`).join(', ');
  test.each<[string, unknown[], string]>([
    ['all of them', ['percent', 'fixed', null, 0.5], '"percent", "fixed", null, 0.5'],
    ['all of twenty', letters(20), quoted(letters(20))],
    ['twenty of more', letters(22), `${quoted(letters(20))} and 2 more`],
    ['the beginning of a long one', ['x'.repeat(48), 'x'.repeat(49)], `"${'x'.repeat(48)}", "${'x'.repeat(49)}…`],
    ['no half of a character', ['😀'.repeat(60)], `"${'😀'.repeat(24)}…`],
    ['two hundred characters at most', Array(6).fill(long), `${quoted(Array(5).fill(long))} and 1 more`],
  ])('of the allowed values, %s', (_, values, text) => {
    expect(detailsOf(property({ enum: values }), { a: 'another' })).toEqual([
      `must be equal to one of the allowed values: ${text}`,
    ]);
  });
});

describe('multipleOf counts in decimals', () => {
  test('so that prices are whole cents, however large', () => {
    const schema = property({ type: 'number', multipleOf: 0.01 });
    for (const price of [0.07, 4.35, 19.99, 19_999_999.99, 1e6, 0, -4.35]) {
      expect(accepts(schema, { a: price }), String(price)).toBe(true);
    }
    for (const price of [0.001, 4.355, 19.999, 19_999_999.991]) {
      expect(accepts(schema, { a: price }), String(price)).toBe(false);
    }
  });

  test('has ajv’s message, and leaves other types to other rules', () => {
    const validate = compileEventSchema(JSON.stringify(property({ multipleOf: 0.01 })));
    expect(validate({ a: 'x' })).toBe(true);
    expect(validate.brokenRules({ a: 0.001 })).toMatchObject([
      { keyword: 'multipleOf', message: 'must be multiple of 0.01' },
    ]);
  });
});

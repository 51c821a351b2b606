import { describe, expect, test } from 'vitest';
import { compileEventSchema, schemaIssues } from '../../src/payload-checks/compile-event-schema.js';

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
    const choices = { anyOf: [{ properties: { a: {} } }, { required: ['b'] }] };
    for (const schema of [
      object({ additionalProperties: false }),
      object({ unevaluatedProperties: false }),
      object({ ...choices, unevaluatedProperties: false }),
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
      object({
        anyOf: [{ properties: { [name]: { type: 'string' } } }, false],
        unevaluatedProperties: false,
      }),
      object({ patternProperties: { [name]: { type: 'string' } } }),
    ]) {
      expect(schemaIssues(schema)).toEqual([]);
      expect(
        [{}, payload(name, 'x'), payload(name, 1)].map((given) => accepts(schema, given)),
        JSON.stringify(schema),
      ).toEqual([true, true, false]);
    }
    for (const keyword of ['dependentRequired', 'dependencies']) {
      const schema = object({ [keyword]: { [name]: ['a'] } });
      expect([{}, payload(name, 'x')].map((given) => accepts(schema, given))).toEqual([true, false]);
    }
  });

  test('__proto__ may be a definition', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"a":{"$ref":"#/$defs/__proto__"}},"$defs":{"__proto__":{"type":"string"}}}',
    );
    expect(schemaIssues(schema)).toEqual([]);
    expect([accepts(schema, { a: 'x' }), accepts(schema, { a: 1 })]).toEqual([true, false]);
  });

  test.each([...['properties', 'patternProperties', 'dependentSchemas', 'dependencies']])(
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

describe('const and enum compare JSON values', () => {
  const point = { type: 'Point', at: [1, { x: null }] };
  const bare = Object.assign(Object.create(null), { at: [1, { x: null }], type: 'Point' });

  test.each<[string, object]>([
    ['const', { const: point }],
    ['enum', { enum: ['here', 5, point] }],
    ['a long enum', { enum: [...Array.from({ length: 300 }, (_, n) => ({ n })), point] }],
  ])('%s takes equal objects, from whatever they were made', (_, keywords) => {
    const schema = property(keywords);
    expect([accepts(schema, { a: point }), accepts(schema, { a: bare })]).toEqual([true, true]);
    for (const other of [
      { type: 'Point' },
      { ...point, at: [1] },
      { type: 'Point', valueOf: 1 },
      { valueOf: 1 },
      { toString: 1 },
      { constructor: 1 },
      [],
      'Point',
      null,
    ]) {
      expect(accepts(schema, { a: other }), JSON.stringify(other)).toBe(false);
    }
  });

  test('and say which values are allowed', () => {
    const validate = compileEventSchema(
      JSON.stringify(
        object({ properties: { a: { const: {} }, b: { enum: [[]] }, c: { const: 1 }, d: { enum: [1] } } }),
      ),
    );
    const broken = validate.brokenRules({ a: [], b: {}, c: 2, d: 2 });
    expect(broken.map(({ instancePath, keyword, message }) => [instancePath, keyword, message])).toEqual([
      ['/a', 'const', 'must be equal to constant: {}'],
      ['/b', 'enum', 'must be equal to one of the allowed values: []'],
      ['/c', 'const', 'must be equal to constant: 1'],
      ['/d', 'enum', 'must be equal to one of the allowed values: 1'],
    ]);
  });

  const letters = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`);
  const quoted = (values: string[]) => values.map((value) => `"${value}"`).join(', ');
  test.each<[string, unknown[], string]>([
    ['all of them', ['percent', 'fixed', null, 0.5], '"percent", "fixed", null, 0.5'],
    ['all of twenty', letters(20), quoted(letters(20))],
    ['twenty of more', letters(22), `${quoted(letters(20))} and 2 more`],
    ['the beginning of a long one', ['x'.repeat(48), 'x'.repeat(49)], `"${'x'.repeat(48)}", "${'x'.repeat(49)}…`],
    ['no half of a character', ['😀'.repeat(60)], `"${'😀'.repeat(49)}…`],
    [
      'two hundred characters at most',
      Array(6).fill('y'.repeat(38)),
      `${quoted(Array(5).fill('y'.repeat(38)))} and 1 more`,
    ],
    ['none, of none', [], 'none'],
  ])('of the allowed values, %s', (_, values, text) => {
    const schema = JSON.stringify(object({ properties: { a: { enum: values } } }));
    const [broken] = compileEventSchema(schema).brokenRules({ a: 'another' });
    expect(broken?.message).toBe(`must be equal to one of the allowed values: ${text}`);
  });

  test('an enum of nothing accepts nothing', () => {
    const schema = property({ enum: [] });
    expect(schemaIssues(schema)).toEqual([]);
    expect([accepts(schema, {}), accepts(schema, { a: null })]).toEqual([true, false]);
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

  test('says what it always said, and leaves what is no number to other rules', () => {
    const validate = compileEventSchema(JSON.stringify(property({ multipleOf: 0.01 })));
    expect(validate({ a: 'x' })).toBe(true);
    expect(validate.brokenRules({ a: 0.001 })).toMatchObject([
      { keyword: 'multipleOf', message: 'must be multiple of 0.01' },
    ]);
  });
});

describe('a reference leads where RFC 6901 says', () => {
  test.each(['ä', 'a b', 'a/b', 'a~b', 'a~1b', 'a%b', 'a%41', 'a"b', '#', '', '^x$', 'a?b', '😀', 'a+b'])(
    'to a definition called %j',
    (name) => {
      const step = name.replaceAll('~', '~0').replaceAll('/', '~1');
      const schema = {
        ...property({ $ref: `#/$defs/${encodeURIComponent(step)}` }),
        $defs: { [name]: { const: 1 } },
      };
      expect(schemaIssues(schema)).toEqual([]);
      expect([accepts(schema, { a: 1 }), accepts(schema, { a: 2 })]).toEqual([true, false]);
    },
  );

  test('an escaped slash parts steps, so it hides no recursion', () => {
    const schema = {
      ...property({ $ref: '#/$defs/b%2Fproperties%2Fx' }),
      $defs: {
        b: { properties: { x: { const: 1 } } },
        'b/properties/x': { allOf: [{ $ref: '#/$defs/b%2Fproperties%2Fx' }] },
      },
    };
    expect(schemaIssues(schema)).toEqual([]);
    expect([accepts(schema, { a: 1 }), accepts(schema, { a: 2 })]).toEqual([true, false]);
  });
});

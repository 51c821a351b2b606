import { describe, expect, test } from 'vitest';
import { samplePayload } from '../../src/domain/schema-rules/sample-payload.js';
import { textFieldsOf } from '../../src/domain/schema-rules/text-fields.js';
import { judgeEventSchema } from '../../src/platform/payload-checks/judge-schema.js';
import { compileEventSchema } from '../../src/platform/payload-checks/payload-check.js';
import { schemaIssues } from '../../src/platform/payload-checks/schema-issues.js';

const object = (rest: object) => ({ type: 'object', ...rest });
const times = <Made>(count: number, make: (n: number) => Made) => Array.from({ length: count }, (_, n) => make(n));
const property = (schema: unknown) => object({ properties: { a: schema } });

/** Each refers twice to the next one: 2ⁿ schemas, written out. */
function ladder(steps: number): Record<string, unknown> {
  const $defs: Record<string, unknown> = { [`s${steps}`]: { type: 'string' } };
  for (let step = 0; step < steps; step++) {
    const $ref = `#/$defs/s${step + 1}`;
    $defs[`s${step}`] = { allOf: [{ $ref }, { $ref }] };
  }
  return { ...property({ $ref: '#/$defs/s0' }), $defs };
}

describe('a schema of payloads', () => {
  test.each<[string, object]>([
    ['nothing but an object', object({})],
    ['the draft by its name', object({ $schema: 'https://json-schema.org/draft/2020-12/schema' })],
    [
      'references within itself',
      { ...property({ $ref: '#/$defs/x_Y-1.0' }), $defs: { 'x_Y-1.0': { type: 'string' } } },
    ],
    [
      'a name that looks like a keyword',
      property({ properties: { $ref: { type: 'string' }, pattern: {} }, required: ['$id'] }),
    ],
    ['examples that look like schemas', property({ examples: [{ $ref: 'https://a.example.com/', $async: true }] })],
    ['a property called $async', property({ properties: { $async: { type: 'boolean' } } })],
    ['a slug', property({ type: 'string', pattern: '^[a-z]+(-[a-z]+)*$' })],
    ['different strings', property({ type: 'array', uniqueItems: true, items: { type: 'string' } })],
    ['keywords that nobody knows', property({ 'x-order': 1, format: 'no-such-format' })],
    [
      'two uses of one schema',
      { ...object({ properties: { a: { $ref: '#/$defs/b' }, c: { $ref: '#/$defs/b' } } }), $defs: { b: {} } },
    ],
    ['a short ladder', ladder(5)],
    [
      'many patterns, constants and required names',
      object({
        properties: Object.fromEntries(times(45, (n) => [n, { pattern: `[a-z]{${400 + n}}` }])),
        propertyNames: { enum: times(5_000, String) },
        required: times(700, String),
      }),
    ],
  ])('may have %s', (_, schema) => {
    expect(schemaIssues(schema as Record<string, unknown>)).toEqual([]);
  });

  test.each([
    ...['https://a.example.com/', 'file:///etc/passwd', 'https://json-schema.org/draft/2020-12/schema', '#/$defs/no'],
    ...['#/type', '#', '#/properties/a', '#/$defs/%C3%A4', '#/$defs/a~1b'],
  ])('may not refer to %s', ($ref) => {
    const schema = { ...property({ $ref }), $defs: { ä: true, 'a/b': true, '': true } };
    expect(schemaIssues(schema)).toMatchObject([{ path: ['properties', 'a', '$ref'], code: 'schema_reference' }]);
  });

  test.each<[string, object]>([
    ['properties.a.$dynamicRef', property({ $dynamicRef: '#x' })],
    ['properties.a.$anchor', property({ $anchor: 'x' })],
    ['$id', object({ $id: 'https://a.example.com/' })],
    ['$async', object({ $async: false })],
    ['anyOf.0.$async', object({ anyOf: [{ $async: true }] })],
    ['$defs.b.$async', object({ $defs: { b: { $async: true } } })],
    ['unevaluatedProperties', object({ unevaluatedProperties: false })],
    ['properties.a.unevaluatedItems', property({ unevaluatedItems: {} })],
    ['dependentSchemas', object({ dependentSchemas: { a: {} } })],
    ['dependencies', object({ dependencies: { a: ['b'] } })],
  ])('may not have the keyword %s', (path, schema) => {
    const found = schemaIssues(schema as Record<string, unknown>);
    expect(found.map((issue) => [issue.path.join('.'), issue.code])).toEqual([[path, 'schema_keyword']]);
  });

  const circle = { b: { $ref: '#/$defs/c' }, c: { items: { $ref: '#/$defs/b' } } };
  const fields = (count: number) => ({
    properties: Object.fromEntries(times(count, (n) => [`f${n}`, { type: 'string' }])),
  });
  const manyNames = { required: times(700, String) };
  test.each<[string, object, string, string]>([
    ['no type', {}, 'type', 'schema_not_object'],
    ['another type', { type: 'array' }, 'type', 'schema_not_object'],
    ['several types', { type: ['object', 'null'] }, 'type', 'schema_not_object'],
    ['another draft', object({ $schema: 'http://json-schema.org/draft-07/schema#' }), '$schema', 'schema_draft'],
    ['a type that does not exist', property({ type: 'text' }), 'properties.a.type', 'schema_invalid'],
    ['such a type in a list', property({ type: ['string', 'nul'] }), 'properties.a.type.1', 'schema_invalid'],
    ['no type', property({ type: [] }), 'properties.a.type', 'schema_invalid'],
    ['a definition that is none', { ...property({}), $defs: { type: 5 } }, '$defs.type', 'schema_invalid'],
    ['a rule of the wrong kind', property({ minLength: '1' }), 'properties.a.minLength', 'schema_invalid'],
    ['a list of items, as old drafts had it', property({ items: [{}] }), 'properties.a.items', 'schema_invalid'],
    ['a choice of nothing', property({ enum: [] }), 'properties.a.enum', 'schema_constant'],
    ['a circle', { ...property({ $ref: '#/$defs/b' }), $defs: circle }, '$defs.b', 'schema_recursive'],
    ['a circle that nothing uses', object({ $defs: circle }), '$defs.b', 'schema_recursive'],
    ['a pattern that is none', property({ pattern: '(' }), 'properties.a.pattern', 'schema_pattern'],
    ['a pattern that looks back', property({ pattern: '(a)\\1' }), 'properties.a.pattern', 'schema_pattern'],
    [
      'a name that looks ahead',
      object({ patternProperties: { '(?=a)': {} } }),
      'patternProperties.(?=a)',
      'schema_pattern',
    ],
    [
      'patterns of more instructions than all may have',
      object({ properties: Object.fromEntries(times(60, (n) => [n, { pattern: `[a-z]{${400 + n}}` }])) }),
      'properties.47.pattern',
      'schema_pattern',
    ],
    ['different objects', property({ uniqueItems: true }), 'properties.a.uniqueItems', 'schema_slow'],
    [
      'different lists',
      property({ uniqueItems: true, items: { type: ['string', 'array'] } }),
      'properties.a.uniqueItems',
      'schema_slow',
    ],
    [
      'more than 1,000 fields',
      object({ $defs: { a: fields(500) }, ...fields(501) }),
      '$defs.a.properties',
      'schema_slow',
    ],
    ['2²⁰ schemas behind references', ladder(20), '', 'schema_slow'],
    ['more constants to compare with than all may have', property({ enum: times(10_001, String) }), '', 'schema_slow'],
    [
      'too many names that must be there, with references written out',
      { ...object({ allOf: times(30, () => ({ $ref: '#/$defs/b' })) }), $defs: { b: manyNames } },
      '',
      'schema_slow',
    ],
  ])('may not have %s', (_, schema, path, code) => {
    const found = schemaIssues(schema as Record<string, unknown>);
    expect(found.map((issue) => [issue.path.join('.'), issue.code])).toContainEqual([path, code]);
  });

  test('with a wrong type gets the names of the types, and the one that is meant', () => {
    const details = (type: unknown) => schemaIssues(property({ type }) as never).map(({ detail }) => detail);
    const names = 'must be one of array, boolean, integer, null, number, object, string';
    expect(details('nummer')).toEqual([`${names}; did you mean number?`]);
    expect(details(['text', 'null'])).toEqual([`${names}; did you mean string?`]);
    expect(schemaIssues(property({ minLength: '1' }) as never)).toMatchObject([
      { detail: 'must be a whole number, not a string' },
    ]);
  });

  test('of 1,000 fields is compiled, with its messages and a sample', () => {
    const schema = object(fields(1_000));
    expect(schemaIssues(schema)).toEqual([]);
    const check = compileEventSchema(JSON.stringify(schema));
    expect(check.brokenRules([])).toMatchObject([{ keyword: 'type' }]);
    expect(samplePayload(schema, check)).not.toBeNull();
  });

  test('is judged quickly, however many schemas stand behind its references', () => {
    const started = performance.now();
    expect(judgeEventSchema(ladder(400))).toMatchObject([{ code: 'schema_slow' }]);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test('with a pattern that holds JavaScript’s own engine judges a long text at once', () => {
    const validate = compileEventSchema(JSON.stringify(property({ pattern: '^(a+)+$' })));
    const started = performance.now();
    expect(validate({ a: `${'a'.repeat(200_000)}!` })).toBe(false);
    expect(validate({ a: 'aaa' })).toBe(true);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test('distinguishes patterns of properties', () => {
    const validate = compileEventSchema(
      JSON.stringify(object({ patternProperties: { '^s_': { type: 'string' }, '^n_': { type: 'number' } } })),
    );
    expect([{ s_a: 'x', n_a: 1 }, { s_a: 1 }, { n_a: 'x' }].map(validate)).toEqual([true, false, false]);
  });
});

describe('the text fields of a schema', () => {
  const text = { type: 'string', description: 'A.' };
  const flat = { ...property(text), required: ['a'], additionalProperties: false };
  test('are all it has, where all are strings, required, and nothing else is allowed', () => {
    expect(textFieldsOf(flat)).toEqual(['a']);
    expect(textFieldsOf({ ...flat, $schema: 'x', title: 'T', description: 'D' })).toEqual(['a']);
  });

  test.each<[string, object]>([
    ['a field that may be left out', { required: [] }],
    ['a field that is required and unknown', { required: ['a', 'b'] }],
    ['other fields', { additionalProperties: true }],
    ['a number', { properties: { a: { type: 'number' } } }],
    ['a string with a length', { properties: { a: { type: 'string', maxLength: 1 } } }],
    ['a field of any kind', { properties: { a: true } }],
    ['a rule more', { minProperties: 1 }],
    ['a choice', { anyOf: [{}] }],
    ['a name with a character that JSON may escape', { properties: { 'a\n': { type: 'string' } }, required: ['a\n'] }],
  ])('are not known with %s', (_, change) => {
    expect(textFieldsOf({ ...flat, ...change })).toBeNull();
  });
});

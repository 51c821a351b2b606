import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { compileEventSchema, TooCostly } from '../../src/platform/payload-checks/payload-check.js';
import { schemaIssues } from '../../src/platform/payload-checks/schema-issues.js';
import { cpuTimeOf } from '../support/machine-speed.js';
import { fc, isFuzz } from '../support/properties.js';

type Schema = Record<string, unknown>;
const PAYLOAD_BYTES = 262_000;
const times = <Made>(count: number, make: (n: number) => Made) => Array.from({ length: count }, (_, n) => make(n));
const fields = (count: number, make: (n: number) => unknown) =>
  Object.fromEntries(times(count, (n) => [`f${n.toString(36)}`, make(n)]));
/** As many items as fit into a payload. */
const listOf = (item: unknown) => {
  const bytes = JSON.stringify(item).length + 1;
  return times(Math.floor(PAYLOAD_BYTES / bytes), () => item);
};
const text = 'a'.repeat(PAYLOAD_BYTES);
const names = fields(25_000, () => 1);
const schemaOf = (a: unknown, rest: object = {}): Schema => ({ type: 'object', properties: { a }, ...rest });
const items = (schema: unknown) => ({ type: 'array', items: schema });
const line = (type: number) => ({
  type: 'object',
  properties: fields(15, () => ({ type: 'string' })),
  required: times(15, (n) => `a_required_field_${type}_${n}`),
});
const checkOf = (schema: Schema) => {
  expect(schemaIssues(schema)).toEqual([]);
  return compileEventSchema(JSON.stringify(schema));
};
const faultsOf = (schema: Schema, payload: unknown) =>
  checkOf(schema)
    .brokenRules(payload)
    .map(({ instancePath, message }) => `${instancePath} ${message}`);

const plainAjv = new Ajv2020({ strict: false });
const plainCheck = (schema: string) => plainAjv.compile(JSON.parse(schema));

describe('the check of a payload', () => {
  test.each([
    [9, 363_000],
    [99, 39_600],
    [298, 6_660],
    [988, 612],
  ])('by %i choices is not refused for its cost up to about %i values, and beyond that it is', (choices, values) => {
    const check = checkOf(schemaOf(items({ anyOf: [...times(choices, (n) => ({ const: `k${n}` })), {}] })));
    expect(check.brokenRules({ a: times(Math.floor(0.97 * values), () => 1) })).toEqual([]);
    expect(() => check.brokenRules({ a: times(Math.ceil(1.03 * values), () => 1) })).toThrow(TooCostly);
  });

  test.each<[string, unknown]>([
    ['one shape', items(line(1))],
    ['one of 10 shapes', items({ oneOf: times(10, line) })],
    ['any of 10 shapes', { anyOf: times(10, (n) => items(line(n))) }],
    ['an item of a shape', { anyOf: times(3, (n) => ({ contains: { required: [`x${n}`] } })) }],
  ])('names 20 faults at most, and keeps none, of 87,000 lines that should have %s', (_, lines) => {
    const check = checkOf(schemaOf(lines));
    const payload = { a: listOf({}) };
    const before = process.memoryUsage().heapUsed;
    const broken = check.brokenRules(payload);
    expect((process.memoryUsage().heapUsed - before) / 1e6).toBeLessThan(150);
    expect(broken.length).toBeGreaterThan(0);
    expect(broken.length).toBeLessThanOrEqual(20);
  });

  test.each<[string, unknown, unknown]>([
    [
      'choices for each item',
      items({ anyOf: times(200, (n) => ({ type: n < 199 ? 'string' : 'number' })) }),
      listOf(1),
    ],
    ['rules for each item', items({ allOf: times(200, () => ({ multipleOf: 1 })) }), listOf(1)],
    ['names looked for in each item', items({ properties: fields(500, () => ({ type: 'string' })) }), listOf({})],
    ['values compared with each item', items({ not: { enum: times(2_000, String) } }), listOf('x')],
    ['searches of a list', { anyOf: times(60, () => ({ contains: { type: 'string' } })) }, listOf(1)],
    [
      'lists of different items',
      { allOf: times(60, () => ({ uniqueItems: true, items: { type: 'number' } })) },
      times(30_000, (n) => n),
    ],
    ['lengths of a text', { allOf: times(600, () => ({ minLength: 1 })) }, text],
    ['numbers of names', { allOf: times(200, () => ({ minProperties: 1 })) }, names],
    ['rules for each name', { allOf: times(200, () => ({ propertyNames: { maxLength: 9 } })) }, names],
    ['rules for other fields', { allOf: times(200, () => ({ additionalProperties: { type: 'number' } })) }, names],
    ['patterns for each name', { patternProperties: fields(200, () => ({ type: 'number' })) }, names],
    ['searches of all names', { anyOf: times(200, () => ({ patternProperties: { '': false } })) }, names],
    ['references upon references', { $ref: '#/$defs/s0' }, listOf(1)],
  ])('is refused where it would take long: %s', async (_, schema, a) => {
    const steps = times(7, (n) => [`s${n}`, { allOf: times(2, () => ({ $ref: `#/$defs/s${n + 1}` })) }]);
    const $defs = { ...Object.fromEntries(steps), s7: items({ type: 'number' }) };
    const whole = schemaOf(schema, { $defs });
    if (schemaIssues(whole).length > 0) {
      expect(schemaIssues(whole)).toMatchObject([{ path: [], code: 'schema_slow' }]);
      return;
    }
    const check = compileEventSchema(JSON.stringify(whole));
    const { tookMs } = await cpuTimeOf(() => expect(() => check.brokenRules({ a })).toThrow(TooCostly));
    expect(tookMs).toBeLessThan(1_000);
    expect(check({ a })).toBe(false);
    expect(check({ a: null })).toBe(check.brokenRules({ a: null }).length === 0);
  });

  test.each<[string, unknown, unknown]>([
    ['choices', items({ anyOf: times(28, () => ({ maximum: 0 })) }), [...listOf(0).slice(1), 1]],
    ['values', items({ enum: [...times(580, (n) => `value${n}`), 'x'] }), listOf('x')],
    ['names', { allOf: times(6, () => ({ propertyNames: { maxLength: 9 } })) }, names],
    ['lengths', { allOf: times(268, () => ({ minLength: 1 })) }, text],
    ['steps of a pattern', { pattern: 'a.{20}[bc]' }, 'ade'.repeat(80_000)],
  ])('soon ends with as many %s as a payload of 256 KiB may be checked for', async (_, schema, a) => {
    const check = checkOf(schemaOf(schema));
    const { tookMs } = await cpuTimeOf(() => check.brokenRules({ a }));
    expect(tookMs).toBeLessThan(3_000);
  });

  test.each<[string, unknown]>([
    ['a value', { list: ['short', text] }],
    ['a name', { [text]: 1 }],
  ])('is refused where a pattern would take long: in %s', (_, a) => {
    const pattern = '[0-9a-z]{1,490}@';
    const any = { additionalProperties: items({ pattern }), propertyNames: { pattern: `^s|^l|${pattern}` } };
    expect(() => checkOf(schemaOf(any)).brokenRules({ a })).toThrow('send shorter texts');
  });

  test('of the largest payload of an ordinary type ends well', () => {
    const row = fields(15, () => 'a text of a line');
    const shape = {
      properties: fields(15, () => ({ type: 'string', maxLength: 99 })),
      required: Object.keys(row),
    };
    const shapes = times(20, (n) => ({
      ...shape,
      required: ['kind', ...shape.required],
      properties: { ...shape.properties, kind: { const: n } },
    }));
    expect(faultsOf(schemaOf(items({ ...shape, additionalProperties: false })), { a: listOf(row) })).toEqual([]);
    expect(faultsOf(schemaOf(items({ oneOf: shapes })), { a: listOf({ kind: 19, ...row }) })).toEqual([]);
    expect(faultsOf(schemaOf(items({ type: 'integer', minimum: 0 })), { a: listOf(1) })).toEqual([]);
    const words = { type: 'string', pattern: '^[a-z]+( [a-z]+)*$' };
    expect(faultsOf(schemaOf(words), { a: 'word '.repeat(52_000).trim() })).toEqual([]);
  });

  test('names every fault of an ordinary payload, those of branches too', () => {
    const text = { type: 'string' };
    const schema = { properties: { b: text, c: { anyOf: [text, { type: 'null' }] } }, required: ['b', 'd'] };
    expect(faultsOf(schemaOf(items(schema)), { a: [{ b: 1, c: 2 }, { b: 'x', c: null, d: 1 }, {}] })).toEqual([
      "/a/0 must have required property 'd'",
      '/a/0/b must be string',
      '/a/0/c must be string',
      '/a/0/c must be null',
      '/a/0/c must match a schema in anyOf',
      "/a/2 must have required property 'b'",
      "/a/2 must have required property 'd'",
    ]);
  });

  test('finds what ajv alone finds', { timeout: 120_000 }, () => {
    const name = fc.constantFrom('a', 'b', 'ab');
    const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
      const one = tie('schema');
      const map = (names: fc.Arbitrary<string>) => fc.dictionary(names, one, { maxKeys: 2 });
      const list = fc.array(one, { minLength: 1, maxLength: 2 });
      const keywords = fc.record(
        {
          type: fc.constantFrom('object', 'array', 'string', ['object', 'array']),
          properties: map(name),
          patternProperties: map(fc.constantFrom('', 'a', 'b$')),
          additionalProperties: one,
          propertyNames: fc.constantFrom({ maxLength: 1 }, { pattern: 'a' }),
          required: fc.uniqueArray(name, { maxLength: 2 }),
          dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), { maxKeys: 2 }),
          items: one,
          prefixItems: list,
          contains: one,
          maxContains: fc.constantFrom(1, 2),
          anyOf: list,
          oneOf: list,
          not: one,
          if: one,
          else: one,
          const: fc.constantFrom('a', 1),
          maxLength: fc.nat(1),
          $ref: fc.constantFrom('#/$defs/x', '#/$defs/y'),
        },
        { requiredKeys: [] },
      );
      return { schema: fc.oneof({ maxDepth: 3 }, fc.boolean(), keywords) };
    });
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<unknown>('a', 'bb', 1, null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(name, tie('value')),
      ),
    }));
    const $refs = { x: { properties: { a: { $ref: '#/$defs/y' } } }, y: { type: ['string', 'object'] } };
    fc.assert(
      fc.property(schema, fc.array(value, { minLength: 1, maxLength: 4 }), (a, values) => {
        const text = JSON.stringify(schemaOf(a, { $defs: $refs }));
        const [ours, theirs] = [compileEventSchema(text), plainCheck(text)];
        for (const one of values) {
          const expected = theirs({ a: one });
          expect(ours({ a: one }), `${text} on ${JSON.stringify(one)}`).toBe(expected);
          expect(ours.brokenRules({ a: one }).length > 0, text).toBe(!expected);
        }
      }),
      isFuzz ? {} : { seed: 1 },
    );
  });
});

import { fc } from './properties.js';

type Schema = Record<string, unknown>;

const range = (least: string, most: string, max: number) =>
  fc.tuple(fc.option(fc.nat(max)), fc.option(fc.nat(max))).map(([a, b]) => ({
    ...(a === null ? {} : { [least]: Math.min(a, b ?? a) }),
    ...(b === null ? {} : { [most]: Math.max(a ?? b, b) }),
  }));
const name = fc.constantFrom('a', 'b', 'c_1', 'ä/~');
const shown = fc.constantFrom({ const: 'x' }, { enum: [1, null, 'x'] }, { default: [1] }, { examples: [{ a: 1 }, 2] });
const { schema } = fc.letrec<{ schema: Schema | boolean; object: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    shown,
    fc.constant({ type: 'boolean' }),
    fc.constant(true),
    fc.constant({ type: ['null', 'string'] }),
    range('minLength', 'maxLength', 40).map((rest) => ({ type: 'string', ...rest })),
    fc.constantFrom('date-time', 'uuid', 'email', 'no-such').map((format) => ({ type: 'string', format })),
    range('minimum', 'maximum', 50).map((rest) => ({ type: 'integer', ...rest })),
    fc.nat(50).map((least) => ({ type: 'number', exclusiveMinimum: least, exclusiveMaximum: least + 3 })),
    fc.integer({ min: 1, max: 9 }).map((by) => ({ type: 'integer', minimum: by + 1, multipleOf: by })),
    fc
      .tuple(fc.constantFrom(0.01, 0.05, 0.1, 0.7, 1e-7, 2.5), fc.nat(5_000))
      .map(([multipleOf, cents]) => ({ type: 'number', minimum: cents / 100, multipleOf })),
    fc
      .tuple(tie('schema'), range('minItems', 'maxItems', 3))
      .map(([items, rest]) => ({ type: 'array', items, ...rest })),
    fc.nat(4).map((minItems) => ({ type: 'array', uniqueItems: true, minItems, items: { type: 'string' } })),
    fc.array(tie('schema'), { maxLength: 3 }).map((prefixItems) => ({ type: 'array', prefixItems, items: false })),
    fc.tuple(fc.constantFrom('anyOf', 'allOf', 'oneOf'), tie('schema')).map(([kind, one]) => ({ [kind]: [one] })),
    tie('object'),
  ) as fc.Arbitrary<Schema | boolean>,
  object: fc
    .tuple(fc.dictionary(name, tie('schema'), { maxKeys: 3 }), fc.boolean(), fc.boolean())
    .map(([properties, strict, all]) => ({
      type: 'object',
      properties,
      ...(all ? { required: Object.keys(properties) } : {}),
      ...(strict ? { additionalProperties: false } : { minProperties: 2 }),
    })),
}));

/** Schemas of payloads that something satisfies, of the keywords that samples are made for. */
export const payloadSchema = fc
  .dictionary(name, schema, { maxKeys: 3 })
  .map((properties): Schema => ({ type: 'object', properties, required: Object.keys(properties) }));

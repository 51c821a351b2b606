import { buildSchema, validateSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { missingFields } from '../../src/domain/content/shape/missing-fields.js';
import { shaped } from '../../src/domain/content/shape/project.js';
import { eventObjectTypes, shapeTypeNames } from '../../src/domain/content/shape/schema-types.js';
import { TooLarge, Work } from '../../src/domain/content/work.js';
import { printShapeSchema, readShape } from '../../src/platform/shapes/read-shape.js';
import { within } from '../support/within.js';

type Schema = Record<string, unknown>;

const text = { type: 'string' };
const object = (properties: Schema, more: Schema = {}) => ({ type: 'object', properties, ...more });
const list = (items: Schema) => ({ type: 'array', items });
const known = (schemas: Record<string, Schema>) =>
  Object.entries(schemas).map(([name, schema]) => ({
    name,
    description: `When ${name}.`,
    schema: JSON.stringify(schema),
  }));

const booking = object(
  {
    booking_code: { ...text, description: 'The code that guests see.' },
    id: text,
    total: { type: 'number' },
    guests: { type: ['integer', 'null'] },
    paid: { type: 'boolean' },
    customer: { $ref: '#/$defs/person', description: 'Who booked.' },
    companion: { anyOf: [{ $ref: '#/$defs/person' }, { type: 'null' }] },
    lines: list(object({ sku: text, qty: { type: 'integer' }, 'unit-price': { type: 'number' } })),
    grid: list(list({ type: 'integer' })),
    extra: { type: 'object', additionalProperties: true },
    either: { anyOf: [text, { type: 'integer' }] },
    status: { enum: ['paid', 'open', null] },
  },
  { $defs: { person: object({ email: text, age: { type: 'integer' } }) } },
);
const types = known({
  'booking.created': booking,
  'order.paid': object({ order_id: text, total: { type: 'integer' } }),
});

const issued = (shape: string, among = types) => {
  const read = readShape(shape, among);
  return 'faults' in read ? read.faults.map(({ line, column, message }) => `${line}:${column} ${message}`) : [];
};
const planOf = (shape: string, among = types) => {
  const read = readShape(shape, among);
  expect(read).toHaveProperty('plan');
  return (read as Extract<typeof read, { plan: unknown }>).plan;
};
/** What is sent: the bytes of a delivery. */
function sent(shape: string, type: string, payload: string, among = types, charsMax = 262_144): string {
  // The plan is stored as JSON.
  const plan = JSON.parse(JSON.stringify(planOf(shape, among)));
  const event = { id: 8123, type, time: '2026-01-31T09:30:00+00:00', payload: JSON.parse(payload) };
  const former = { previous: null, changes: null };
  try {
    return JSON.stringify(shaped(plan, { ...event, ...former }, new Work(payload.length), charsMax));
  } catch (error) {
    expect(error).toBeInstanceOf(TooLarge);
    return 'null';
  }
}

const payload = JSON.stringify({
  booking_code: 'ÄB/1 "x" 😀',
  id: 'b-1',
  total: 12.5,
  guests: 2 ** 53,
  paid: true,
  customer: { email: 'a@example.com', age: 44, unknown: 1 },
  lines: [{ qty: 2, sku: 'A', 'unit-price': 3.1 }, { sku: 'B' }, null],
  grid: [[1, 2], [3]],
  extra: { 10: 'ten', 9: 'nine', __proto__: { x: 1 } },
});

describe('the types of shapes', () => {
  test('are made from the schemas of event types', () => {
    expect(printShapeSchema(['booking.created'], types)).toMatchInlineSnapshot(`
      """"When booking.created."""
      type BookingCreated implements Event {
        """The number of the event."""
        id: ID!

        """The name of the event type."""
        type: String!

        """When the event was accepted."""
        time: DateTime!

        """The whole payload."""
        payload: JSON!

        """What has changed. Null unless the event has the state before."""
        changes: Changes

        """
        The state before the change that the event reports. Null when it is not known.
        """
        previous: BookingCreatedPrevious

        """The code that guests see."""
        booking_code: String

        """The field "id" of the payload."""
        payload_id: String
        total: Float
        guests: SafeInt
        paid: Boolean

        """Who booked."""
        customer: BookingCreatedPerson
        companion: BookingCreatedPerson
        lines: [BookingCreatedLines]
        grid: [[SafeInt]]
        extra: JSON
        either: JSON
        status: String
      }

      """An event of any type."""
      interface Event {
        """The number of the event."""
        id: ID!

        """The name of the event type."""
        type: String!

        """When the event was accepted."""
        time: DateTime!

        """The whole payload."""
        payload: JSON!

        """What has changed. Null unless the event has the state before."""
        changes: Changes
      }

      """A time in ISO 8601, such as \`2026-01-31T09:30:00.000Z\`."""
      scalar DateTime

      """Any JSON, as it is in the payload. It has no fields."""
      scalar JSON

      """
      The paths that differ from the state before, at most 1,000, such as \`lines[0].sku\`.
      """
      type Changes {
        """Values that were not there before."""
        added: [String!]!

        """Values that were others before."""
        updated: [String!]!

        """Values that are no longer there."""
        removed: [String!]!

        """Whether there are more paths."""
        truncated: Boolean!
      }

      """The state before the change that the event reports."""
      type BookingCreatedPrevious {
        """The code that guests see."""
        booking_code: String

        """The field "id" of the payload."""
        payload_id: String
        total: Float
        guests: SafeInt
        paid: Boolean

        """Who booked."""
        customer: BookingCreatedPerson
        companion: BookingCreatedPerson
        lines: [BookingCreatedLines]
        grid: [[SafeInt]]
        extra: JSON
        either: JSON
        status: String
      }

      """A whole number, exact up to 2⁵³."""
      scalar SafeInt

      type BookingCreatedPerson {
        email: String
        age: SafeInt
      }

      type BookingCreatedLines {
        sku: String
        qty: SafeInt

        """The field "unit-price" of the payload."""
        unit_price: Float
      }

      """
      A shape is a subscription. This type is here because GraphQL asks every schema for one.
      """
      type Query {
        """The event that is sent."""
        event: Event!
      }

      """What a shape begins with."""
      type Subscription {
        """The event that is sent."""
        event: Event!
      }"
    `);
  });

  test('make a schema that every tool for GraphQL accepts', () => {
    const names = types.map(({ name }) => name);
    expect(validateSchema(buildSchema(printShapeSchema(names, types)))).toEqual([]);
  });

  test('follow allOf, and leave open what the schema leaves open', () => {
    const schema = object(
      {
        both: { allOf: [object({ a: text }), object({ b: text, a: { minLength: 2 } })] },
        either: { oneOf: [object({ a: text }), object({ b: text })] },
        limited: object({ a: text }, { oneOf: [{ required: ['a'] }, { minProperties: 2 }] }),
        mixed: { type: ['string', 'integer'] },
        numbers: { type: ['integer', 'number'] },
        tuple: { type: 'array', prefixItems: [text] },
        anything: true,
        constant: { const: 5 },
      },
      { required: ['named'] },
    );
    const [type] = eventObjectTypes([{ name: 'a.b', description: '', schema }], shapeTypeNames(['a.b']));
    const form = (name: string) => {
      const found = type!.fields.get(name)!.type;
      return typeof found === 'object' && 'fields' in found ? [...found.fields.keys()] : found;
    };
    expect(Object.fromEntries([...type!.fields.keys()].map((name) => [name, form(name)]))).toEqual({
      ...{ both: ['a', 'b'], either: 'JSON', limited: ['a'], mixed: 'JSON', numbers: 'Float' },
      ...{ tuple: { item: 'JSON' }, anything: 'JSON', constant: 'SafeInt', named: 'JSON' },
    });
  });

  test('have different names, also where event types, fields and definitions collide', () => {
    const among = known({
      'a.b_c': object({ d: object({ x: text }) }),
      'a.b_c.d': object({}),
      'a_b.c': object({}),
      'date.time': object({}),
      '2.0': object({}),
      '_._': object({}),
    });
    expect([...shapeTypeNames(among.map(({ name }) => name)).values()]).toEqual([
      ...['ABC', 'ABCD', 'ABC_2', 'DateTime_2', 'Event20', 'Event_2'],
    ]);
    const printed = printShapeSchema(['a.b_c'], among);
    expect(printed).toContain('d: ABCD_2');
    expect(sent('subscription { event { ... on ABC_2 { id } } }', 'a_b.c', '{}', among)).toBe('{"id":"8123"}');
  });

  test('rename the fields that GraphQL cannot name, and those of every event', () => {
    const odd = JSON.parse(
      '{"a-b":1,"a_b":2,"9":3,"__typename":4,"__proto__":5,"日本":6,"語":7,"":8,"type":9,"payload":10,"payload_type":11,"constructor":12}',
    );
    const among = known({ 'odd.names': object(odd) });
    const [type] = eventObjectTypes(
      [{ name: 'odd.names', description: '', schema: JSON.parse(among[0]!.schema) }],
      shapeTypeNames(['odd.names']),
    );
    const names = [...type!.fields].map(([name, { property }]) => [property, name]);
    expect(Object.fromEntries(names.filter(([property]) => property !== '__proto__'))).toEqual({
      ...{ 9: '_9', 'a-b': 'payload_a_b', a_b: 'a_b', __typename: 'payload___typename', 日本: 'payload___' },
      ...{ 語: '_', '': 'payload__', type: 'payload_type_2', payload: 'payload_payload', payload_type: 'payload_type' },
      constructor: 'constructor',
    });
    const shape = `subscription { event { ... on OddNames { ${[...type!.fields.keys()].join(' ')} } } }`;
    const result = JSON.parse(sent(shape, 'odd.names', JSON.stringify(odd), among));
    expect(result).toEqual(Object.fromEntries([...type!.fields].map(([name, { property }]) => [name, odd[property]])));
    expect(Object.keys(result)).toHaveLength(12);
  });

  test('are made of a thousand fields within a moment', () => {
    const fields = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`f${n}-`, object({ [`g${n}`]: text })]));
    const among = known({ 'wide.open': object(fields) });
    const shape = 'subscription { event { ... on WideOpen { f999_ { g999 g998 } } } }';
    expect(within(200, () => issued(shape, among))).toEqual([
      '1:55 Cannot query field "g998" on type "WideOpenF999". Did you mean "g999"?',
    ]);
  });

  test('stay few where definitions could be combined into any number of them', () => {
    const pairs = Array.from({ length: 40 }, (_, n) => {
      const next = (a: string) => ({ allOf: [{ $ref: `#/$defs/${a}${n + 1}` }, { $ref: `#/$defs/b${n + 1}` }] });
      return ['a', 'b'].map((name) => [`${name}${n}`, object({ x: next('a'), y: next('b') })]);
    });
    const last = ['a40', 'b40'].map((name) => [name, object({ end: text })]);
    const $defs = Object.fromEntries([...pairs.flat(), ...last]);
    const among = known({ 'a.b': object({ start: { $ref: '#/$defs/a0' } }, { $defs }) });
    expect(printShapeSchema(['a.b'], among).length).toBeLessThan(200_000);
  });
});

describe('a shape', () => {
  test('is sent in the order of its fields, byte for byte the same on each retry', () => {
    const shape = `
      # what the shop needs
      subscription Shop {
        event {
          type
          ... on BookingCreated {
            code: booking_code
            customer { email }
            lines { sku qty price: unit_price __typename }
            booked: payload_id
            guests companion { email } grid extra total
          }
          id
          time
        }
      }`;
    expect(sent(shape, 'booking.created', payload)).toBe(
      '{"type":"booking.created","code":"ÄB/1 \\"x\\" 😀","customer":{"email":"a@example.com"},' +
        '"lines":[{"sku":"A","qty":2,"price":3.1,"__typename":"BookingCreatedLines"},' +
        '{"sku":"B","qty":null,"price":null,"__typename":"BookingCreatedLines"},null],"booked":"b-1",' +
        '"guests":9007199254740992,"companion":null,"grid":[[1,2],[3]],"extra":{"9":"nine","10":"ten"},"total":12.5,' +
        '"id":"8123","time":"2026-01-31T09:30:00+00:00"}',
    );
  });

  test('gives other types the fields of every event', () => {
    const shape =
      'subscription { event { id type __typename ... on BookingCreated { total } ... on Event { payload } } }';
    expect(sent(shape, 'order.paid', '{"total":1}')).toBe(
      '{"id":"8123","type":"order.paid","__typename":"OrderPaid","payload":{"total":1}}',
    );
    expect(sent(shape, 'booking.created', '{"total":1}')).toBe(
      '{"id":"8123","type":"booking.created","__typename":"BookingCreated","total":1,"payload":{"total":1}}',
    );
  });

  test('may use one name in branches for fields of different types', () => {
    const shape = 'subscription { event { ... on BookingCreated { total } ... on OrderPaid { total } } }';
    expect(sent(shape, 'order.paid', '{"total":3}')).toBe('{"total":3}');
  });

  test('joins fields that are written twice, reads fragments, and obeys @include and @skip', () => {
    const shape = `subscription { event { ...B ... on BookingCreated @skip(if: false) { customer { age } paid @skip(if: true) } } }
      fragment B on BookingCreated { customer { ...P } total @include(if: false) }
      fragment P on BookingCreatedPerson { email }`;
    expect(sent(shape, 'booking.created', payload)).toBe('{"customer":{"email":"a@example.com","age":44}}');
  });

  test('gives null for what is missing or of another form than the schema said, and never fails', () => {
    const shape = 'subscription { event { ... on BookingCreated { customer { email } lines { sku } total } } }';
    const result = (body: string) => sent(shape, 'booking.created', body);
    expect(result('{}')).toBe('{"customer":null,"lines":null,"total":null}');
    expect(result('{"customer":"Bob","lines":{"sku":"A"},"total":{"a":[]}}')).toBe(
      '{"customer":null,"lines":{"sku":"A"},"total":{"a":[]}}',
    );
    expect(result('{"customer":[[{"email":1}],2]}')).toBe(
      '{"customer":[[{"email":1}],null],"lines":null,"total":null}',
    );
    expect(result('{"toString":1,"customer":{"__proto__":{"email":"x"}}}')).toBe(
      '{"customer":{"email":null},"lines":null,"total":null}',
    );
  });

  test('names the line and the column of what is wrong', () => {
    expect(issued('subscription {\n  event {\n    ... on BookingCreated { bookingcode total { x } }\n  }\n}')).toEqual([
      '3:29 Cannot query field "bookingcode" on type "BookingCreated". Did you mean "booking_code"?',
      '3:47 Field "total" must not have a selection since type "Float" has no subfields.',
    ]);
    expect(issued('subscription { event { ... on Nothing { id } } }')).toEqual([
      '1:31 Unknown type "Nothing". Did you mean "String"?',
    ]);
    expect(issued('subscription { event { ... on BookingCreated { customer } } }')).toEqual([
      '1:48 Field "customer" of type "BookingCreatedPerson" must have a selection of subfields. Did you mean "customer { ... }"?',
    ]);
  });

  test.each([
    ['', '1:1 Unexpected <EOF>.'],
    ['subscription { event { id } ', '1:29 Expected Name, found <EOF>.'],
    ['query { event { id } }', '1:1 A shape is one subscription'],
    ['{ event { id } }', '1:1 A shape is one subscription'],
    ['subscription { event { id } } subscription B { event { id } }', '1:31 A shape is one subscription'],
    ['fragment A on Event { id }', '1:1 A shape is one subscription'],
    ['subscription { event { id } } type X { a: Int }', '1:31 A shape is one subscription'],
    ['subscription { event { id } other: event { id } }', '1:29 A shape has one field at its top'],
    ['subscription { ... { event { id } } }', '1:16 A shape has one field at its top'],
    ['subscription { event @skip(if: true) { id } }', '1:16 A shape has one field at its top'],
    ['subscription { __schema { types { name } } }', '1:16 A shape has one field at its top'],
    ['subscription { event }', '1:16 A shape has one field at its top'],
    ['subscription($a: Boolean) { event { id } }', '1:14 A shape has no variables.'],
    ['subscription { event { id @include(if: $a) } }', '1:40 A shape has no variables.'],
    ['subscription { event { id(a: [1]) } }', '1:30 A shape has no lists.'],
    ['subscription { event { id(a: 1) } }', '1:30 A shape has no numbers.'],
    ['subscription { event { id(a: "x") } }', '1:30 A shape has no texts.'],
    ['subscription { event { id(a: true) } }', '1:27 Unknown argument "a" on field "Event.id".'],
    ['subscription { event { id @deprecated } }', '1:27 Unknown directive "@deprecated".'],
    ['subscription { event { id @include(if: yes) } }', '1:40 Boolean cannot represent a non boolean value: yes'],
    ['subscription { event { id @include } }', '1:27 Directive "@include" argument "if"'],
    ['subscription @include(if: true) { event { id } }', '1:14 Directive "@include" may not be used on SUBSCRIPTION.'],
    ['subscription { event { __schema { types { name } } } }', '1:24 Cannot query field "__schema" on type "Event".'],
    ['subscription { event { __proto__: id } }', '1:24 The name "__proto__" is GraphQL\'s own'],
    ['subscription { event { a: id a: type } }', '1:30 "a" stands for two fields'],
    ['subscription { event { a: id b: id c: id } }', '1:36 The result has "id" more than 2 times.'],
    ['subscription { event { ...A } }', '1:27 Unknown fragment "A".'],
    ['subscription { event { id } } fragment A on Event { id }', '1:31 Fragment "A" is never used.'],
    ['subscription { event { ...A } } fragment A on Event { ...A }', '1:55 Cannot spread fragment "A" within itself.'],
    ['subscription { event { ... on BookingCreated { ... on OrderPaid { id } } } }', '1:48 Fragment cannot be spread'],
    ['subscription { event { \u0000 } }', '1:24 Unexpected character: U+0000.'],
    ['subscription { event { ид } }', '1:24 Unexpected character: U+0438.'],
    [`subscription { event { ${'x'.repeat(201)} } }`, '1:24 The name is longer than 200 characters.'],
  ])('is refused where it is wrong: %s', (shape, message) => {
    expect(issued(shape)[0]).toContain(message);
  });
});

describe('hostile shapes', () => {
  const nested = (levels: number, field: string) => `${`${field} {`.repeat(levels)} id ${'}'.repeat(levels)}`;
  const deepSchema = (levels: number): Schema => (levels === 0 ? text : object({ a: deepSchema(levels - 1), b: text }));
  const deep = known({ 'deep.event': deepSchema(14) });
  const inDeep = (fields: string, more = '') => `subscription { event { ... on DeepEvent { ${fields} } } } ${more}`;
  const path = (levels: number) => `${'a { '.repeat(levels - 1)} b ${'}'.repeat(levels - 1)}`;

  test.each([
    ['8,000 braces', `subscription ${'{'.repeat(8_000)}`, '1:44 The fields are more than 10 levels deep.'],
    ['8,000 levels', `subscription ${nested(2_000, 'a')}`, 'The fields are more than 10 levels deep.'],
    ['8,000 inline fragments', `subscription { event ${'{ ... '.repeat(2_000)}`, 'more than 10 levels deep.'],
    ['11 levels', inDeep(path(11)), 'The fields are more than 10 levels deep.'],
    ['many fields', `subscription { event { ${'id '.repeat(5_000)} } }`, '1:621 A shape has at most 200 fields.'],
    ['many fragments', `subscription { event { ${'...A '.repeat(3_000)} } }`, 'A shape has at most 200 fragments.'],
    ['many wrong fields', `subscription { event { ${'nothing '.repeat(199)} } }`, 'Cannot query field "nothing"'],
    ['many parentheses', `subscription { event ${'('.repeat(15_000)}`, '1:23 Expected Name, found "(".'],
    ['many arguments', `subscription { event { id(${'a: true '.repeat(1_500)}) } }`, 'There can be only one argument'],
    ['many directives', `subscription { event { id ${'@skip(if: false) '.repeat(800)} } }`, 'directive "@skip"'],
    ['a long comment', `# ${'x'.repeat(16_000)}`, 'Unexpected <EOF>.'],
    ['a long name', `subscription { event { ${'x'.repeat(16_000)} } }`, 'The name is longer than 200 characters.'],
  ])('%s are refused within milliseconds', (_, shape, message) => {
    expect(within(50, () => issued(shape, deep)[0])).toContain(message);
  });

  test('fragments that double with each other are refused, and so are circles of them', () => {
    const name = (level: number) => `DeepEvent${'A'.repeat(level)}`;
    const doubling = Array.from(
      { length: 9 },
      (_, n) => `fragment F${n} on ${name(n)} { x: a { ...F${n + 1} } y: a { ...F${n + 1} } }`,
    );
    const bomb = inDeep('...F0', `${doubling.join('\n')} fragment F9 on ${name(9)} { b }`);
    expect(within(50, () => issued(bomb, deep)[0])).toMatch(/^\d+:\d+ The result has "a(\.a)*" more than 2 times\.$/);
    const wide = Array.from({ length: 60 }, (_, n) => `fragment W${n} on Event { ...W${n + 1} ...W${n + 1} id }`);
    const all = `subscription { event { ...W0 } } ${wide.join('\n')} fragment W60 on Event { id }`;
    expect(within(50, () => issued(all, deep))).toEqual([]);
    const circle = 'fragment A on Event { ...B } fragment B on Event { ...C } fragment C on Event { ...A }';
    expect(issued(`subscription { event { ...A } } ${circle}`)[0]).toContain(
      'Cannot spread fragment "A" within itself',
    );
  });

  test('fields within fragments count wherever the fragments are', () => {
    const fields = Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`f${n}`, text]));
    const among = known({
      'a.b': object({ x: { $ref: '#/$defs/p' }, y: { $ref: '#/$defs/p' } }, { $defs: { p: object(fields) } }),
    });
    const shape = `subscription { event { ... on AB { x { ...P } y { ...P } } } } fragment P on ABP { ${Object.keys(fields).join(' ')} }`;
    expect(issued(shape, among)[0]).toContain('A shape has at most 200 fields, with its fragments written out.');
  });
});

describe('hostile payloads', () => {
  test('256 KiB are projected within a moment, also as 80,000 small items', () => {
    const shape = `subscription { event { ... on BookingCreated { lines { sku qty unit_price } extra } } }`;
    const large = JSON.stringify({
      lines: Array.from({ length: 4_000 }, (_, n) => ({ sku: `S${n}`, qty: n, 'unit-price': 1 })),
    });
    const small = `{"lines":[${'{},'.repeat(80_000)}{}]}`;
    const result = within(200, () => sent(shape, 'booking.created', large));
    expect(JSON.parse(result).lines[3_999]).toEqual({ sku: 'S3999', qty: 3_999, unit_price: 1 });
    expect(within(200, () => sent(shape, 'booking.created', small))).toBe('null');
  });

  test('a result has 20,000 fields beyond what its payload has room for, and no more', () => {
    const fields = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`f${n}`, text]));
    const shape = `subscription { event { ... on OpenList { lines { ${Object.keys(fields).join(' ')} } } } }`;
    const among = known({ 'open.list': object({ lines: list(object(fields)) }) });
    const payload = (items: number) => `{"lines":[${'{},'.repeat(items - 1)}{}]}`;
    // Each item takes eleven steps, and has room for one and a half.
    const most = (20_000 + payload(1).length / 2) / (11 - 3 / 2);
    const fits = (items: number) => sent(shape, 'open.list', payload(items), among) !== 'null';
    expect([fits(Math.floor(most) - 1), fits(Math.ceil(most) + 1)]).toEqual([true, false]);
  });

  test('names that a list repeats for each item cannot make the result grow without an end', () => {
    const keys = Array.from({ length: 2 }, (_, n) => `${'k'.repeat(190)}${n}: sku`).join(' ');
    const shape = `subscription { event { ... on BookingCreated { lines { ${keys} } } } }`;
    expect(sent(shape, 'booking.created', `{"lines":[${'{},'.repeat(600)}{}]}`)).not.toBe('null');
    expect(sent(shape, 'booking.created', `{"lines":[${'{},'.repeat(700)}{}]}`)).toBe('null');
  });

  test('500 levels are projected, as lists of lists and within a field of any form', () => {
    const shape = 'subscription { event { ... on BookingCreated { lines { sku } extra } } }';
    const lists = `${'['.repeat(498)}{"sku":1}${']'.repeat(498)}`;
    const objects = `${'{"a":'.repeat(498)}1${'}'.repeat(498)}`;
    expect(sent(shape, 'booking.created', `{"lines":${lists},"extra":${objects}}`)).toBe(
      `{"lines":${lists},"extra":${objects}}`,
    );
  });
});

test('fields that a schema no longer has are named', () => {
  const plan = planOf(
    'subscription { event { id ... on BookingCreated { total customer { email age } lines { sku qty } extra } } }',
  );
  const missing = (schema: Schema) => missingFields(schema, plan.types['booking.created']!);
  expect(missing(booking)).toEqual([]);
  expect(
    missing(object({ customer: object({ email: text }), lines: { type: 'array' }, extra: object({ a: text }) })),
  ).toEqual([...['total', 'customer.age']]);
  expect(missing(object({ total: text, customer: text, lines: text, extra: text }))).toEqual([
    ...['customer.email', 'customer.age', 'lines.sku', 'lines.qty'],
  ]);
  const former = planOf(
    'subscription { event { ... on BookingCreated { total previous { total customer { age } } } } }',
  );
  expect(missingFields(booking, former.types['booking.created']!)).toEqual([]);
  expect(missingFields(object({ customer: object({ email: text }) }), former.types['booking.created']!)).toEqual([
    ...['total', 'previous.total', 'previous.customer.age'],
  ]);
});

test('a shape names event types with half a million characters of schemas together, and not more', () => {
  const chars = 50_000;
  const large = object(Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`field_${n}`, text])));
  const padded = { ...large, description: 'x'.repeat(chars - JSON.stringify(large).length) };
  const types = known(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`large.n${n}`, padded])));
  const shapeOf = (count: number) => {
    const branches = Array.from({ length: count }, (_, n) => `... on LargeN${n} { field_1 }`);
    return readShape(`subscription { event { ${branches.join(' ')} } }`, types);
  };
  expect(shapeOf(10)).toMatchObject({ plan: { types: { 'large.n9': [{ property: 'field_1' }] } } });
  expect(shapeOf(11)).toEqual({
    faults: [{ line: 1, column: 1, message: expect.stringContaining('more than 524288 characters together') }],
  });
});

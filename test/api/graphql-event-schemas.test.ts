import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeKey, makeTenant, type TestTenant } from '../support/factories.js';
import { codesOf, GraphqlApi } from '../support/graphql-api.js';

let api: GraphqlApi;
let platform: { id: number; key: string };
let tenant: TestTenant;
beforeAll(async () => {
  api = await GraphqlApi.open();
  platform = await makeKey(api.services, null, ['platform:admin']);
  tenant = await makeTenant(api.services);
});
afterAll(() => api?.close());

const object = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest });
const register = (name: string, schema: object) =>
  api.ask(
    'mutation ($input: RegisterEventTypeInput!) { registerEventType(input: $input) { eventType { samplePayload } } }',
    { input: { name, description: 'A thing.', schema } },
    platform,
  );
const emit = (event: string, payload: object) =>
  api.ask(
    'mutation ($input: EmitEventInput!) { emitEvent(input: $input) { event { body } } }',
    { input: { event, payload } },
    tenant,
  );
const issues = ({ errors }: Awaited<ReturnType<typeof emit>>) => errors[0]?.extensions.errors;

describe('a schema with $async', () => {
  test('is refused, at the place where it stands', async () => {
    const answer = await register('async.type', object({ a: { type: 'string', $async: true } }));
    expect(codesOf(answer)).toEqual(['BAD_USER_INPUT']);
    expect(issues(answer)).toMatchObject([
      { path: ['input', 'schema', 'properties', 'a', '$async'], code: 'schema_keyword' },
    ]);
  });

  test('that is stored from before judges payloads as if it had none', async () => {
    const schema = { $async: true, ...object({ a: { type: 'string', $async: true } }) };
    await api.owner.query(
      `insert into hookwright.event_types (name, description, schema) values ('async.stored', '', $1)`,
      [JSON.stringify(schema)],
    );
    expect((await emit('async.stored', { a: 'x' })).errors).toEqual([]);
    expect(issues(await emit('async.stored', { a: 1 }))).toMatchObject([
      { path: ['input', 'payload', 'a'], code: 'schema_type' },
    ]);
  });
});

describe('a schema with names that every object inherits', () => {
  test.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty'])('is registered with %s', async (name) => {
    const type = `named.${name.toLowerCase()}`;
    const inner = object({ [name]: { type: 'string' } }, { required: [name] });
    const { data, errors } = await register(type, object({ [name]: inner }, { required: [name] }));
    expect(errors).toEqual([]);
    const sample = { [name]: { [name]: 'text' } };
    expect(data.registerEventType.eventType.samplePayload).toEqual(sample);
    expect((await emit(type, sample)).errors).toEqual([]);
    expect(issues(await emit(type, {}))).toMatchObject([{ path: ['input', 'payload', name] }]);
  });

  test('is registered with __proto__ as a required field, and refused with other rules for it', async () => {
    const { data, errors } = await register('named.proto', object({}, { required: ['__proto__'] }));
    expect(errors).toEqual([]);
    expect(JSON.stringify(data.registerEventType.eventType.samplePayload)).toBe('{"__proto__":"text"}');
    const properties = JSON.parse('{"__proto__":{"type":"string"}}');
    expect(issues(await register('named.proto2', object(properties)))).toMatchObject([
      { path: ['input', 'schema', 'properties', '__proto__'], code: 'schema_name' },
    ]);
  });
});

describe('an enum of objects', () => {
  beforeAll(async () => {
    await register('place.moved', object({ geo: { enum: [{ type: 'Point', at: [1] }] } }));
  });

  test('accepts an equal one, in a variable and in the document', async () => {
    expect((await emit('place.moved', { geo: { at: [1], type: 'Point' } })).errors).toEqual([]);
    const literal = '{event: "place.moved", payload: {geo: {type: "Point", at: [1]}}}';
    const { errors } = await api.ask(`mutation { emitEvent(input: ${literal}) { event { body } } }`, {}, tenant);
    expect(errors).toEqual([]);
  });

  test.each(['valueOf', 'toString', 'constructor', '__proto__'])('refuses one with %s', async (name) => {
    const answer = await emit('place.moved', { geo: JSON.parse(`{"${name}":1}`) });
    expect(issues(answer)).toEqual([
      {
        path: ['input', 'payload', 'geo'],
        code: 'schema_enum',
        detail: 'must be equal to one of the allowed values: {"type":"Point","at":[1]}',
      },
    ]);
  });
});

describe('an error names the field that is too much', () => {
  const known = object({ a: {} });
  const unknown = { code: 'schema_unevaluatedProperties', detail: 'is not a field of this event type' };
  const path = (...steps: string[]) => ['input', 'payload', ...steps];

  test.each<[string, string, object, object, object[]]>([
    [
      'unevaluatedProperties',
      'extra.unevaluated',
      { ...known, properties: { in: { ...known, unevaluatedProperties: false } }, unevaluatedProperties: false },
      { in: { b: 1 }, c: 1 },
      [
        { path: path('in', 'b'), ...unknown },
        { path: path('c'), ...unknown },
      ],
    ],
    [
      'propertyNames',
      'extra.names',
      object({ in: { propertyNames: { pattern: '^[a-z]+$', maxLength: 5 } } }),
      { in: { abc: 1, Ab: 2 } },
      [
        {
          path: path('in', 'Ab'),
          code: 'schema_pattern',
          detail: 'has a name that breaks a rule: must match pattern "^[a-z]+$"',
        },
        { path: path('in', 'Ab'), code: 'schema_propertyNames', detail: 'has a name that is not allowed' },
      ],
    ],
  ])('by %s', async (_, name, schema, payload, expected) => {
    await register(name, schema);
    expect(issues(await emit(name, payload))).toEqual(expected);
  });
});

test('a repetition with an idempotency key is judged by the type as it is now', async () => {
  await register('key.kept', object({}));
  const emitAgain = () =>
    api.ask(
      'mutation ($input: EmitEventInput!) { emitEvent(input: $input) { duplicate } }',
      { input: { event: 'key.kept', payload: {}, idempotencyKey: 'k' } },
      tenant,
    );
  const change = (mutation: string) => api.ask(`mutation { ${mutation} { eventType { name } } }`, {}, platform);
  expect((await emitAgain()).data.emitEvent.duplicate).toBe(false);
  await change('deprecateEventType(input: {name: "key.kept"})');
  expect(issues(await emitAgain())).toMatchObject([{ code: 'event_type_deprecated' }]);
  await change('deprecateEventType(input: {name: "key.kept", deprecated: false})');
  expect((await emitAgain()).data.emitEvent.duplicate).toBe(true);
  await change('updateEventType(input: {name: "key.kept", schema: {type: "object", required: ["a"]}})');
  expect(issues(await emitAgain())).toMatchObject([{ code: 'schema_required' }]);
});

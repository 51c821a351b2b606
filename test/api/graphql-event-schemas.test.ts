import { afterAll, describe, expect, test } from 'vitest';
import { makeKey, makeTenant } from '../support/factories.js';
import { type Answer, codesOf, dataOf, GraphqlApi } from '../support/graphql-api.js';

const api = await GraphqlApi.open();
const platform = await makeKey(api.services, null, ['platform:admin']);
const tenant = await makeTenant(api.services);
afterAll(() => api.close());

const object = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest });
const register = (name: string, schema: object) =>
  api
    .by(platform)
    .mutate('registerEventType', { name, description: 'A thing.', schema }, 'eventType { samplePayload }');
const emit = (event: string, payload: object) =>
  api.by(tenant).mutate('emitEvent', { event, payload }, 'event { body }');
const issues = ({ errors }: Answer) => errors[0]?.extensions.errors;

test('a schema with $async is refused, at the place where it stands', async () => {
  const answer = await register('async.type', object({ a: { type: 'string', $async: true } }));
  expect(codesOf(answer)).toEqual(['BAD_USER_INPUT']);
  expect(issues(answer)).toMatchObject([
    { path: ['input', 'schema', 'properties', 'a', '$async'], code: 'schema_keyword' },
  ]);
});

describe('a schema with names that every object inherits', () => {
  test.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty'])('is registered with %s', async (name) => {
    const type = `named.${name.toLowerCase()}`;
    const inner = object({ [name]: { type: 'string' } }, { required: [name] });
    const answer = await register(type, object({ [name]: inner }, { required: [name] }));
    const sample = { [name]: { [name]: 'text' } };
    expect(dataOf(answer).registerEventType.eventType.samplePayload).toEqual(sample);
    expect(codesOf(await emit(type, sample))).toEqual([]);
    expect(issues(await emit(type, {}))).toMatchObject([{ path: ['input', 'payload', name] }]);
  });

  test('is registered with __proto__ as a required field, and refused with other rules for it', async () => {
    const answer = await register('named.proto', object({}, { required: ['__proto__'] }));
    const { samplePayload } = dataOf(answer).registerEventType.eventType;
    expect(JSON.stringify(samplePayload)).toBe('{"__proto__":"text"}');
    const properties = JSON.parse('{"__proto__":{"type":"string"}}');
    expect(issues(await register('named.proto2', object(properties)))).toMatchObject([
      { path: ['input', 'schema', 'properties', '__proto__'], code: 'schema_name' },
    ]);
  });
});

describe('an error names', () => {
  test('the values of an enum, to a payload in a variable and in the document', async () => {
    await register('place.moved', object({ geo: { enum: ['here', null] } }));
    expect((await emit('place.moved', { geo: null })).errors).toEqual([]);
    const literal = '{event: "place.moved", payload: {geo: {valueOf: "Point"}}}';
    for (const answer of [
      await emit('place.moved', { geo: { valueOf: 1 } }),
      await api.by(tenant).ask(`mutation { emitEvent(input: ${literal}) { event { body } } }`),
    ]) {
      expect(issues(answer)).toEqual([
        {
          path: ['input', 'payload', 'geo'],
          code: 'schema_enum',
          detail: 'must be equal to one of the allowed values: "here", null',
        },
      ]);
    }
  });

  test('the field whose name breaks a rule, or is too much', async () => {
    const names = { propertyNames: { pattern: '^[a-z]+$', maxLength: 5 } };
    await register('extra.names', object({ in: names }, { additionalProperties: false }));
    const path = (...steps: string[]) => ['input', 'payload', ...steps];
    expect(issues(await emit('extra.names', { in: { abc: 1, Ab: 2 }, c: 1 }))).toEqual([
      { path: path('c'), code: 'schema_additionalProperties', detail: 'is not a field of this event type' },
      {
        path: path('in', 'Ab'),
        code: 'schema_pattern',
        detail: 'has a name that breaks a rule: must match pattern "^[a-z]+$"',
      },
      { path: path('in', 'Ab'), code: 'schema_propertyNames', detail: 'has a name that is not allowed' },
    ]);
  });
});

test('a repetition with an idempotency key is judged by the type as it is now', async () => {
  await register('key.kept', object({}));
  const emitAgain = () => {
    const input = { event: 'key.kept', payload: {}, idempotencyKey: 'k' };
    return api.by(tenant).mutate('emitEvent', input, 'duplicate');
  };
  const change = (mutation: string, input: object = {}) =>
    api.by(platform).mutate(mutation, { name: 'key.kept', ...input }, 'eventType { name }');
  expect((await emitAgain()).data.emitEvent.duplicate).toBe(false);
  await change('deprecateEventType');
  expect(issues(await emitAgain())).toMatchObject([{ code: 'event_type_deprecated' }]);
  await change('deprecateEventType', { deprecated: false });
  expect((await emitAgain()).data.emitEvent.duplicate).toBe(true);
  await change('updateEventType', { schema: { type: 'object', required: ['a'] } });
  expect(issues(await emitAgain())).toMatchObject([{ code: 'schema_required' }]);
});

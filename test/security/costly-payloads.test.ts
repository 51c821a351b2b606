import { afterAll, describe, expect, test } from 'vitest';
import { makeKey, makeTenant } from '../support/factories.js';
import { GraphqlApi } from '../support/graphql-api.js';

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
const { key } = await makeKey(api.services, null, ['platform:admin']);
afterAll(() => api.close());

const names = Array.from({ length: 15 }, (_, n) => `a_required_field_${n}`);
const shape = { type: 'object', required: names };
const items = (schema: object) => ({ type: 'array', items: schema });
const types = {
  'cost.shapes': items({ oneOf: Array.from({ length: 16 }, () => shape) }),
  'cost.choices': items({ anyOf: [...Array.from({ length: 60 }, () => ({ maximum: 0 })), { type: 'number' }] }),
  'cost.pattern': items({ pattern: '[0-9a-z]{1,490}@' }),
};
const text = `mutation ($input: RegisterEventTypeInput!) { registerEventType(input: $input) { eventType { name } } }`;
for (const [name, lines] of Object.entries(types)) {
  const schema = { type: 'object', properties: { lines } };
  const { errors } = await api.ask(text, { input: { name, description: 'Lines.', schema } }, { key });
  expect(errors).toEqual([]);
}
const issuesOf = async (event: string, lines: unknown[]) => {
  const text = 'mutation ($input: EmitEventInput!) { emitEvent(input: $input) { event { id } } }';
  const { errors } = await api.ask(text, { input: { event, payload: { lines } } }, tenant);
  return errors[0]?.extensions.errors;
};

describe('a payload of 256 KiB', () => {
  test('that breaks every rule of each of its 80,000 lines is refused for its first ones', async () => {
    const issues = await issuesOf('cost.shapes', Array(80_000).fill({}));
    expect(issues.length).toBeLessThanOrEqual(20);
    expect(issues[0].path.slice(0, 4)).toEqual(['input', 'payload', 'lines', 0]);
  });

  test('that would take long to check is refused, and a smaller one is not', async () => {
    expect(await issuesOf('cost.choices', Array(120_000).fill(1))).toEqual([
      {
        path: ['input', 'payload'],
        code: 'payload_too_costly',
        detail: 'takes too long to check against the schema of its event type: send fewer values in one event',
      },
    ]);
    expect(await issuesOf('cost.choices', [1, 2, 3])).toBeUndefined();
  });

  test('whose texts would take long to match is refused with the pattern', async () => {
    expect(await issuesOf('cost.pattern', ['a@', 'a'.repeat(250_000)])).toMatchObject([
      { path: ['input', 'payload'], code: 'pattern_too_costly', detail: expect.stringContaining('[0-9a-z]{1,490}@') },
    ]);
    expect(await issuesOf('cost.pattern', ['a@', 'b'])).toMatchObject([{ code: 'schema_pattern' }]);
  });
});

test('events that take long to check are checked in turns with those of other tenants', async () => {
  const other = await makeTenant(api.services);
  const emitMany = 'mutation ($input: EmitEventsInput!) { emitEvents(input: $input) { results { deliveryCount } } }';
  const emitOne = 'mutation ($input: EmitEventInput!) { emitEvent(input: $input) { deliveryCount } }';
  const events = Array(40).fill({ event: 'cost.choices', payload: { lines: Array(15_000).fill(1) } });
  const answered: string[] = [];
  const batch = api.ask(emitMany, { input: { events } }, tenant).then(({ data }) => {
    answered.push('batch');
    return data;
  });
  const payload = { code: 'SUMMER', discount_type: 'percent' };
  const single = api.ask(emitOne, { input: { event: 'coupon.applied', payload } }, other).then(({ errors }) => {
    answered.push('single');
    return errors;
  });
  expect(await single).toEqual([]);
  expect((await batch).emitEvents.results).toHaveLength(40);
  expect(answered).toEqual(['single', 'batch']);
});

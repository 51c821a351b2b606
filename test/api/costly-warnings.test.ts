import { afterAll, expect, test } from 'vitest';
import { widthOf } from '../../src/domain/schema-rules/schema-width.js';
import { makeKey, makeTenant } from '../support/factories.js';
import { GraphqlApi } from '../support/graphql-api.js';

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
const { key } = await makeKey(api.services, null, ['platform:admin']);
afterAll(() => api.close());

/** A field may stand at any of 900 places. */
const branches = (count: number, make: (n: number) => object) => Array.from({ length: count }, (_, n) => make(n));
const schema = {
  type: 'object',
  allOf: branches(30, (n) => ({
    properties: { lines: { anyOf: branches(30, (m) => ({ properties: { [`f${n}_${m}`]: {} } })) } },
  })),
};

/** The greatest number of places in schemas that are looked at. */
const LOOKS_MAX = 40_000;

/** How many of 400 placeholders that no event type has are warned of. */
async function warnedOf(event: string): Promise<number> {
  const text = `mutation ($input: CreateWebhookInput!) {
    createWebhook(input: $input) { webhook { content { warnings { code } } } } }`;
  const template = Array.from({ length: 400 }, (_, n) => `{{lines.not_there_${n}}}`);
  const input = { url: 'https://example.com', eventTypes: [event], content: { format: 'TEMPLATE', template } };
  const { data, errors } = await api.ask(text, { input }, tenant);
  expect(errors).toEqual([]);
  const { warnings } = data.createWebhook.webhook.content;
  expect(new Set(warnings.map(({ code }: { code: string }) => code))).toEqual(new Set(['path_not_in_schema']));
  return warnings.length;
}

test('every placeholder of a long template is looked for in usual schemas', async () => {
  expect(await warnedOf('coupon.applied')).toBe(400);
});

test('in schemas with many branches so many are looked for as do not take long', async () => {
  const register = `mutation ($input: RegisterEventTypeInput!) { registerEventType(input: $input) { eventType { name } } }`;
  const input = { name: 'cost.branches', description: 'Lines of many kinds.', schema };
  expect((await api.ask(register, { input }, { key })).errors).toEqual([]);
  expect(await warnedOf('cost.branches')).toBe(Math.floor(LOOKS_MAX / widthOf(schema)));
});

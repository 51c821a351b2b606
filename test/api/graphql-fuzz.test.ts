import fc from 'fast-check';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SCOPES } from '../../src/domain/api-key.js';
import { buildGraphqlSchema } from '../../src/graphql/schema.js';
import { makeKey, makeTenant, makeWebhook, type TestTenant } from '../support/factories.js';
import { codesOf, GraphqlApi } from '../support/graphql-api.js';

let api: GraphqlApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await GraphqlApi.open();
  tenant = await makeTenant(api.services);
  // Ids are tried too, and a key that revokes itself would end the trial.
  tenant.key = (await makeKey(api.services, tenant.id, SCOPES)).key;
  await makeWebhook(api.services, tenant.id);
});
afterAll(() => api?.close());

const schema = await buildGraphqlSchema();

/** Texts that have broken something somewhere before, beside those that mean something here. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    '*',
    '\u0000',
    '\ud800',
    '1',
    '-1',
    '0x1',
    '9223372036854775808',
    '9007199254740991',
    "'; drop table hookwright.webhooks; --",
    '{1,2}',
    '__proto__',
    'coupon.applied',
    'webhook.test',
    'https://a.example.com/\u0000',
    'https://a.example.com/',
    Buffer.from('id:1').toString('base64url'),
    Buffer.from('id:9007199254740991').toString('base64url'),
    'x'.repeat(5000),
    ...SCOPES,
  ),
);

/** Values of a type, mostly: one in twenty is of another one. */
function anyOf(type: GraphQLInputType): fc.Arbitrary<unknown> {
  if (isNonNullType(type)) {
    return anyOf(type.ofType);
  }
  if (isListType(type)) {
    return fc.array(anyOf(type.ofType), { maxLength: 4 });
  }
  const right = isInputObjectType(type)
    ? fc.record(
        Object.fromEntries(Object.values(type.getFields()).map((field) => [field.name, anyOf(field.type)])),
        {
          requiredKeys: Object.values(type.getFields())
            .filter((field) => isNonNullType(field.type))
            .map(({ name }) => name),
        },
      )
    : isEnumType(type)
      ? fc.constantFrom(...type.getValues().map(({ name }) => name))
      : scalarOf(getNamedType(type).name);
  return fc.oneof({ weight: 19, arbitrary: right }, { weight: 1, arbitrary: fc.oneof(fc.jsonValue(), text) });
}

function scalarOf(name: string): fc.Arbitrary<unknown> {
  switch (name) {
    case 'Int':
      return fc.oneof(
        fc.integer({ min: -2_147_483_648, max: 2_147_483_647 }),
        fc.integer({ min: -2, max: 120 }),
      );
    case 'Boolean':
      return fc.boolean();
    case 'JSONObject':
      return fc.oneof(fc.dictionary(text, fc.jsonValue()), fc.record({ code: text, discount_type: text }));
    case 'DateTime':
      return fc.oneof(
        text,
        fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
        fc.constantFrom('0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999999999-23:59'),
      );
    default:
      return text;
  }
}

/** A selection of every scalar of the answer, so that all of them are serialised. */
function selectionOf(type: GraphQLField<unknown, unknown>['type'], depth: number): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) {
    return '';
  }
  const fields = Object.values(named.getFields())
    .filter((field) => depth > 0 || !isObjectType(getNamedType(field.type)))
    .map((field) => `${field.name} ${selectionOf(field.type, depth - 1)}`);
  return `{ __typename ${fields.join(' ')} }`;
}

function operationOf(kind: 'query' | 'mutation', field: GraphQLField<unknown, unknown>): string {
  const each = (write: (arg: GraphQLArgument) => string) =>
    field.args.length === 0 ? '' : `(${field.args.map(write).join(', ')})`;
  const variables = each(({ name, type }) => `$${name}: ${type}`);
  return `${kind} ${variables} { ${field.name}${each(({ name }) => `${name}: $${name}`)} ${selectionOf(field.type, 2)} }`;
}

const fields = (['query', 'mutation'] as const).flatMap((kind) => {
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  return Object.values(root?.getFields() ?? {}).map((field) => ({ kind, field, name: field.name }));
});

test.each(fields)(
  '$kind $name answers whatever it is given with data or a typed error',
  async ({ kind, field }) => {
    const query = operationOf(kind, field);
    const variables = fc.record(Object.fromEntries(field.args.map((arg) => [arg.name, anyOf(arg.type)])), {
      requiredKeys: [],
    });
    await fc.assert(
      fc.asyncProperty(variables, async (given) => {
        const answer = await api.ask(query, given, tenant);
        expect([200, 400, 413]).toContain(answer.status);
        for (const code of codesOf(answer)) {
          expect(['BAD_USER_INPUT', 'NOT_FOUND', 'CONFLICT', 'FORBIDDEN', 'PAYLOAD_TOO_LARGE']).toContain(
            code,
          );
        }
      }),
      { numRuns: 100 },
    );
  },
);

import { readFile } from 'node:fs/promises';
import {
  GraphQLError,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { buildGraphqlSchema, printGraphqlSchema } from '../../src/api/graphql/schema.js';
import { prepareOperation } from '../../src/api/rest/run-operation.js';

const schema = await buildGraphqlSchema();

const ownTypes = (): GraphQLNamedType[] =>
  Object.values(schema.getTypeMap()).filter((type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type));

function* described(type: GraphQLNamedType): Generator<[place: string, description: unknown]> {
  yield [type.name, type.description];
  if (isEnumType(type)) {
    for (const value of type.getValues()) {
      yield [`${type.name}.${value.name}`, value.description];
    }
  }
  if (isInputObjectType(type) || isObjectType(type)) {
    for (const field of Object.values(type.getFields())) {
      yield [`${type.name}.${field.name}`, field.description];
      for (const arg of 'args' in field ? field.args : []) {
        yield [`${type.name}.${field.name}(${arg.name})`, arg.description];
      }
    }
  }
}

describe('the GraphQL schema', () => {
  test('is what schema.graphql says: after a change, run `npm run schema`', async () => {
    const committed = await readFile(new URL('../../schema.graphql', import.meta.url), 'utf8');
    expect(committed).toBe(printGraphqlSchema(schema));
  });

  test('describes every type, field, argument and enum value', () => {
    const all = ownTypes().flatMap((type) => [...described(type)]);
    const bare = all.filter(([, description]) => !description);
    expect(bare.map(([place]) => place)).toEqual([]);
    expect(all.length).toBeGreaterThan(200);
  });

  test('shows nothing of a webhook, key or tenant that is secret or private', () => {
    const printed = printGraphqlSchema(schema);
    for (const name of ['sealedSecret', 'hash', 'dataKey', 'generation', 'tenantId:', 'keepHeld', 'deletedAt']) {
      const place = new RegExp(`^\\s+${name}`, 'm');
      expect(printed.replace(/input (EmitEvent|ScheduleEvent|CreatePortalSession)Input \{[^}]*\}/g, '')).not.toMatch(
        place,
      );
    }
    expect(printed.match(/^ {2}secret: String!/gm)).toHaveLength(2);
    const others = /(input MetadataFilter|input UnblockKeyInput|type OrderingKey) \{[^}]*\}/g;
    expect(printed.replace(others, '').match(/^ {2}key: String!/gm)).toHaveLength(1);
  });

  test('its descriptions read as English', () => {
    const printed = printGraphqlSchema(schema);
    expect(printed).not.toMatch(/\b[Aa] (Event|[aeio][a-z]+|A[a-z]+)\b/);
    expect(printed).toContain('"An event in a list."');
  });

  test("does not start with a REST route's document that does not fit it", () => {
    expect(() => prepareOperation(schema, '{ webhooks { edges { node { renamed } } } }')).toThrow(/renamed/);
    expect(() => prepareOperation(schema, '{ webhooks {')).toThrow(GraphQLError);
  });

  test('has one input and one payload for every mutation', () => {
    for (const field of Object.values(schema.getMutationType()!.getFields())) {
      const name = field.name[0]!.toUpperCase() + field.name.slice(1);
      expect(field.args.map((arg) => `${arg.name}: ${arg.type}`)).toEqual([`input: ${name}Input!`]);
      expect(String(field.type)).toBe(`${name}Payload!`);
    }
  });

  test('is printed in an order of its own, whatever the order of the code', () => {
    const types = [...printGraphqlSchema(schema).matchAll(/^(?:type|input|enum|scalar) (\w+)/gm)].map(
      ([, name]) => name!,
    );
    expect(types).toEqual([...types].sort());
  });
});

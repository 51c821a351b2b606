import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.js';
import { BrokenDocument } from '../../src/graphql/fields/errors.js';
import { Documents } from '../../src/graphql/requests/documents.js';
import { buildGraphqlSchema } from '../../src/graphql/schema.js';

const schema = await buildGraphqlSchema();
const config = readConfig({});

const text = (n: number) => `query Number${n} { viewer { scopes } }`;
/** Room for so many texts as above in each generation. */
const roomFor = (count: number) => {
  const { bytes } = new Documents(schema, config).find(text(10));
  return new Documents(schema, config, count * bytes);
};

describe('documents', () => {
  test('are judged once while they are asked for', () => {
    const documents = roomFor(3);
    const first = documents.find(text(10));
    for (let n = 11; n < 50; n++) {
      const other = documents.find(text(n));
      expect(documents.find(text(n))).toBe(other);
      expect(documents.find(text(10))).toBe(first);
    }
  });

  test('are forgotten when as many others were asked for as there is room for', () => {
    const documents = roomFor(3);
    const first = documents.find(text(10));
    for (let n = 11; n < 16; n++) {
      documents.find(text(n));
    }
    expect(documents.find(text(10))).toBe(first); // from the older generation
    for (let n = 16; n < 22; n++) {
      documents.find(text(n));
    }
    expect(documents.find(text(10))).not.toBe(first);
  });

  test('take the more room the more tokens and characters they have', () => {
    const documents = new Documents(schema, config);
    const { bytes } = documents.find('{ viewer { scopes } }');
    expect(documents.find(`{ viewer { scopes } }${' '.repeat(60_000)}`).bytes).toBe(bytes + 60_000);
    expect(documents.find('{ viewer { scopes scopes } }').bytes).toBeGreaterThan(bytes + 100);
  });

  test('that are broken are judged each time', () => {
    const documents = new Documents(schema, config);
    for (const broken of ['{', '{ nothing }', '{', '{ nothing }']) {
      expect(() => documents.find(broken)).toThrow(BrokenDocument);
    }
  });

  test('have their operations by name, and without one the only one', () => {
    const documents = new Documents(schema, config);
    const two = documents.find(
      'query A { viewer { scopes } } mutation B { deleteWebhook(input: {id: "1"}) { deletedWebhookId } }',
    );
    expect(two.operation('A').kind).toBe('query');
    expect(two.operation('B').kind).toBe('mutation');
    for (const name of ['C', '']) {
      expect(() => two.operation(name)).toThrow(/no operation of the name that operationName says/);
    }
    for (const name of [undefined, null]) {
      expect(() => two.operation(name)).toThrow(/operationName must say which one is meant/);
    }
    const one = documents.find('query A { ...F } fragment F on Query { viewer { scopes } }');
    expect(one.operation(undefined)).toBe(one.operation('A'));
    expect(() => one.operation('')).toThrow();
  });
});

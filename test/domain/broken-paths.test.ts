import { describe, expect, test } from 'vitest';
import { brokenPaths, type OptionsWithPaths } from '../../src/domain/content/broken-paths.js';

/** What a new schema breaks in the options of a webhook. */

const text = { type: 'string' };
const amount = { type: 'object', properties: { amount: { type: 'number' } } };
const lines = { type: 'array', items: { type: 'object', properties: { sku: text } } };
const schema = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const before = schema({ id: text, total: amount, lines, note: text });

const none: OptionsWithPaths = { filter: null, keyPath: null, shape: null, format: null, text: null, template: null };
const broken = (options: Partial<OptionsWithPaths>, after: object, from: object = before) =>
  [
    ...brokenPaths({ ...none, ...options }, { eventType: 'order.paid', before: from as never, after: after as never }),
  ].flat();
const found = (options: Partial<OptionsWithPaths>, after: object, from: object = before) =>
  broken(options, after, from).map(({ option, path, code }) => `${option} ${path} ${code}`);

const more = { field: { path: 'total.amount', op: 'GT', value: 5 } } as const;
const sku = { field: { path: 'lines.sku', op: 'EQ', value: 'A' } } as const;

describe('a filter', () => {
  test('breaks where a path of it is gone, at any depth and each once', () => {
    const filter = { all: [more, { any: [sku, { not: more }] }] };
    expect(found({ filter }, schema({ id: text, lines }))).toEqual(['FILTER total.amount path_not_in_schema']);
    expect(found({ filter }, schema({ id: text, lines: text }))).toEqual([
      'FILTER total.amount path_not_in_schema',
      'FILTER lines.sku path_not_in_schema',
    ]);
    expect(broken({ filter: more }, schema({}))).toEqual([
      {
        ...{ option: 'FILTER', code: 'path_not_in_schema', path: 'total.amount', types: null },
        message: 'The new schema does not have total.amount.',
      },
    ]);
  });

  test('breaks where another type can never match, and not where another type still can', () => {
    const amountOf = (type: unknown) => schema({ total: schema({ amount: { type } }) });
    expect(broken({ filter: more }, amountOf('string'))).toEqual([
      {
        ...{ option: 'FILTER', code: 'value_type_not_in_schema', path: 'total.amount', types: ['string'] },
        message: 'total.amount is a string in the new schema: the condition never matches it.',
      },
    ]);
    expect(found({ filter: more }, amountOf(['string', 'number']))).toEqual([]);
    expect(found({ filter: more }, amountOf('integer'))).toEqual([]);
    expect(found({ filter: { field: { path: 'total.amount', op: 'EXISTS' } } }, amountOf('string'))).toEqual([]);
  });

  test('breaks by no path that the schema lacked before, or leaves open now', () => {
    expect(found({ filter: { field: { path: 'never.there', op: 'EXISTS' } } }, schema({}))).toEqual([]);
    expect(found({ filter: { field: { path: '@type', op: 'EQ', value: 'order.paid' } } }, schema({}))).toEqual([]);
    expect(found({ filter: more }, { type: 'object' })).toEqual([]);
    expect(found({ filter: more }, schema({ id: text }, { additionalProperties: amount }))).toEqual([]);
  });

  test('is not broken by a new field, whether it is required or not', () => {
    const after = { ...before, properties: { ...before.properties, extra: text }, required: ['extra'] };
    expect(found({ filter: { all: [more, sku] }, keyPath: 'id' }, after)).toEqual([]);
  });
});

describe('other options', () => {
  test('an ordering key breaks where it is gone, or is not a single value any more', () => {
    expect(found({ keyPath: 'id' }, schema({}))).toEqual(['ORDERING_KEY id path_not_in_schema']);
    expect(broken({ keyPath: 'id' }, schema({ id: amount }))).toMatchObject([
      { code: 'key_type_not_in_schema', message: 'id is an object in the new schema, which is not a key.' },
    ]);
    expect(found({ keyPath: 'id' }, schema({ id: { type: 'number' } }))).toEqual([]);
  });

  test('texts and templates break by their placeholders, as far as the format uses them', () => {
    const after = schema({ id: text, lines });
    const message = 'Paid {{total.amount}} for {{lines.0.sku}} ({{@id}}), {{total.amount}} \\{{note}}';
    const template = { total: '{{total.amount}}', deep: [{ note: 'About {{note}}' }] };
    expect(found({ format: 'SLACK', text: message, template }, after)).toEqual([
      'TEXT total.amount path_not_in_schema',
    ]);
    expect(found({ format: 'TEMPLATE', text: message, template }, after)).toEqual([
      'TEMPLATE total.amount path_not_in_schema',
      'TEMPLATE note path_not_in_schema',
    ]);
    expect(found({ format: 'JSON', text: message, template }, after)).toEqual([]);
  });

  test('a placeholder for the state before breaks as one for the payload does', () => {
    const template = { was: '{{@previous.total.amount}}', id: '{{@previous.id}}', all: '{{@previous}} {{@changed}}' };
    expect(broken({ format: 'TEMPLATE', template }, schema({ id: text }))).toEqual([
      {
        ...{ option: 'TEMPLATE', code: 'path_not_in_schema', path: '@previous.total.amount', types: null },
        message: 'The new schema does not have @previous.total.amount.',
      },
    ]);
  });

  test('a shape breaks by its fields, and the placeholders behind it by none', () => {
    const fields = [
      { key: 'total', property: 'total', fields: [{ key: 'amount', property: 'amount' }] },
      { key: 'gone', property: 'gone' },
    ];
    const shape = { text: '', plan: { types: { 'order.paid': fields }, otherwise: [] } };
    const options = { shape, format: 'SLACK', text: '{{total.amount}}' };
    expect(found(options, schema({ total: text }))).toEqual(['SHAPE total.amount shape_field_not_in_schema']);
    expect(found(options, before)).toEqual([]);
    const other = { ...shape, plan: { types: { 'order.sent': fields }, otherwise: [] } };
    expect(found({ shape: other }, schema({}))).toEqual([]);
  });
});

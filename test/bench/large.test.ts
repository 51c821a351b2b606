import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLError, getVariableValues, Kind, parse } from 'graphql';
import { expect, test } from 'vitest';
import { readsTooMuch } from '../../bench/large/idle.js';
import { asksOf } from '../../bench/large/questions.js';
import { labelOf } from '../../bench/large/statements.js';
import { ratioOf } from '../../bench/large/walk.js';
import { readOptions, UsageError } from '../../bench/options.js';
import { dashboardDocuments } from '../support/dashboard-documents.js';

const api = { origin: '', apiKey: '' };
const subject = {
  platform: api,
  tenant: api,
  tenantId: 1,
  webhookId: '2',
  eventId: '3',
  deliveryId: '4',
  ...{ pinnedId: '5', settlingId: '6', calledId: '7', targetedId: '8' },
};

test('every question is a query that the dashboard sends, with variables that it takes', () => {
  const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));
  const wrong = asksOf(subject).flatMap(([, page, , [name, variables = {}]]) => {
    const sent = dashboardDocuments.find((one) => one.name === name);
    const [operation] = parse(sent?.text ?? '{ none }').definitions;
    if (sent === undefined || operation?.kind !== Kind.OPERATION_DEFINITION) {
      return [`${page}: there is no query ${name}`];
    }
    const known = sent.variables.map(({ variable }) => variable.name.value);
    const unknown = Object.keys(variables).filter((variable) => !known.includes(variable));
    const { errors = [] } = getVariableValues(schema, sent.variables, variables) as { errors?: GraphQLError[] };
    return [...unknown.map((variable) => `${name} has no $${variable}`), ...errors.map(({ message }) => message)];
  });
  expect(wrong).toEqual([]);
});

test('a duty reads too much beyond 2,000 blocks a call, unless it works off a row for each ten', () => {
  const statement = (blocks: number, rows: number) => ({ id: '1', text: '', calls: 2, execMs: 1, blocks, rows });
  const judged = [statement(4_000, 0), statement(4_001, 0), statement(4_001, 400), statement(4_001, 401)];
  expect(judged.map(readsTooMuch)).toEqual([false, true, true, false]);
});

test('a page is compared with 5 ms where the small installation is faster', () => {
  const step = { question: { name: 'Endpoints', screen: 'list' as const }, failures: 0, fault: null, statements: [] };
  expect(ratioOf({ ...step, largeMs: 8, smallMs: 2 })).toBe(1.6);
  expect(ratioOf({ ...step, largeMs: 40, smallMs: 20 })).toBe(2);
});

test('a statement is named by its beginning and its first table', () => {
  expect(labelOf({ text: 'select\n  1' })).toBe('select 1');
  const long = `select ${'column, '.repeat(20)} 1 from hookwright.webhooks where id = $1`;
  expect(labelOf({ text: long })).toMatch(/^select column, .*… from hookwright\.webhooks where id = \$1…$/);
});

test('the databases of the large and the small installation are given together', () => {
  const read = (...args: string[]) => readOptions(args, ['large'], ['large']).large;
  expect(read()).toEqual({ tenants: 100_000, webhooks: 1_000_000, idleSeconds: 600, urls: undefined });
  expect(read('--large-url', 'a', '--small-url', 'b').urls).toEqual({ large: 'a', small: 'b' });
  expect(() => read('--large-url', 'a')).toThrow(UsageError);
  expect(() => read('--tenants', '10', '--webhooks', '19')).toThrow('--webhooks is 19; allowed: 20');
});

import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { comparisonsIn, compileFilter } from '../../src/domain/content/compile-filter.js';
import { asksChanges, type EventFilter, FILTER_OPS, type FieldCondition } from '../../src/domain/content/filter.js';
import { namesOf } from '../../src/domain/content/filter-path.js';
import { FilteredEvent } from '../../src/domain/content/judge-filter.js';
import { readFilter } from '../../src/domain/content/read-filter.js';
import { passesSql } from '../../src/operations/explorer/passes-filter.js';
import { connectTestDatabase } from '../support/database.js';
import { hostileJson as json, hostileNames as names, hostileTexts as texts } from '../support/hostile-json.js';
import { draws, drawsTimeoutMs, fc } from '../support/properties.js';

/** Postgres judges events in an emit, and our own code says why an event was left out: both must agree. */

let client: pg.Client;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ client, close } = await connectTestDatabase());
});
afterAll(() => close?.());

interface Pair {
  type: string;
  body: string;
  previous?: string | null;
  filter: EventFilter;
}

const passesOf = async (pairs: readonly Pair[]): Promise<boolean[]> => {
  const { rows } = await client.query(
    `select ${passesSql('pair', 'path::jsonpath', 'comparisons', 'asks')} as passes
     from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::boolean[]) with ordinality
            as pair(body, path, event_type, comparisons, previous, asks, ord) order by ord`,
    [
      pairs.map(({ body }) => body),
      pairs.map(({ filter }) => compileFilter(filter)),
      pairs.map(({ type }) => type),
      pairs.map(({ filter }) => comparisonsIn(filter)),
      pairs.map(({ previous }) => previous ?? null),
      pairs.map(({ filter }) => asksChanges(filter)),
    ],
  );
  return rows.map(({ passes }) => passes);
};
const passes = async (body: string, filter: unknown, type = 'order.paid') =>
  (await passesOf([{ type, body, filter: filter as EventFilter }]))[0];

const path = fc.oneof(
  { weight: 1, arbitrary: fc.constant('@type') },
  {
    weight: 8,
    arbitrary: fc
      .array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 })
      .map((some) => some.map((name) => JSON.stringify(name)).join('.')),
  },
);
const text = fc.constantFrom(...texts);
const number = fc.constantFrom(0, 1, -1, 10, 2, 0.1, 1e-7, 5e-324, 1.5, 150, -0, Number.MAX_SAFE_INTEGER);
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const listOf = (one: fc.Arbitrary<unknown>) =>
  fc.array(fc.oneof(one, fc.constant(null)), { minLength: 1, maxLength: 4 });
const operandOf = (op: string): fc.Arbitrary<unknown> => {
  switch (op) {
    case 'EXISTS':
    case 'MISSING':
    case 'CHANGED':
      return fc.constant(undefined);
    case 'IN':
    case 'NOT_IN':
      return fc.oneof(listOf(text), listOf(number), listOf(fc.boolean()));
    case 'STARTS_WITH':
    case 'CONTAINS':
      return text.filter((one) => one !== '');
    case 'EQ':
    case 'NE':
    case 'CHANGED_FROM':
    case 'CHANGED_TO':
      return scalar;
    default:
      return fc.oneof(text, number);
  }
};
const condition = fc
  .constantFrom(...Object.keys(FILTER_OPS))
  .chain((op) =>
    fc.record({ path, value: operandOf(op) }).map((rest) => ({ field: { ...rest, op } as FieldCondition })),
  );
const { filter } = fc.letrec<{ filter: EventFilter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    condition,
    fc.array(tie('filter'), { minLength: 1, maxLength: 3 }).map((all) => ({ all })),
    fc.array(tie('filter'), { minLength: 1, maxLength: 3 }).map((any) => ({ any })),
    tie('filter').map((not) => ({ not })),
    fc
      .record({ path: path.filter((one) => one !== '@type'), match: tie('filter') })
      .map((element): EventFilter => ({ element })),
  ),
}));

/** The paths of the lists that a place in a filter is within. */
function listsAbove(pointer: string, filter: EventFilter): string[] {
  const steps = pointer.split('/').slice(1);
  return steps.flatMap((step, index) => {
    const above = steps.slice(0, index).reduce<never>((at, one) => at[one as never], filter as never);
    return step === 'match' ? [(above as { path: string }).path] : [];
  });
}

describe('a compiled filter and our own evaluator', () => {
  test(
    'agree on every event',
    async () => {
      const type = fc.constantFrom('order.paid', 'a');
      const pair = fc.record({ type, body: json, previous: fc.option(json), filter });
      await fc.assert(
        fc.asyncProperty(fc.array(pair, { minLength: 20, maxLength: 20 }), async (drawn) => {
          const pairs = drawn.flatMap((one) => {
            const read = readFilter(one.filter);
            return 'filter' in read ? [{ ...one, filter: read.filter }] : [];
          });
          const expected = await passesOf(pairs);
          for (const [index, { type, body, previous, filter: judged }] of pairs.entries()) {
            const failed = new FilteredEvent(type, body, previous).failedCondition(judged);
            expect(failed === null, `${previous} to ${body} by ${compileFilter(judged)}`).toBe(expected[index]);
            if (failed !== null) {
              const { pointer, negated, ...named } = failed;
              const place = pointer
                .split('/')
                .slice(1)
                .reduce<never>((at, step) => at[step as never], judged as never);
              const lists = listsAbove(pointer, judged);
              const { path: own, op = 'EXISTS', value } = place as FieldCondition;
              const within = own === '@type' ? [own] : [...lists, own];
              expect({ path: within.join('.'), op, value }).toEqual({ value: undefined, ...named });
            }
          }
        }),
      );
    },
    drawsTimeoutMs(60_000),
  );
});

/** Names as people write them: bare, and in quotes with escapes. */
const writtenName = fc.oneof(
  fc.constantFrom('a', 'total', 'ключ', 'é', 'e\u0301', '0', '007', '-', '_x', '٣'),
  fc.constantFrom(...names).map((name) => JSON.stringify(name)),
  fc.string({ unit: 'grapheme', maxLength: 8 }).map((name) => JSON.stringify(name)),
  fc.constantFrom('"\\u0041"', '"\\/"', '"\\ud83d\\ude00"', '"\\t"'),
);

test(
  'each path that a filter accepts can match',
  async () => {
    const drawn = fc.array(writtenName, { minLength: 1, maxLength: 10 }).map((written) => written.join('.'));
    await fc.assert(
      fc.asyncProperty(fc.array(drawn, { minLength: 20, maxLength: 20 }), async (paths) => {
        const pairs = paths.flatMap((one): Pair[] => {
          const read = readFilter({ field: { path: one, op: 'EQ', value: 1 } });
          const body = (namesOf(one) ?? []).reduceRight<string>(
            (inner, name) => `{${JSON.stringify(name)}:[${inner}]}`,
            '1',
          );
          return 'filter' in read ? [{ type: 'a', body, filter: read.filter }] : [];
        });
        expect(pairs.length).toBeGreaterThan(0);
        expect(await passesOf(pairs)).toEqual(pairs.map(() => true));
        for (const { type, body, filter: judged } of pairs) {
          expect(new FilteredEvent(type, body).failedCondition(judged), body).toBeNull();
        }
      }),
      draws(5),
    );
  },
  drawsTimeoutMs(60_000),
);

describe('a filter means that', () => {
  const is = (op: string, value?: unknown, name = 'a') => ({ field: { path: name, op, value } });

  test('an array on the path is any of its elements, but not of arrays in it', async () => {
    expect(await passes('{"a":[1,2]}', is('EQ', 2))).toBe(true);
    expect(await passes('{"a":[1,2]}', is('NE', 2))).toBe(false);
    expect(await passes('{"a":[[2]]}', is('EQ', 2))).toBe(false);
    expect(await passes('{"a":[{"b":"x"},{"b":"y"}]}', is('IN', ['y'], 'a.b'))).toBe(true);
    expect(await passes('{"a":[]}', is('EXISTS'))).toBe(true);
    expect(await passes('{"a":[]}', is('EXISTS', undefined, 'a.b'))).toBe(false);
  });

  test('one element meets all conditions of `element`, where conditions beside each other may be met by several', async () => {
    const [sku, quantity] = [is('EQ', 'A', 'sku'), is('GT', 5, 'qty')];
    const apart = { all: [is('EQ', 'A', 'lines.sku'), is('GT', 5, 'lines.qty')] };
    const same = { element: { path: 'lines', match: { all: [sku, quantity] } } };
    const [mixed, whole] = ['{"lines":[{"sku":"A","qty":1},{"sku":"B","qty":9}]}', '{"lines":[{"sku":"A","qty":9}]}'];
    expect(await passes(mixed, apart)).toBe(true);
    expect(await passes(mixed, same)).toBe(false);
    expect(await passes(whole, same)).toBe(true);
    expect(await passes('{"lines":{"sku":"A","qty":9}}', same)).toBe(true);
    expect(await passes(mixed, { not: same })).toBe(true);
    expect(await passes('{}', { not: same })).toBe(true);
    const failed = (body: string) => new FilteredEvent('a', body).failedCondition(same as EventFilter);
    expect(failed(mixed)).toMatchObject({ path: 'lines', op: 'EXISTS', pointer: '/element' });
    expect(failed('{"lines":[{"sku":"B","qty":9}]}')).toMatchObject({
      path: 'lines.sku',
      op: 'EQ',
      value: 'A',
      pointer: '/element/match/all/0/field',
    });
    expect(failed('{"lines":[]}')).toMatchObject({ path: 'lines', pointer: '/element' });
  });

  test('a missing field is not equal to anything, and null differs from everything else', async () => {
    for (const op of ['EQ', 'GT', 'LE', 'STARTS_WITH', 'EXISTS']) {
      expect(await passes('{}', is(op, op === 'EXISTS' ? undefined : 'x')), op).toBe(false);
    }
    expect(await passes('{}', is('NE', 'x'))).toBe(true);
    expect(await passes('{}', is('NOT_IN', ['x']))).toBe(true);
    expect(await passes('{}', is('MISSING'))).toBe(true);
    expect(await passes('{"a":null}', is('EXISTS'))).toBe(true);
    expect(await passes('{"a":null}', is('EQ', null))).toBe(true);
    expect(await passes('{"a":null}', is('NE', 'x'))).toBe(true);
    expect(await passes('{"a":0}', is('EQ', null))).toBe(false);
  });

  test('another type than that of the value never matches, also within not', async () => {
    for (const filter of [is('GT', 1_000), { not: is('GT', 1_000) }, is('NE', 1_000), is('NOT_IN', [1, 2])]) {
      expect(await passes('{"a":"5000"}', filter)).toBe(false);
      expect(await passes('{"a":{}}', filter)).toBe(false);
    }
  });

  test('texts are compared by code points, and contained as they are written', async () => {
    expect(await passes('{"a":"\u{1f600}"}', is('GT', '\uffff'))).toBe(true);
    expect(await passes('{"a":"Zebra"}', is('LT', 'apple'))).toBe(true);
    expect(await passes('{"a":"price: 5.00 (net)"}', is('CONTAINS', '5.00 (n'))).toBe(true);
    expect(await passes('{"a":"price: 5x00"}', is('CONTAINS', '5.00'))).toBe(false);
  });

  test('the type of the event is a field of its own', async () => {
    expect(await passes('{"@type":"x"}', is('EQ', 'order.paid', '@type'))).toBe(true);
    expect(await passes('{"@type":"x"}', is('EQ', 'x', '"@type"'))).toBe(true);
  });

  test('a body that is nested deeper than Postgres can read passes', async () => {
    const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    expect(await passes(deep(500), is('EQ', 1))).toBe(false);
    expect(await passes(deep(60_000), is('EQ', 1))).toBe(true);
    expect(new FilteredEvent('a.b', deep(60_000)).failedCondition(is('EQ', 1) as EventFilter)).not.toBeNull();
  });

  test('a body passes that has too many values for so many comparisons', async () => {
    const body = (values: number) => `{"a":[${Array(values).fill('0').join(',')}]}`;
    const filter = is(
      'IN',
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
    expect(await passes(body(19_000), filter)).toBe(false);
    expect(await passes(body(20_000), filter)).toBe(true);
    expect(await passes(body(20_000), is('EQ', 1))).toBe(false);
  });
});

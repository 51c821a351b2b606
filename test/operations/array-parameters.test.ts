import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  bigintArray,
  booleanArray,
  byteaArray,
  doubleArray,
  integerArray,
  textArray,
  timestamptzArray,
} from '../../src/database/array-parameters.js';
import { column, RowsParameter } from '../../src/database/rows-parameter.js';
import { DeliveryStack } from '../support/delivery-stack.js';

let stack: DeliveryStack;
beforeAll(async () => {
  stack = await DeliveryStack.open();
});
afterAll(() => stack[Symbol.asyncDispose]());

/** What Postgres makes of the parameter, as its own text for each element. */
async function understood(type: string, parameter: Buffer): Promise<(string | null)[]> {
  const { rows } = await stack.services.db.pool.query<{ elements: (string | null)[] }>(
    `select array(select element::text from unnest($1::${type}[]) with ordinality as one(element, place)
                  order by place) as elements`,
    [parameter],
  );
  return rows[0]!.elements;
}

describe('an array as a parameter', () => {
  test('arrives element by element, with its nulls', async () => {
    expect(await understood('integer', integerArray([1, null, -1, undefined, 2_147_483_647]))).toEqual([
      '1',
      null,
      '-1',
      null,
      '2147483647',
    ]);
  });

  test('may be empty', async () => {
    expect(await understood('text', textArray([]))).toEqual([]);
  });

  test('may have nothing but nulls', async () => {
    expect(await understood('bigint', bigintArray([null, null]))).toEqual([null, null]);
  });

  test('holds every safe integer exactly', async () => {
    const numbers = [
      0,
      1,
      -1,
      2 ** 31,
      2 ** 32 - 1,
      2 ** 32,
      -(2 ** 32) - 1,
      Number.MAX_SAFE_INTEGER,
      Number.MIN_SAFE_INTEGER,
    ];
    expect(await understood('bigint', bigintArray(numbers))).toEqual(numbers.map(String));
  });

  test.each([
    ['quotes and backslashes', `{"a":"\\"b\\\\","c":'d'}`],
    ['what an array literal is made of', '{a,"b",NULL}'],
    ['the word NULL', 'NULL'],
    ['nothing', ''],
    ['several bytes for a letter', 'Grüße, 世界 🎉'],
    ['line ends and tabs', 'a\r\n\tb'],
  ])('keeps a text with %s', async (_, text) => {
    expect(await understood('text', textArray([text, 'next']))).toEqual([text, 'next']);
  });

  test('a text with a zero byte is refused by Postgres, as in any other form', async () => {
    await expect(understood('text', textArray(['a\0b']))).rejects.toMatchObject({ code: '22021' });
  });

  test('holds true and false', async () => {
    expect(await understood('boolean', booleanArray([true, false, null]))).toEqual(['true', 'false', null]);
  });

  test('holds numbers with a fraction, and those without an end', async () => {
    const numbers = [0.1, -2.5, 1e300, Number.POSITIVE_INFINITY, Number.NaN];
    expect(await understood('double precision', doubleArray(numbers))).toEqual([
      '0.1',
      '-2.5',
      '1e+300',
      'Infinity',
      'NaN',
    ]);
  });

  test('holds bytes', async () => {
    const bytes = [Buffer.from([0, 255, 92, 34]), Buffer.alloc(0)];
    expect(await understood('bytea', byteaArray(bytes))).toEqual(['\\x00ff5c22', '\\x']);
  });

  test('holds times to the millisecond, also those before Postgres counts', async () => {
    const times = ['2026-11-21T23:59:59.999Z', '1999-12-31T23:59:59.001Z', '1969-07-20T20:17:40.000Z'];
    const arrived = await understood('timestamptz', timestamptzArray(times.map((time) => new Date(time))));
    expect(arrived.map((time) => new Date(time ?? '').toISOString())).toEqual(times);
  });

  test('of a type that the statement does not ask for is refused', async () => {
    await expect(understood('text', integerArray([1]))).rejects.toMatchObject({ code: '42804' });
  });
});

describe('rows as parameters', () => {
  interface Pet {
    name: string;
    legs: number | null;
    kind: 'PENDING' | 'HELD';
  }
  const pets = new RowsParameter<Pet>(
    {
      name: column.text(({ name }) => name),
      legs: column.integer(({ legs }) => legs),
      kind: column.ofType('hookwright.delivery_status')(({ kind }) => kind),
    },
    { after: 1 },
  );

  test('arrive under the names of their columns, row by row', async () => {
    const rows: Pet[] = [
      { name: 'Ada', legs: 4, kind: 'HELD' },
      { name: 'Snake', legs: null, kind: 'PENDING' },
    ];
    const arrived = await stack.services.db.pool.query(
      `select kind, name, legs, name = $1 as chosen, ${pets.array('legs')} as all_legs from ${pets.as('pets')}`,
      ['Ada', ...pets.values(rows)],
    );
    expect(arrived.rows).toEqual([
      { kind: 'HELD', name: 'Ada', legs: 4, chosen: true, all_legs: [4, null] },
      { kind: 'PENDING', name: 'Snake', legs: null, chosen: false, all_legs: [4, null] },
    ]);
  });

  test('may be none', async () => {
    const arrived = await stack.services.db.pool.query(`select $1::text, name from ${pets.as('pets')}`, [
      '',
      ...pets.values([]),
    ]);
    expect(arrived.rows).toEqual([]);
  });

  test('a column that there is not is named, with those that there are', () => {
    expect(() => pets.array('wings')).toThrow('There is no column wings; there are name, legs, kind');
  });
});

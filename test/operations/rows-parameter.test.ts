import { afterAll, describe, expect, test } from 'vitest';
import { type Column, column, RowsParameter } from '../../src/platform/database/rows-parameter.js';
import { DeliveryStack } from '../support/delivery-stack.js';

const stack = await DeliveryStack.open();
afterAll(() => stack[Symbol.asyncDispose]());

/** The parameter as Postgres reads it: its own text for each element. */
async function read<Value>(
  makeColumn: (value: (row: Value | null) => Value | null) => Column<Value | null>,
  values: readonly (Value | null)[],
  type?: string,
): Promise<(string | null)[]> {
  const made = makeColumn((value) => value);
  const { rows } = await stack.services.db.pool.query<{ elements: (string | null)[] }>(
    `select array(select element::text from unnest($1::${type ?? made.type}[]) with ordinality as one(element, n)
                  order by n) as elements`,
    [made.arrayOf(values)],
  );
  return rows[0]!.elements;
}
const integers = [0, 1, -1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, -(2 ** 32) - 1, Number.MAX_SAFE_INTEGER, -(2 ** 53) + 1];
const fractions = [0.1, -2.5, 1e300, Number.POSITIVE_INFINITY, Number.NaN];
const texts = [`{"a":"\\"b\\\\","c":'d'}`, '{a,"b",NULL}', 'NULL', '', 'Grüße, 世界 🎉', 'a\r\n\tb'];
const bytes = [Buffer.from([0, 255, 92, 34]), Buffer.alloc(0)];
const times = ['2026-11-21T23:59:59.999Z', '1999-12-31T23:59:59.001Z', '1969-07-20T20:17:40.000Z'];

describe('an array as a parameter', () => {
  test.each<[string, () => Promise<(string | null)[]>, (string | null)[]]>([
    ['no element', () => read<string>(column.text, []), []],
    ['nothing but nulls', () => read<number>(column.bigint, [null, null]), [null, null]],
    ['numbers and nulls', () => read(column.integer, [1, null, -1, 2 ** 31 - 1]), ['1', null, '-1', '2147483647']],
    ['every safe integer', () => read(column.bigint, integers), integers.map(String)],
    ['texts of any form', () => read(column.text, texts), texts],
    ['true and false', () => read(column.boolean, [true, false, null]), ['true', 'false', null]],
    ['any double', () => read(column.double, fractions), ['0.1', '-2.5', '1e+300', 'Infinity', 'NaN']],
    ['bytes', () => read(column.bytea, bytes), ['\\x00ff5c22', '\\x']],
  ])('holds %s', async (_, arrived, expected) => {
    expect(await arrived()).toEqual(expected);
  });

  test('holds times to the millisecond, also those before Postgres counts', async () => {
    const arrived = await read(
      column.timestamptz,
      times.map((time) => new Date(time)),
    );
    expect(arrived.map((time) => new Date(time ?? '').toISOString())).toEqual(times);
  });

  test('with a zero byte in a text, or of another type than the statement asks for, is refused by Postgres', async () => {
    await expect(read(column.text, ['a\0b'])).rejects.toMatchObject({ code: '22021' });
    await expect(read(column.integer, [1], 'text')).rejects.toMatchObject({ code: '42804' });
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

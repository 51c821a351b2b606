import {
  bigintArray,
  booleanArray,
  byteaArray,
  doubleArray,
  integerArray,
  textArray,
  timestamptzArray,
} from './array-parameters.js';

type Values<Value> = readonly (Value | null | undefined)[];

/** One column of rows that a statement is given: its type, and what a row has there. */
export interface Column<Row> {
  type: string;
  arrayOf(rows: readonly Row[]): unknown;
}

const columnOf =
  <Value>(type: string, toParameter: (values: Values<Value>) => unknown) =>
  <Row>(value: (row: Row) => Value | null | undefined): Column<Row> => ({
    type,
    arrayOf: (rows) => toParameter(rows.map(value)),
  });

/** Makers of columns, by the type of their values. */
export const column = {
  bigint: columnOf('bigint', bigintArray),
  integer: columnOf('integer', integerArray),
  double: columnOf('double precision', doubleArray),
  boolean: columnOf('boolean', booleanArray),
  text: columnOf('text', textArray),
  bytea: columnOf('bytea', byteaArray),
  timestamptz: columnOf('timestamptz', timestamptzArray),
  /** An enum of ours: its array's oid differs between installations, so it travels as text. */
  ofType: (type: string) => columnOf<string>(type, (values) => values),
};

/**
 * Rows as parameters of a statement: an array for each column. What a column is called, of which type it is and where
 * its values come from is said in one place, so that they cannot go apart by their position.
 */
export class RowsParameter<Row> {
  /** The arrays as the statement names them, in the order of the columns: `$3::bigint[], $4::text[]`. */
  readonly arrays: string;
  /** The columns' names, in the same order: `delivery_id, number`. */
  readonly names: string;
  readonly #places: ReadonlyMap<string, string>;

  /** @param after how many parameters of the statement come before the rows */
  constructor(
    private readonly columns: Readonly<Record<string, Column<Row>>>,
    { after = 0 }: { after?: number } = {},
  ) {
    this.#places = new Map(
      Object.entries(columns).map(([name, { type }], index) => [name, `$${after + index + 1}::${type}[]`]),
    );
    this.names = [...this.#places.keys()].join(', ');
    this.arrays = [...this.#places.values()].join(', ');
  }

  /** The rows as a table of the statement's `from`, with its name and those of its columns. */
  as(name: string): string {
    return `unnest(${this.arrays}) as ${name}(${this.names})`;
  }

  /**
   * One column as an array of the statement.
   *
   * @throws Error where there is no such column
   */
  array(name: string): string {
    const place = this.#places.get(name);
    if (place === undefined) {
      throw new Error(`There is no column ${name}; there are ${this.names}`);
    }
    return place;
  }

  /** The parameters, in their order. */
  values(rows: readonly Row[]): unknown[] {
    return Object.values(this.columns).map((one) => one.arrayOf(rows));
  }
}

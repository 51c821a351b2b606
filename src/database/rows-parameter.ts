type Values<Value> = readonly (Value | null | undefined)[];

const HEADER_BYTES = 12;
const DIMENSION_BYTES = 8;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;

/**
 * Makes arrays in Postgres's binary format (array_send of its source). The driver would write them as text, in which
 * each quote of a JSON text is escaped here and unescaped there. Null and undefined become null.
 *
 * @param oid of the element's type in pg_type, the same in every installation
 */
function arrayOf<Value>(
  oid: number,
  bytesOf: (value: Value) => number,
  write: (to: Buffer, value: Value, at: number) => unknown,
): (values: Values<Value>) => Buffer {
  return (values) => {
    const isEmpty = values.length === 0;
    let bytes = HEADER_BYTES + (isEmpty ? 0 : DIMENSION_BYTES) + values.length * LENGTH_BYTES;
    let hasNulls = false;
    const lengths = values.map((value) => {
      if (value === null || value === undefined) {
        hasNulls = true;
        return NULL_LENGTH;
      }
      const length = bytesOf(value);
      bytes += length;
      return length;
    });
    const array = Buffer.allocUnsafe(bytes);
    let at = array.writeInt32BE(isEmpty ? 0 : 1, 0); // dimensions
    at = array.writeInt32BE(Number(hasNulls), at);
    at = array.writeInt32BE(oid, at);
    if (!isEmpty) {
      at = array.writeInt32BE(values.length, at);
      at = array.writeInt32BE(1, at); // the index of the first
    }
    // By index: `entries` would make a pair for each of them.
    for (let index = 0; index < lengths.length; index++) {
      const length = lengths[index]!;
      at = array.writeInt32BE(length, at);
      if (length !== NULL_LENGTH) {
        write(array, values[index] as Value, at);
        at += length;
      }
    }
    return array;
  };
}

const TWO_TO_32 = 2 ** 32;
/** Integers up to 2^53 either side. A BigInt for each would cost more than all the rest. */
const writeInt64 = (to: Buffer, value: number, at: number) => {
  to.writeInt32BE(Math.floor(value / TWO_TO_32), at);
  to.writeUInt32BE(value >>> 0, at + 4);
};
const eight = () => 8;
/** timestamptz counts microseconds from here. */
const TIMESTAMP_EPOCH_MS = Date.UTC(2000, 0, 1);

/** bigint[] of safe integers. */
export const bigintArray = arrayOf<number>(20, eight, writeInt64);

/** A column of the rows that a statement is given: its type, and its values as a parameter. */
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
  integer: columnOf(
    'integer',
    arrayOf<number>(
      23,
      () => 4,
      (to, value, at) => to.writeInt32BE(value, at),
    ),
  ),
  double: columnOf(
    'double precision',
    arrayOf<number>(701, eight, (to, value, at) => to.writeDoubleBE(value, at)),
  ),
  boolean: columnOf(
    'boolean',
    arrayOf<boolean>(
      16,
      () => 1,
      (to, value, at) => to.writeUInt8(Number(value), at),
    ),
  ),
  text: columnOf(
    'text',
    arrayOf<string>(25, Buffer.byteLength, (to, value, at) => to.write(value, at)),
  ),
  bytea: columnOf(
    'bytea',
    arrayOf<Buffer>(
      17,
      ({ length }) => length,
      (to, value, at) => value.copy(to, at),
    ),
  ),
  timestamptz: columnOf(
    'timestamptz',
    arrayOf<Date>(1184, eight, (to, value, at) => writeInt64(to, (value.getTime() - TIMESTAMP_EPOCH_MS) * 1000, at)),
  ),
  /** An enum of ours. The oid of its array differs between installations, so it travels as text. */
  ofType: (type: string) => columnOf<string>(type, (values) => values),
};

/**
 * Rows as parameters of a statement: an array for each column. Names, types and values of the columns stand together,
 * so that they cannot get out of order.
 */
export class RowsParameter<Row> {
  /** The arrays as the statement names them, in the order of the columns: `$3::bigint[], $4::text[]`. */
  readonly arrays: string;
  /** The columns' names, in the same order: `delivery_id, number`. */
  readonly names: string;
  readonly #parameters: Readonly<Record<string, string>>;

  /** @param after how many parameters of the statement come before the rows */
  constructor(
    private readonly columns: Readonly<Record<string, Column<Row>>>,
    { after = 0 }: { after?: number } = {},
  ) {
    const parameters = Object.entries(columns).map(
      ([name, { type }], index) => [name, `$${after + index + 1}::${type}[]`] as const,
    );
    this.#parameters = Object.fromEntries(parameters);
    this.names = Object.keys(columns).join(', ');
    this.arrays = parameters.map(([, parameter]) => parameter).join(', ');
  }

  /** The rows as a table of the statement's `from`, with its name and those of its columns. */
  as(name: string): string {
    return `unnest(${this.arrays}) as ${name}(${this.names})`;
  }

  /**
   * One column as an array of the statement.
   *
   * @throws Error for an unknown column
   */
  array(name: string): string {
    const parameter = this.#parameters[name];
    if (parameter === undefined) {
      throw new Error(`There is no column ${name}; there are ${this.names}`);
    }
    return parameter;
  }

  /** The parameters, in their order. */
  values(rows: readonly Row[]): unknown[] {
    return Object.values(this.columns).map((one) => one.arrayOf(rows));
  }
}

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
const one = () => 1;
const four = () => 4;
const eight = () => 8;
const lengthOf = ({ length }: Buffer) => length;
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

const integerArray = arrayOf<number>(23, four, (to, value, at) => to.writeInt32BE(value, at));
const doubleArray = arrayOf<number>(701, eight, (to, value, at) => to.writeDoubleBE(value, at));
const booleanArray = arrayOf<boolean>(16, one, (to, value, at) => to.writeUInt8(Number(value), at));
const textArray = arrayOf<string>(25, Buffer.byteLength, (to, value, at) => to.write(value, at));
const byteaArray = arrayOf<Buffer>(17, lengthOf, (to, value, at) => value.copy(to, at));
const timestamptzArray = arrayOf<Date>(1184, eight, (to, value, at) =>
  writeInt64(to, (value.getTime() - TIMESTAMP_EPOCH_MS) * 1000, at),
);

/** Makers of columns, by the type of their values. */
export const column = {
  bigint: columnOf('bigint', bigintArray),
  integer: columnOf('integer', integerArray),
  double: columnOf('double precision', doubleArray),
  boolean: columnOf('boolean', booleanArray),
  text: columnOf('text', textArray),
  bytea: columnOf('bytea', byteaArray),
  timestamptz: columnOf('timestamptz', timestamptzArray),
  /** An enum of ours. The oid of its array differs between installations, so it travels as text. */
  ofType: (type: string) => columnOf<string>(type, (values) => values),
};

/** Rows as parameters of a statement: an array for each column. */
export class RowsParameter<Row> {
  /** `$3::bigint[], $4::text[]` */
  readonly arrays: string;
  /** `delivery_id, number` */
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

  /** A table for `from`. */
  as(name: string): string {
    return `unnest(${this.arrays}) as ${name}(${this.names})`;
  }

  /** One column: `$3::bigint[]`. */
  array(name: string): string {
    const parameter = this.#parameters[name];
    if (parameter === undefined) {
      throw new Error(`There is no column ${name}; there are ${this.names}`);
    }
    return parameter;
  }

  values(rows: readonly Row[]): unknown[] {
    return Object.values(this.columns).map((each) => each.arrayOf(rows));
  }
}

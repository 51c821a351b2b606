/**
 * Arrays as parameters of hot statements, in Postgres's binary format (array_send of its source): the driver writes
 * them as text, in which each quote of a JSON text is escaped here and unescaped there. Each function makes the
 * parameter for one type of array; what is null or undefined becomes null.
 */

type Values<Value> = readonly (Value | null | undefined)[];

interface ElementType<Value> {
  /** In pg_type; the same in every installation. */
  oid: number;
  bytesOf(value: Value): number;
  write(to: Buffer, value: Value, at: number): void;
}

const HEADER_BYTES = 12;
const DIMENSION_BYTES = 8;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;

const arrayOf =
  <Value>({ oid, bytesOf, write }: ElementType<Value>) =>
  (values: Values<Value>): Buffer => {
    if (values.length === 0) {
      return header(Buffer.alloc(HEADER_BYTES), { dimensions: 0, hasNulls: false, oid });
    }
    let bytes = HEADER_BYTES + DIMENSION_BYTES + values.length * LENGTH_BYTES;
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
    const array = header(Buffer.allocUnsafe(bytes), { dimensions: 1, hasNulls, oid });
    let at = array.writeInt32BE(values.length, HEADER_BYTES);
    at = array.writeInt32BE(1, at); // the index of the first
    // By index: a pair of index and length would be made for each of them.
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

function header(
  array: Buffer,
  { dimensions, hasNulls, oid }: { dimensions: number; hasNulls: boolean; oid: number },
): Buffer {
  array.writeInt32BE(dimensions, 0);
  array.writeInt32BE(hasNulls ? 1 : 0, 4);
  array.writeInt32BE(oid, 8);
  return array;
}

const TWO_TO_32 = 2 ** 32;
/** Integers up to 2^53 either side; a BigInt for each would be the dearest part. */
const writeInt64 = (to: Buffer, value: number, at: number) => {
  to.writeInt32BE(Math.floor(value / TWO_TO_32), at);
  to.writeUInt32BE(value >>> 0, at + 4);
};

/** bigint[] of safe integers. */
export const bigintArray = arrayOf<number>({ oid: 20, bytesOf: () => 8, write: writeInt64 });

/** integer[]. */
export const integerArray = arrayOf<number>({
  oid: 23,
  bytesOf: () => 4,
  write: (to, value, at) => to.writeInt32BE(value, at),
});

/** double precision[]. */
export const doubleArray = arrayOf<number>({
  oid: 701,
  bytesOf: () => 8,
  write: (to, value, at) => to.writeDoubleBE(value, at),
});

/** boolean[]. */
export const booleanArray = arrayOf<boolean>({
  oid: 16,
  bytesOf: () => 1,
  write: (to, value, at) => to.writeUInt8(Number(value), at),
});

/** text[]. The bytes are UTF-8, as the driver has told the server. */
export const textArray = arrayOf<string>({
  oid: 25,
  bytesOf: (value) => Buffer.byteLength(value),
  write: (to, value, at) => to.write(value, at),
});

/** bytea[]. */
export const byteaArray = arrayOf<Buffer>({
  oid: 17,
  bytesOf: (value) => value.length,
  write: (to, value, at) => value.copy(to, at),
});

/** timestamptz counts microseconds from here. */
const TIMESTAMP_EPOCH_MS = Date.UTC(2000, 0, 1);

/** timestamptz[]. */
export const timestamptzArray = arrayOf<Date>({
  oid: 1184,
  bytesOf: () => 8,
  write: (to, value, at) => writeInt64(to, (value.getTime() - TIMESTAMP_EPOCH_MS) * 1000, at),
});

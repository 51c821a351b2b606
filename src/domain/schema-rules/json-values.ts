/** Whether two JSON values are equal by JSON Schema: names in any order, and no look at what objects inherit. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    return a === b;
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((part, index) => isSameJson(part, b[index]))
    );
  }
  const [left, right] = [a, b] as [Record<string, unknown>, Record<string, unknown>];
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && isSameJson(left[name], right[name]))
  );
}

/**
 * Whether a number is another one a whole number of times, both as the decimals that they are written as: 4.35 is 435
 * times 0.01, though the nearest binary fractions are not.
 *
 * @param step above 0
 */
export function isMultipleOf(value: number, step: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) {
    return value % step === 0;
  }
  if (!Number.isFinite(value)) {
    return false;
  }
  const [a, b] = [decimalOf(value), decimalOf(step)];
  const exponent = Math.min(a.exponent, b.exponent);
  const whole = (one: Decimal) => one.digits * 10n ** BigInt(one.exponent - exponent);
  return whole(a) % whole(b) === 0n;
}

/** `digits` times 10 to the power of `exponent`. */
interface Decimal {
  digits: bigint;
  exponent: number;
}

/** Of a finite number, by the shortest text that means it, and without its sign. */
function decimalOf(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = String(Math.abs(value)).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

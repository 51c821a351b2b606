/** A number of a payload as it is written there: JavaScript would round it, and Postgres compares all of its digits. */
export class ExactNumber {
  readonly #isNegative: boolean;
  /** Without zeros at the ends; empty for zero. The number is 0.<digits> × 10^magnitude. */
  readonly #digits: string;
  readonly #magnitude: number;
  /** Digits behind the point, as it is written. */
  readonly #scale: number;
  readonly #exponent: number;

  /** @param source a number as JSON has it */
  constructor(source: string) {
    const [, sign, whole, fraction = '', exponent = '0'] = NUMBER.exec(source)!;
    const all = `${whole}${fraction}`;
    const shown = all.replace(/^0+/, '');
    this.#isNegative = sign === '-';
    this.#digits = withoutZerosAtEnd(shown);
    this.#exponent = Number(exponent);
    this.#magnitude = whole!.length - (all.length - shown.length) + this.#exponent;
    this.#scale = fraction.length - this.#exponent;
  }

  /** Whether it fits into a `numeric` of Postgres. */
  get isNumeric(): boolean {
    const isSmall = this.#digits === '' || this.#magnitude <= WHOLE_DIGITS_MAX;
    return isSmall && this.#scale <= SCALE_MAX && Math.abs(this.#exponent) < EXPONENT_END;
  }

  /** Below 0: it is less than the other. */
  compare(other: ExactNumber): number {
    const [mine, others] = [this.#sign, other.#sign];
    return mine === others ? mine * this.#compareSize(other) : mine - others;
  }

  get #sign(): number {
    return this.#digits === '' ? 0 : this.#isNegative ? -1 : 1;
  }

  #compareSize(other: ExactNumber): number {
    return this.#magnitude === other.#magnitude
      ? Number(this.#digits > other.#digits) - Number(this.#digits < other.#digits)
      : this.#magnitude - other.#magnitude;
  }
}

/** A regular expression would try each zero, also those within. */
function withoutZerosAtEnd(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') {
    end -= 1;
  }
  return digits.slice(0, end);
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Limits of `numeric` (https://www.postgresql.org/docs/current/datatype-numeric.html). */
const WHOLE_DIGITS_MAX = 131_072;
const SCALE_MAX = 16_383;
const EXPONENT_END = 1_073_741_823;

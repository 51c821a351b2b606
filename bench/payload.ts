/**
 * The payload that the bench emits: an event of type `coupon.applied`, whose `code` is the time at which it was
 * meant to be emitted, so that its receiver knows the latency without talking to the emitter.
 */

export const EVENT_TYPE = 'coupon.applied';
/** Length of the JSON text: an ordinary small event. */
export const BODY_BYTES = 512;

interface BenchPayload {
  code: string;
  discount_type: string;
}

const CODE_DIGITS = 16;
const CODE_START = '"code":"';
const padding = 'x'.repeat(BODY_BYTES - '{"code":"","discount_type":""}'.length - CODE_DIGITS);

/** Microseconds since 1970, comparable between processes of one machine to some ten microseconds. */
export function nowMicroseconds(): number {
  return (performance.timeOrigin + performance.now()) * 1000;
}

/**
 * @param microseconds since 1970; 0 for a payload whose latency is not to be measured
 * @param kind the number that filters tell events by (`startOfKind`); default: none
 */
export function payloadAt(microseconds: number, kind?: number): BenchPayload {
  const code = Math.round(microseconds).toString().padStart(CODE_DIGITS, '0');
  const discountType = kind === undefined ? padding : startOfKind(kind).padEnd(padding.length, 'x');
  return { code, discount_type: discountType };
}

const startOfKind = (kind: number): string => `kind ${kind} `;

/** The filter of a webhook, as `createWebhook` takes it, for one kind of events. */
export const filterOfKind = (kind: number) => ({
  field: { path: 'discount_type', op: 'STARTS_WITH', value: startOfKind(kind) },
});

/**
 * The time in a payload's JSON text, in microseconds since 1970.
 *
 * @returns null when there is none to measure from
 */
export function emittedAt(body: Buffer): number | null {
  const start = body.indexOf(CODE_START);
  if (start === -1) {
    return null;
  }
  const digits = body.toString('latin1', start + CODE_START.length, start + CODE_START.length + CODE_DIGITS);
  const microseconds = Number(digits);
  return microseconds > 0 ? microseconds : null;
}

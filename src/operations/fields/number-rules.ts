import { z } from 'zod';
import type { Delays, Quantity } from '../../domain/fields/field.js';
import { type Known, refused } from './kind-rules.js';

export const quantity = (field: Quantity, { maxima }: Known) =>
  amount(field.maxOf === undefined ? field : { ...field, max: Math.min(field.max, maxima[field.maxOf]) });

/** The same before the maximum of the operator is known. */
export function amount({ min, max, whole, unit, refusedAs }: Quantity) {
  const wrong = (value: number) => !(value >= min && value <= max) || (whole === true && !Number.isInteger(value));
  const allowed = `${whole ? 'a whole number, ' : ''}${min} to ${max}${unit === undefined ? '' : ` ${unit}`}`;
  return z
    .number({ error: beyondNumbers(allowed) })
    .refine((value) => !wrong(value), refused(refusedAs, `must be ${allowed}`));
}

/** Zod has a message of its own for a number that is written with too many digits, so that it became infinite. */
const beyondNumbers =
  (allowed: string): z.core.$ZodErrorMap =>
  ({ input }) =>
    typeof input === 'number' ? `must be ${allowed}` : undefined;

export const delay = ({ secondsMax, refusedAs }: Delays) => {
  const allowed = `a whole number of seconds, 1 to ${secondsMax}`;
  return z
    .number({ error: beyondNumbers(allowed) })
    .refine(
      (seconds) => Number.isInteger(seconds) && seconds >= 1 && seconds <= secondsMax,
      refused(refusedAs.each, `must be ${allowed}`),
    );
};

/** A delivery and its attempts are kept for the retention: the last retry comes a day before its end at the latest. */
export function delays(field: Delays, { retentionDays }: Known) {
  const { countMax, totalSecondsMax, refusedAs } = field;
  const each = delay(field);
  const totalMax = Math.min(totalSecondsMax, (retentionDays - 1) * DAY_SECONDS);
  return z.array(z.number()).superRefine((seconds, context) => {
    const add = (path: number[], code: string, message: string) =>
      context.addIssue({ code: 'custom', path, message, params: { code } });
    if (seconds.length > countMax) {
      return add([], refusedAs.count, `must have at most ${countMax} delays`);
    }
    const wrong = seconds.flatMap((one, index) =>
      (each.safeParse(one).error?.issues ?? []).map(({ message }) => ({ index, message })),
    );
    for (const { index, message } of wrong) {
      add([index], refusedAs.each, message);
    }
    if (wrong.length === 0 && seconds.reduce((sum, delay) => sum + delay, 0) > totalMax) {
      add([], refusedAs.total, `must have at most ${totalMax} seconds together (${totalMax / DAY_SECONDS} days)`);
    }
  });
}

const DAY_SECONDS = 86_400;

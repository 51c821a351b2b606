import type { GraphQLError } from 'graphql';
import { answerTooLarge } from '../../context/answer-budget.js';
import type { Context } from '../../context/context.js';
import { ApiError } from '../../errors.js';
import { graphqlErrorOf } from '../fields/errors.js';
import { JsonText } from '../fields/json-text.js';
import type { KnownOperation } from './operation.js';

/** What a value that is no text takes in an answer, with its comma: about so much. */
const VALUE_BYTES = 4;

/** What costs no more has an answer of a few hundred objects at most, and needs no look at it. */
const LOOKED_AT_COST = 100;
/** Nor does what producers call: `emitEvents` costs more, because it may answer with a hundred results. */
const LOOKED_AT_MUTATION_COST = 2_500;

/** How many times as much as its long texts an answer may have altogether: names, short texts and numbers. */
const WHOLE_ANSWER_FACTOR = 2;

/**
 * Judges a whole answer: short texts are long too, when there are enough of them, and JSON.stringify ends with an error
 * where a text has more characters than JavaScript can count.
 *
 * @returns the error that stands in place of the answer; null when it is not too long
 */
export function longAnswerError(
  { fixedCost, kind }: KnownOperation,
  data: unknown,
  { budget: { bytesMax } }: Pick<Context, 'budget'>,
): GraphQLError | null {
  if (
    (fixedCost !== null && fixedCost <= (kind === 'mutation' ? LOOKED_AT_MUTATION_COST : LOOKED_AT_COST)) ||
    leftOf(WHOLE_ANSWER_FACTOR * bytesMax, data) >= 0
  ) {
    return null;
  }
  const done = kind === 'mutation' ? ' What the mutation has done stays done.' : '';
  const { reason, detail } = answerTooLarge(bytesMax);
  return graphqlErrorOf(new ApiError(reason, `${detail}${done}`));
}

/** What is left of a number of bytes after a value. Stops below 0. */
function leftOf(bytes: number, value: unknown): number {
  if (typeof value === 'string') {
    return bytes - value.length;
  }
  if (value instanceof JsonText) {
    return bytes - value.text.length;
  }
  if (typeof value !== 'object' || value === null) {
    return bytes - VALUE_BYTES;
  }
  let left = bytes;
  for (const [name, part] of Object.entries(value)) {
    left = leftOf(left - (Array.isArray(value) ? 0 : name.length), part);
    if (left < 0) {
      break;
    }
  }
  return left;
}

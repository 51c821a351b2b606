import type { GraphQLError } from 'graphql';
import { ApiError } from '../../../errors.js';
import type { Context } from '../../context/context.js';
import { answerTooLarge } from '../../context/memory-budget.js';
import { graphqlErrorOf } from '../fields/errors.js';
import { JsonText } from '../fields/json-text.js';
import type { KnownOperation } from './operation.js';

/** The assumed length of a number, a truth value or null, with its comma. */
const VALUE_BYTES = 4;

/** Operations up to this cost return a few hundred objects at most; their answers are not measured. */
const MEASURED_COST = 100;
/** The limit for mutations is above the cost of `emitEvents`, which may return a hundred results. */
const MEASURED_MUTATION_COST = 2_500;

/** A whole answer may be this many times as long as its long texts may be. */
const WHOLE_ANSWER_FACTOR = 2;

/**
 * The error that replaces a whole answer which is too long. Many short texts are long too, and JSON.stringify fails
 * beyond JavaScript's longest text.
 */
export function longAnswerError(
  { fixedCost, kind }: KnownOperation,
  data: unknown,
  { budget: { bytesMax } }: Pick<Context, 'budget'>,
): GraphQLError | null {
  const isShort = fixedCost !== null && fixedCost <= (kind === 'mutation' ? MEASURED_MUTATION_COST : MEASURED_COST);
  if (isShort || leftOf(WHOLE_ANSWER_FACTOR * bytesMax, data) >= 0) {
    return null;
  }
  const done = kind === 'mutation' ? ' The effect of the mutation stands.' : '';
  const { reason, detail } = answerTooLarge(bytesMax);
  return graphqlErrorOf(new ApiError(reason, `${detail}${done}`));
}

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

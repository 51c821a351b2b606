import 'reflect-metadata';
import { ArgsType, Int } from 'type-graphql';
import { Nullable } from '../../../entities/nullable.js';
import { requireNoIssues } from '../../../errors.js';
import type { AttemptRange } from '../../context/loaders.js';
import { sizesIssues } from '../fields/connection.js';

/** A limit, because a delivery can be sent again any number of times. */
export const ATTEMPTS_MAX = 100;

/** The most that the column holds. One bound for all deliveries of a list, whose attempts are read by one query. */
const NUMBER_MAX = 2_147_483_647;

@ArgsType()
export class AttemptArgs {
  @Nullable(() => Int, `Number of attempts from the oldest, or from the one after \`after\`: 1 to ${ATTEMPTS_MAX}.`)
  first?: number | null;

  @Nullable(() => Int, `Number of latest attempts: 1 to ${ATTEMPTS_MAX}. Not together with \`first\`.`)
  last?: number | null;

  @Nullable(() => Int, 'Only attempts with a `number` above this.')
  after?: number | null;
}

/**
 * @param attemptCount how many attempts the delivery has
 * @throws ApiError invalid_input for a bad size
 */
export function attemptsOn(page: AttemptArgs, attemptCount: number): AttemptRange {
  requireNoIssues(sizesIssues(page, ATTEMPTS_MAX));
  const { first, last, after } = page;
  const above = Math.max(0, after ?? 0);
  const isFromOldest = typeof last !== 'number' && typeof (first ?? after) === 'number';
  return isFromOldest
    ? { after: above, upTo: Math.min(above + (first ?? ATTEMPTS_MAX), NUMBER_MAX) }
    : { after: Math.max(above, attemptCount - (last ?? ATTEMPTS_MAX)), upTo: NUMBER_MAX };
}

import type { Context } from '../../context/context.js';
import { ApiError } from '../../errors.js';
import { graphqlErrorOf } from '../fields/errors.js';
import type { KnownOperation } from './operation.js';

/**
 * Refuses a mutation that selects, anywhere below its root fields too, what the caller may not have. The fields'
 * own guards would notice only after the root field has taken effect, and would take its answer away with them: a
 * webhook whose secret nobody has, an event that was emitted and is then emitted again.
 *
 * @throws GraphQLError with the reason of the first requirement that is not met, and the field's name
 */
export function requireWholeMutation(
  operation: KnownOperation,
  variables: Readonly<Record<string, unknown>>,
  context: Context,
): void {
  for (const { name, node, requirement } of operation.guardedFields(variables)) {
    try {
      requirement(context);
    } catch (error) {
      if (!(error instanceof ApiError)) {
        throw error;
      }
      const detail = `${name}: ${error.detail} Nothing was done.`;
      throw graphqlErrorOf(new ApiError(error.reason, detail, error.extra), node);
    }
  }
}

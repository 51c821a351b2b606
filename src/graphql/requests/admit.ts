import type { GraphQLError } from 'graphql';
import type { Context } from '../../context.js';
import type { Verdict } from '../../rate-limits.js';
import { graphqlErrorOf } from '../fields/errors.js';
import { chargeRequest } from './charge.js';
import { requireAffordable } from './cost.js';
import type { KnownOperation } from './operation.js';
import { variableError } from './variables.js';
import { requireWholeMutation } from './whole-mutation.js';

type Values = Readonly<Record<string, unknown>>;

/**
 * The last questions before an operation runs: whether its variables fit, whether its caller may do all of a mutation,
 * what it may cost, and whether its key has operations left. It is counted here.
 *
 * @throws GraphQLError BAD_USER_INPUT, GRAPHQL_VALIDATION_FAILED, or for what the key lacks, with nothing counted
 */
export function admit(operation: KnownOperation, values: Values, context: Context): Verdict {
  // First, and always: whatever else reads variables writes the whole of those that do not fit into its errors.
  const unfit = unfitError(operation, values, context);
  if (unfit !== null) {
    throw unfit;
  }
  if (operation.kind === 'mutation') {
    requireWholeMutation(operation, values, context);
  }
  const cost = operation.cost(values);
  requireAffordable(operation.kind, cost, context.config.limits.graphql.costMax);
  return chargeRequest(context, operation, values, cost);
}

/** Instead of the execution's own errors about variables, which repeat their values. */
export function unfitError(
  { variables, schema }: KnownOperation,
  values: Values,
  { config }: Context,
): GraphQLError | null {
  const error = variableError(variables, values, config.introspection ? schema : null);
  return error && graphqlErrorOf(error, undefined, 400);
}

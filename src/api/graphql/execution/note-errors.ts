import type { ApolloServerPlugin, GraphQLRequestListener } from '@apollo/server';
import { GraphQLError } from 'graphql';
import type { Reason } from '../../../errors.js';
import type { Context, Services } from '../../context/context.js';
import { logFault } from '../../context/faults.js';
import { causeOf, formatError } from '../fields/errors.js';

const listener: GraphQLRequestListener<Context> = {
  didEncounterErrors: async ({ contextValue, errors }) => noteErrors(contextValue, errors),
};

/** Counts and logs the errors of all answers, including requests that Apollo refuses early. */
export function errorNotes({ metrics }: Pick<Services, 'metrics'>): ApolloServerPlugin<Context> {
  const count = async ({ error }: { error: Error }) =>
    metrics.graphqlErrors.count(String(formatError(error as GraphQLError).extensions?.['code']));
  return {
    contextCreationDidFail: count,
    invalidRequestWasReceived: count,
    unexpectedErrorProcessingRequest: async ({ requestContext, error }) =>
      noteErrors(requestContext.contextValue, [new GraphQLError('', { originalError: error })]),
    requestDidStart: async () => listener,
  };
}

/** Counts errors in the metrics and logs the faults of the service, each cause once. */
export function noteErrors({ metrics, log, requestId }: Context, errors: readonly GraphQLError[]): void {
  const causes = new Map<unknown, Reason>();
  for (const error of errors) {
    const { code, reason } = formatError(error).extensions as { code: string; reason?: Reason };
    metrics.graphqlErrors.count(code);
    if (reason !== undefined) {
      causes.set(causeOf(error), reason);
    }
  }
  for (const [cause, reason] of causes) {
    logFault(log, requestId, reason, cause);
  }
}

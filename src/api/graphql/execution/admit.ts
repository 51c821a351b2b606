import { type ApolloServerPlugin, type GraphQLRequestListener, HeaderMap } from '@apollo/server';
import { ApiError, keyRequired } from '../../../errors.js';
import type { Context } from '../../context/context.js';
import type { Verdict } from '../../context/rate-limits.js';
import { graphqlErrorOf, refusalOf } from '../fields/errors.js';
import { chargeRequest } from './charge.js';
import { requireAffordable } from './cost.js';
import { type KnownOperation, knownOperation } from './operation.js';
import type { GraphqlRequest } from './request.js';
import { variableError } from './variables.js';

type Values = Readonly<Record<string, unknown>>;

/**
 * The last checks before an operation runs. They share one hook, because Apollo calls the hooks of several plugins at
 * the same time, and a request that one of them refuses must not be counted by another.
 */
const listener: GraphQLRequestListener<Context> = {
  async didResolveOperation({ request, response, schema, document, operation, contextValue }) {
    if (operation === undefined) {
      return; // Apollo refuses a document without the operation that operationName names.
    }
    const asked = request.http as GraphqlRequest;
    const known = knownOperation(schema, document, operation);
    requireAllowed(known, asked.isStream, contextValue);
    const { refusal, headers } = admit(known, request.variables ?? {}, contextValue);
    asked.isCounted = true;
    for (const name in headers) {
      response.http.headers.set(name, headers[name]!);
    }
    if (refusal !== null) {
      throw graphqlErrorOf(refusal);
    }
    asked.operation = known;
  },

  /** Subscriptions are answered later, by their stream. */
  async responseForOperation({ request }) {
    const { isStream, operation } = request.http as GraphqlRequest;
    return isStream && operation !== null
      ? { http: { headers: new HeaderMap() }, body: { kind: 'single', singleResult: { data: null } } }
      : null;
  },
};

export const admission: ApolloServerPlugin<Context> = { requestDidStart: async () => listener };

function requireAllowed({ kind, isIntrospection }: KnownOperation, isStream: boolean, { caller }: Context): void {
  if (caller === null && !isIntrospection) {
    throw graphqlErrorOf(keyRequired());
  }
  if (isStream && kind !== 'subscription') {
    throw refusalOf('BAD_REQUEST', 'Only subscriptions are served here; send queries and mutations to /graphql.');
  }
  if (!isStream && kind === 'subscription') {
    throw refusalOf('BAD_REQUEST', 'Subscriptions are served at /graphql/stream.');
  }
}

function admit(operation: KnownOperation, values: Values, context: Context): Verdict {
  const { introspection, limits } = context.config;
  // First of all, because GraphQL's errors about variables repeat their values.
  const unfit = variableError(operation.variables, values, introspection);
  if (unfit !== null) {
    throw graphqlErrorOf(unfit, undefined, 400);
  }
  if (operation.kind === 'mutation') {
    requireWholeMutation(operation, values, context);
  }
  const cost = operation.cost(values);
  requireAffordable(operation.kind, cost, limits.graphql.costMax);
  return chargeRequest(context, operation, values, cost);
}

/**
 * Refuses a mutation that selects a field, at any depth, that the caller may not have. The guard of that field would
 * refuse it only after the root field has taken effect, and remove the answer: nobody would have the new secret, and
 * an event would be emitted again.
 *
 * @throws GraphQLError for the first requirement that is not met
 */
function requireWholeMutation(operation: KnownOperation, values: Values, context: Context): void {
  for (const { name, node, requirement } of operation.guardedFields(values)) {
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

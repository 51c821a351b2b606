import { type ApolloServerPlugin, type GraphQLRequestListener, HeaderMap } from '@apollo/server';
import { ApiError, keyRequired } from '../../../errors.js';
import type { Context } from '../../context/context.js';
import { graphqlErrorOf, refusalOf } from '../fields/errors.js';
import { chargeRequest } from './charge.js';
import { type Reading, requireAffordable } from './cost.js';
import { type KnownOperation, knownOperation } from './operation.js';
import type { Admission, GraphqlRequest } from './request.js';
import { requireVariables } from './variables.js';

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
    const { refusal, headers, readsOfRows } = asked.admission ?? admit(known, request.variables ?? {}, contextValue);
    asked.isCounted = true;
    for (const name in headers) {
      response.http.headers.set(name, headers[name]!);
    }
    if (refusal !== null) {
      throw graphqlErrorOf(refusal);
    }
    asked.operation = known;
    if (readsOfRows && known.kind === 'query' && contextValue.tenantId !== null) {
      asked.moment = await contextValue.beginMoment(contextValue.tenantId);
    }
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

/** @throws GraphQLError, ApiError for an operation that is refused, and was not counted */
export function admit(
  operation: KnownOperation,
  values: Readonly<Record<string, unknown>>,
  context: Context,
): Admission {
  const { introspection, limits } = context.config;
  // First of all, because GraphQL's errors about variables repeat their values.
  requireVariables(operation.variables, values, introspection);
  const { cost, guarded, readsOfRows } = operation.reading(values);
  requireGuarded(operation, guarded, context);
  requireAffordable(operation.kind, cost, limits.graphql.costMax);
  return { ...chargeRequest(context, operation, values, cost), readsOfRows };
}

/**
 * Refuses a mutation that selects a field, at any depth, that the caller may not have. The guard of that field would
 * refuse it only after the root field has taken effect, and remove the answer: nobody would have the new secret, and
 * an event would be emitted again. The guard of a subscription would refuse only its first update.
 *
 * @throws GraphQLError for the first requirement that is not met
 */
function requireGuarded({ kind }: KnownOperation, guarded: Reading['guarded'], context: Context): void {
  const isMutation = kind === 'mutation';
  const required = isMutation ? guarded : guarded.filter(({ name }) => name.startsWith('Subscription.'));
  for (const { name, node, requirement } of required) {
    try {
      requirement(context);
    } catch (error) {
      if (!(error instanceof ApiError)) {
        throw error;
      }
      const detail = isMutation ? `${name}: ${error.detail} Nothing was done.` : error.detail;
      throw graphqlErrorOf(new ApiError(error.reason, detail, error.extra), node);
    }
  }
}

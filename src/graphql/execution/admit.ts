import { type ApolloServerPlugin, type GraphQLRequestListener, HeaderMap } from '@apollo/server';
import type { Context } from '../../context/context.js';
import type { Verdict } from '../../context/rate-limits.js';
import { keyRequired } from '../../errors.js';
import { graphqlErrorOf, refusalOf } from '../fields/errors.js';
import { chargeRequest } from './charge.js';
import { requireAffordable } from './cost.js';
import { type KnownOperation, knownOperation } from './operation.js';
import type { GraphqlRequest } from './request.js';
import { variableError } from './variables.js';
import { requireWholeMutation } from './whole-mutation.js';

type Values = Readonly<Record<string, unknown>>;

/**
 * The last questions before an operation runs. They are asked in one hook, because Apollo asks those of several plugins
 * at the same time, and a request that is refused for one must not be counted by another.
 */
const listener: GraphQLRequestListener<Context> = {
  async didResolveOperation({ request, response, schema, document, operation, contextValue }) {
    if (operation === undefined) {
      return; // Apollo itself refuses a document without the operation that operationName names.
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

  /** What a subscription has to say comes later, from its stream. */
  async responseForOperation({ request }) {
    const { isStream, operation } = request.http as GraphqlRequest;
    return isStream && operation !== null
      ? { http: { headers: new HeaderMap() }, body: { kind: 'single', singleResult: { data: null } } }
      : null;
  },
};

/** Refuses what its caller may not ask, not in this way, or not any more for now. */
export const admission: ApolloServerPlugin<Context> = { requestDidStart: async () => listener };

/** @throws GraphQLError for what this caller may not ask, or not here */
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

/**
 * Whether its variables fit, whether its caller may do all of a mutation, what it may cost, and whether its key has
 * operations left. It is counted here.
 *
 * @throws GraphQLError BAD_USER_INPUT, GRAPHQL_VALIDATION_FAILED, or for what the key lacks, with nothing counted
 */
function admit(operation: KnownOperation, values: Values, context: Context): Verdict {
  const { introspection, limits } = context.config;
  // First, and always: whatever else reads variables writes the whole of those that do not fit into its errors.
  const unfit = variableError(operation.variables, values, introspection ? operation.schema : null);
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

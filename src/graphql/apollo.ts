import {
  ApolloServer,
  type ApolloServerOptions,
  type ApolloServerPlugin,
  type GraphQLRequestContext,
  HeaderMap,
} from '@apollo/server';
import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled';
import type { GraphQLFormattedError, GraphQLSchema } from 'graphql';
import type { Context, Services } from '../context.js';
import { ApiError, errorCatalogue, toApiError } from '../errors.js';
import { chargeBroken, chargeRequest } from './charge.js';
import {
  causeOf,
  extensionsOf,
  formatError,
  graphqlErrorOf,
  headersOf,
  refusalStatuses,
  variableError,
} from './errors.js';
import { requireWholeMutation } from './guarded-fields.js';
import { limitRules, requireAffordable, TOKENS_MAX } from './limits.js';

type Request = GraphQLRequestContext<Context>;

/** Apollo, whose errors of context creation have their own code and status like all others. */
class Server extends ApolloServer<Context> {
  override executeHTTPGraphQLRequest(
    request: Parameters<ApolloServer<Context>['executeHTTPGraphQLRequest']>[0],
  ): ReturnType<ApolloServer<Context>['executeHTTPGraphQLRequest']> {
    const context = async () => {
      try {
        return await request.context();
      } catch (error) {
        throw graphqlErrorOf(toApiError(error));
      }
    };
    return super.executeHTTPGraphQLRequest({ ...request, context });
  }
}

/** The GraphQL server, to be mounted at /graphql. It reads requests and writes answers; it does not listen. */
export function createApolloServer(
  schema: GraphQLSchema,
  services: Pick<Services, 'config' | 'log'>,
): ApolloServer<Context> {
  const { config, log } = services;
  const options: ApolloServerOptions<Context> = {
    schema,
    formatError,
    introspection: config.introspection,
    hideSchemaDetailsFromClientErrors: !config.introspection,
    validationRules: limitRules,
    parseOptions: { maxTokens: TOKENS_MAX },
    includeStacktraceInErrorResponses: false,
    allowBatchedHttpRequests: false,
    csrfPrevention: true,
    persistedQueries: false,
    // The process stops by its own signal handlers.
    stopOnTerminationSignals: false,
    // Apollo's own lines are about its set-up; the errors of requests are logged below.
    logger: quiet(log),
    // No answer of ours is to be cached, and that plugin wraps the resolver of each field.
    plugins: [ApolloServerPluginCacheControlDisabled(), requestRules(schema, log)],
  };
  return new Server(options);
}

function quiet(log: Services['log']) {
  const to = (level: 'debug' | 'info' | 'warn' | 'error') => (message?: unknown) =>
    log[level](String(message));
  return { debug: to('debug'), info: to('debug'), warn: to('warn'), error: to('error') };
}

function requestRules(schema: GraphQLSchema, log: Services['log']): ApolloServerPlugin<Context> {
  return {
    async requestDidStart() {
      let isCharged = false;
      return {
        async didResolveOperation(request) {
          requireKey(request);
          const { contextValue, document, operation } = request;
          const variables = request.request.variables ?? {};
          // Without an operation of the given name Apollo has an error of its own for it.
          if (operation === undefined) {
            return;
          }
          const cost = requireAffordable(schema, document, operation, variables);
          if (operation.operation === 'mutation') {
            requireWholeMutation(schema, document, operation, variables, contextValue);
          }
          isCharged = true;
          chargeRequest(request, document, operation, cost);
        },
        async didEncounterErrors(request) {
          for (const error of request.errors) {
            const cause = causeOf(error);
            if (!(cause instanceof ApiError) && isOurs(formatError(error.toJSON(), error))) {
              log.error({ err: cause, requestId: request.contextValue.requestId }, 'A GraphQL field failed');
            }
          }
        },
        async willSendResponse(request) {
          if (!isCharged) {
            chargeBroken(request);
          }
          const { body } = request.response;
          if (body.kind === 'single' && body.singleResult.errors !== undefined) {
            body.singleResult.errors = withoutValues(schema, request, body.singleResult.errors);
            setRefusal(request, body.singleResult);
          }
        },
      };
    },
  };
}

/** Without a key only the schema may be asked for. */
function requireKey({ contextValue, operation }: Request): void {
  const isIntrospection = operation?.selectionSet.selections.every(
    (selection) => selection.kind === 'Field' && selection.name.value.startsWith('__'),
  );
  if (contextValue.caller === null && operation !== undefined && !isIntrospection) {
    throw graphqlErrorOf(
      new ApiError('unauthenticated', 'Send an API key in the header Authorization: Bearer <key>.'),
    );
  }
}

function isOurs(error: GraphQLFormattedError): boolean {
  return error.extensions?.['code'] === errorCatalogue.internal.code;
}

/** Replaces GraphQL's messages about variables, which repeat the values, by a list of what is wrong where. */
function withoutValues(
  schema: GraphQLSchema,
  { operation, request }: Request,
  errors: readonly GraphQLFormattedError[],
): readonly GraphQLFormattedError[] {
  const isAboutVariables = errors.every(
    ({ path, extensions }) => !path && extensions?.['code'] === 'BAD_USER_INPUT' && !extensions['reason'],
  );
  const found =
    operation && isAboutVariables ? variableError(schema, operation, request.variables ?? {}) : null;
  return found === null ? errors : [{ message: found.detail, extensions: extensionsOf(found) }];
}

/** The status and headers of a request that is refused as a whole: no root field has an answer, all for one reason. */
function setRefusal(
  { response }: Request,
  result: { data?: Record<string, unknown> | null; errors?: readonly GraphQLFormattedError[] },
): void {
  const codes = new Set(result.errors?.map(({ extensions }) => String(extensions?.['code'])));
  const isWhole = Object.values(result.data ?? {}).every((value) => value === null);
  const [code = ''] = codes;
  const status = refusalStatuses[code];
  if (codes.size !== 1 || !isWhole || status === undefined) {
    return;
  }
  response.http.status = status;
  response.http.headers ??= new HeaderMap();
  const retryAfterSeconds = result.errors?.[0]?.extensions?.['retryAfterSeconds'];
  for (const [name, value] of headersOf({ code, retryAfterSeconds })) {
    response.http.headers.set(name, value);
  }
}

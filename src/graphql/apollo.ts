import {
  ApolloServer,
  type ApolloServerOptions,
  type ApolloServerPlugin,
  type GraphQLRequestContext,
  HeaderMap,
} from '@apollo/server';
import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled';
import type { GraphQLFormattedError, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import type { Context, Services } from '../context.js';
import { ApiError, errorCatalogue, toApiError } from '../errors.js';
import { chargeBroken, chargeRequest } from './charge.js';
import { documentLimitsRule, type GraphqlLimits } from './document-limits.js';
import {
  causeOf,
  formatError,
  graphqlErrorOf,
  headersOf,
  refusalOf,
  refusalStatuses,
  variableError,
} from './errors.js';
import { requireWholeMutation } from './guarded-fields.js';
import { requireAffordable, requireShort, VALIDATION_ERRORS_MAX } from './limits.js';

type Request = GraphQLRequestContext<Context>;

/**
 * Apollo, whose errors of context creation have their own code and status like all others. The length of the document
 * is judged there too: it is the last place before Apollo hashes and parses it.
 */
class Server extends ApolloServer<Context> {
  constructor(
    options: ApolloServerOptions<Context>,
    private readonly limits: GraphqlLimits,
  ) {
    super(options);
  }

  override executeHTTPGraphQLRequest(
    request: Parameters<ApolloServer<Context>['executeHTTPGraphQLRequest']>[0],
  ): ReturnType<ApolloServer<Context>['executeHTTPGraphQLRequest']> {
    const context = async () => {
      const context = await request.context().catch((error: unknown) => {
        throw graphqlErrorOf(toApiError(error));
      });
      requireShort(request.httpGraphQLRequest.body, this.limits);
      return context;
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
  const limits = config.limits.graphql;
  const options: ApolloServerOptions<Context> = {
    schema,
    formatError,
    introspection: config.introspection,
    hideSchemaDetailsFromClientErrors: !config.introspection,
    validationRules: [documentLimitsRule(limits)],
    validationOptions: { maxErrors: VALIDATION_ERRORS_MAX },
    parseOptions: { maxTokens: limits.tokensMax },
    includeStacktraceInErrorResponses: false,
    allowBatchedHttpRequests: false,
    csrfPrevention: true,
    persistedQueries: false,
    // The process stops by its own signal handlers.
    stopOnTerminationSignals: false,
    // Apollo's own lines are about its set-up; the errors of requests are logged below.
    logger: quiet(log),
    // No answer of ours is to be cached, and that plugin wraps the resolver of each field.
    plugins: [ApolloServerPluginCacheControlDisabled(), requestRules(schema, services)],
  };
  return new Server(options, limits);
}

function quiet(log: Services['log']) {
  const to = (level: 'debug' | 'info' | 'warn' | 'error') => (message?: unknown) =>
    log[level](String(message));
  return { debug: to('debug'), info: to('debug'), warn: to('warn'), error: to('error') };
}

function requestRules(
  schema: GraphQLSchema,
  { config, log }: Pick<Services, 'config' | 'log'>,
): ApolloServerPlugin<Context> {
  const { costMax } = config.limits.graphql;
  return {
    async requestDidStart() {
      let isCharged = false;
      return {
        async didResolveOperation(request) {
          requireKey(request);
          const { contextValue, document, operation } = request;
          const variables = request.request.variables ?? {};
          if (operation === undefined) {
            return; // Without an operation of the given name Apollo has an error of its own for it.
          }
          if (operation.operation === 'subscription') {
            throw refusalOf('BAD_REQUEST', 'Subscriptions are served at /graphql/stream.');
          }
          if (operation.operation === 'mutation') {
            requireWholeMutation(schema, document, operation, variables, contextValue);
          }
          requireFitting(schema, operation, variables, config.introspection);
          const cost = requireAffordable(schema, document, operation, variables, costMax);
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
            setRefusal(request, body.singleResult);
            for (const { extensions } of body.singleResult.errors) {
              request.contextValue.metrics.graphqlError(String(extensions?.['code']));
            }
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

/** Before the execution, whose messages about variables would repeat their values. */
export function requireFitting(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  suggests: boolean,
): void {
  const error = variableError(schema, operation, variables, suggests);
  if (error !== null) {
    throw graphqlErrorOf(error, undefined, 400);
  }
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

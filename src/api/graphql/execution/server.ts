import { ApolloServer, type HTTPGraphQLResponse } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import type { Context, Services } from '../../context/context.js';
import { formatError } from '../fields/errors.js';
import { admission } from './admit.js';
import { answers, textOf } from './answer.js';
import { chargeBroken } from './charge.js';
import { documentLimitsRule } from './document-limits.js';
import { PreparedEmits } from './prepared-emits.js';
import { ANSWER_TYPES, type GraphqlRequest, unreadable } from './request.js';
import { documentStore, KnownTexts } from './stores.js';

/** Each error of a document costs a search for similar names. */
const VALIDATION_ERRORS_MAX = 10;

/** Apollo's plugins that watch resolvers, load scripts or report to Apollo, even if the environment enables them. */
const disabledPlugins = [
  ApolloServerPluginCacheControlDisabled(),
  ApolloServerPluginInlineTraceDisabled(),
  ApolloServerPluginLandingPageDisabled(),
  ApolloServerPluginSchemaReportingDisabled(),
  ApolloServerPluginUsageReportingDisabled(),
];

interface Answer {
  status: number;
  headers: Readonly<Record<string, string>>;
  text: string;
}

/** Apollo Server with our plugins. It turns requests into answers, and does not listen. */
export class GraphqlServer {
  readonly #apollo: ApolloServer<Context>;
  readonly #texts = new KnownTexts();
  readonly #emits: PreparedEmits;

  private constructor(schema: GraphQLSchema, services: Services) {
    const { config, log } = services;
    const format = (error: GraphQLError) => formatError(error, config.introspection ? schema : null);
    this.#emits = new PreparedEmits(format);
    this.#apollo = new ApolloServer<Context>({
      schema,
      introspection: config.introspection,
      hideSchemaDetailsFromClientErrors: !config.introspection,
      parseOptions: { maxTokens: config.limits.graphql.tokensMax },
      validationRules: [documentLimitsRule(config.limits.graphql)],
      validationOptions: { maxErrors: VALIDATION_ERRORS_MAX },
      documentStore: documentStore(),
      persistedQueries: { cache: this.#texts, ttl: null },
      csrfPrevention: true,
      plugins: [...disabledPlugins, admission, answers(services)],
      formatError: (_formatted, error) => {
        const known = error instanceof GraphQLError ? error : new GraphQLError('', { originalError: error as Error });
        return format(known);
      },
      stringifyResult: textOf,
      includeStacktraceInErrorResponses: false,
      stopOnTerminationSignals: false, // the process has its own order of closing
      logger: log,
    });
  }

  static async start(schema: GraphQLSchema, services: Services): Promise<GraphqlServer> {
    const server = new GraphqlServer(schema, services);
    await server.#apollo.start();
    return server;
  }

  async answer(request: GraphqlRequest, context: Context): Promise<Answer> {
    const refusal = unreadable(request, context.config.limits.graphql);
    const prepared = refusal === null ? await this.#emits.answer(request, context) : null;
    const { status, headers, body } = prepared ?? (await this.#answerByApollo(request, context, refusal));
    headers.set('content-type', `${request.answerType ?? ANSWER_TYPES[0]}; charset=utf-8`);
    const limits = request.isCounted ? {} : chargeBroken(context);
    return {
      status: status ?? 200,
      headers: { ...Object.fromEntries(headers), ...limits },
      text: body.kind === 'complete' ? body.string : '',
    };
  }

  async #answerByApollo(
    request: GraphqlRequest,
    context: Context,
    refusal: GraphQLError | null,
  ): Promise<HTTPGraphQLResponse> {
    const { query } = (request.body ?? {}) as { query?: unknown };
    if (refusal === null) {
      request.body = this.#texts.byHash(request.body);
    }
    const asked = this.#apollo.executeHTTPGraphQLRequest({
      httpGraphQLRequest: request,
      context: async () => {
        if (refusal !== null) {
          throw refusal;
        }
        return context;
      },
    });
    const answer = await asked.finally(() => void request.moment?.end());
    this.#emits.note(query, request.operation);
    return answer;
  }
}

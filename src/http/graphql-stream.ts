import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLFormattedError } from 'graphql';
import { callerOf, createContext, type Services } from '../context/context.js';
import { logFault, toApiError } from '../context/faults.js';
import { ApiError } from '../errors.js';
import { GraphqlRequest } from '../graphql/execution/request.js';
import type { GraphqlServer } from '../graphql/execution/server.js';
import {
  executeUpdate,
  openSubscription,
  prepareSubscription,
  RefusedSubscription,
  type Subscription,
} from '../graphql/execution/subscription.js';
import { PAYLOAD_BYTES, PAYLOAD_COST } from '../graphql/fields/costs.js';
import { extensionsOf, refusalStatuses } from '../graphql/fields/errors.js';
import { type Update, type UpdateStream, withDatabase } from '../graphql/fields/update-stream.js';
import { contextOf } from './asking.js';
import { authorizationOf } from './console-cookies.js';
import { type EndReason, EventStream } from './event-stream.js';
import { OpenStreams } from './open-streams.js';
import { headerOf } from './requests.js';

/** What the long texts of updates may have that are executed together: each stream may hold so much. */
const PORTION_BYTES_MAX = 4_194_304;

/** An open stream, with all that its updates need. */
interface Live {
  services: Services;
  streams: OpenStreams;
  request: FastifyRequest;
  subscription: Subscription;
  updates: UpdateStream<unknown>;
}

/**
 * Mounts `POST /graphql/stream`: subscriptions as server-sent events, in the "distinct connections mode" of
 * graphql-sse's protocol. Stands beside /graphql, whose hook has found out who asks.
 */
export function streamRoute(
  app: FastifyInstance,
  { graphql, services }: { graphql: GraphqlServer; services: Services },
): void {
  const streams = new OpenStreams(services);
  app.addHook('preClose', async () => streams.close());
  app.post('/graphql/stream', { bodyLimit: services.config.limits.graphql.bodyBytesMax }, async (request, reply) => {
    const context = contextOf(request);
    context.lastEventId = headerOf(request, 'last-event-id') || undefined;
    const giveBack = streams.admit({ keyId: callerOf(context).keyId, tenantId: context.tenantId });
    try {
      const asked = new GraphqlRequest(request, true);
      const subscription = await prepareSubscription(graphql, asked, context);
      reply.headers(subscription.headers);
      const updates = await openSubscription(subscription, context);
      follow({ services, streams, request, subscription, updates }, reply, giveBack);
      return reply;
    } catch (error) {
      giveBack();
      if (error instanceof ApiError) {
        services.metrics.graphqlError(error.code); // those of a RefusedSubscription have been counted
      }
      return refuse(request, reply, error);
    }
  });
}

/** Answers with the stream, which lives on after this. */
function follow(live: Live, reply: FastifyReply, giveBack: () => void): void {
  const { services, streams, request, updates } = live;
  const { heartbeatMs, slowMs, lifeMs } = services.config.streams;
  const caller = callerOf(contextOf(request));
  let leave = () => {};
  const onEnd = (reason: EndReason) => {
    leave();
    giveBack();
    void updates.return();
    services.metrics.streamEnded(reason);
    request.log.debug({ requestId: request.id, keyId: caller.keyId, reason }, 'a stream ended');
  };
  reply.hijack();
  services.metrics.streamOpened();
  const stream = new EventStream(
    reply.raw,
    { heartbeatMs, slowMs, lifeMs, reached: () => updates.cursor, onEnd },
    reply.getHeaders(),
  );
  const fail = (error: unknown) => {
    const known = toApiError(error);
    logFault(services.log, request.id, known.reason, error);
    services.metrics.graphqlError(known.code);
    tellAndComplete(stream, [formattedOf(known)]);
  };
  leave = streams.add({
    keyId: caller.keyId,
    tenantId: contextOf(request).tenantId,
    authorization: authorizationOf(services.config, request) ?? '',
    address: request.ip,
    refuse: fail,
    end: () => stream.end('service_ends'),
  });
  if (reply.raw.destroyed) {
    stream.destroy('client_left'); // while its stream was being opened
    return;
  }
  pump(live, stream).catch(fail);
}

/** @throws ApiError when the key may no longer be used */
async function pump({ services, streams, request, subscription, updates }: Live, stream: EventStream) {
  const { tenantId } = contextOf(request);
  for await (const batch of updates) {
    for (const portion of portionsOf(batch, subscription, services.config.payloadBytesMax)) {
      // The turn is given back between two tries.
      const { results, budget } = await withDatabase(
        () => streams.takeTurn(tenantId, () => executePortion(services, request, subscription, portion)),
        () => stream.hasEnded,
      );
      try {
        for (const [index, result] of results.entries()) {
          if (stream.hasEnded) {
            return;
          }
          await stream.next(portion[index]!.cursor, result);
          services.metrics.streamUpdate();
        }
      } finally {
        budget.end();
      }
    }
  }
}

/**
 * Updates that are executed together, and wait in memory until a reader has taken them all: so many as find room in
 * PORTION_BYTES_MAX, as far as the cost of the subscription tells, and at least one.
 */
function portionsOf<Node>(
  batch: readonly Update<Node>[],
  { operation, variables }: Subscription,
  payloadBytesMax: number,
): (readonly Update<Node>[])[] {
  const costMax = (PAYLOAD_COST * PORTION_BYTES_MAX) / Math.max(payloadBytesMax, PAYLOAD_BYTES);
  const size = Math.max(1, Math.floor(costMax / operation.cost(variables)));
  return Array.from({ length: Math.ceil(batch.length / size) }, (_, index) =>
    batch.slice(index * size, (index + 1) * size),
  );
}

/** In a context of its own: what its loaders remember is as old as the portion. */
async function executePortion(
  services: Services,
  request: FastifyRequest,
  subscription: Subscription,
  portion: readonly Update<unknown>[],
) {
  const context = await createContext(services, {
    authorization: authorizationOf(services.config, request),
    tenantHeader: headerOf(request, 'hookwright-tenant'),
    requestId: request.id,
    address: request.ip,
    answerBytesMax: PORTION_BYTES_MAX,
  });
  const { budget } = context;
  try {
    const results = await Promise.all(portion.map((update) => executeUpdate(subscription, update, context)));
    return { results, budget };
  } catch (error) {
    budget.end();
    throw error;
  }
}

/** Does not wait for the reader: one that has stopped reading must not keep a key that has ended. */
function tellAndComplete(stream: EventStream, errors: readonly GraphQLFormattedError[]): void {
  void stream.next(null, { errors });
  stream.complete();
}

function formattedOf(error: ApiError): GraphQLFormattedError {
  return { message: error.detail, extensions: extensionsOf(error) };
}

/**
 * What concerns the request as a whole has a status, as at /graphql; what is wrong with the operation is its first and
 * last event, as a client of subscriptions expects.
 *
 * @throws every other error, for the error handler of /graphql
 */
function refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  if (!(error instanceof RefusedSubscription || error instanceof ApiError)) {
    throw error;
  }
  const { errors, status, headers } =
    error instanceof ApiError
      ? { errors: [formattedOf(error)], status: refusalStatuses[error.code] ?? 200, headers: error.headers }
      : error;
  reply.headers(headers);
  if (status !== 200) {
    return reply.code(status).type('application/json; charset=utf-8').send({ errors });
  }
  reply.hijack();
  const options = { heartbeatMs: 1_000, slowMs: 1_000, lifeMs: 1_000, reached: () => undefined };
  const code = errors[0]?.extensions?.['code'];
  const onEnd = () => request.log.debug({ requestId: request.id, code }, 'a subscription was refused');
  tellAndComplete(new EventStream(reply.raw, { ...options, onEnd }, reply.getHeaders()), errors);
  return reply;
}

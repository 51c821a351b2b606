import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerOf, createContext, type Services } from '../context/context.js';
import { logFault, toApiError } from '../context/faults.js';
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
import { extensionsOf } from '../graphql/fields/errors.js';
import { type Update, type UpdateStream, withDatabase } from '../graphql/fields/update-stream.js';
import { contextOf } from './asking.js';
import { authorizationOf } from './console-cookies.js';
import { COMPLETE, type EndReason, EventStream, nextEvent } from './event-stream.js';
import { OpenStreams } from './open-streams.js';
import { headerOf } from './requests.js';

/** The long texts of updates that are executed together, and wait in memory for each stream. */
const PORTION_BYTES_MAX = 4_194_304;

interface Live {
  services: Services;
  streams: OpenStreams;
  request: FastifyRequest;
  subscription: Subscription;
  updates: UpdateStream<unknown>;
}

/**
 * Mounts `POST /graphql/stream`: subscriptions as server-sent events, in the "distinct connections mode" of
 * graphql-sse's protocol. The hook of /graphql finds the caller.
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
    const release = streams.admit({ keyId: callerOf(context).keyId, tenantId: context.tenantId });
    try {
      const subscription = await prepareSubscription(graphql, new GraphqlRequest(request, true), context);
      reply.headers(subscription.headers);
      const updates = await openSubscription(subscription, context);
      follow({ services, streams, request, subscription, updates }, reply, release);
      return reply;
    } catch (error) {
      release();
      if (error instanceof RefusedSubscription) {
        return refuse(reply, error);
      }
      throw error; // to the error handler of /graphql
    }
  });
}

/** Starts the stream, which outlives this call. */
function follow(live: Live, reply: FastifyReply, release: () => void): void {
  const { services, streams, request, updates } = live;
  const { tenantId } = contextOf(request);
  const { keyId } = callerOf(contextOf(request));
  let leave = () => {};
  const onEnd = (reason: EndReason) => {
    leave();
    release();
    updates.close();
    services.metrics.streamsOpen -= 1;
    services.metrics.streamsEnded.count(reason);
    request.log.debug({ requestId: request.id, keyId, reason }, 'a stream ended');
  };
  reply.hijack();
  services.metrics.streamsOpen += 1;
  const options = { ...services.config.streams, reached: () => updates.cursor, onEnd };
  const stream = new EventStream(reply.raw, options, reply.getHeaders());
  const fail = (error: unknown) => {
    const known = toApiError(error);
    logFault(services.log, request.id, known.reason, error);
    services.metrics.graphqlErrors.count(known.code);
    // Does not wait for the client, which may have stopped reading.
    void stream.next(null, { errors: [{ message: known.detail, extensions: extensionsOf(known) }] });
    stream.complete();
  };
  leave = streams.add({
    keyId,
    tenantId,
    authorization: authorizationOf(services.config, request) ?? '',
    address: request.ip,
    refuse: fail,
    end: () => stream.end('service_ends'),
  });
  if (reply.raw.destroyed || request.raw.socket.readableEnded) {
    stream.destroy('client_left'); // before the stream was open
    return;
  }
  pump(live, stream).catch(fail);
}

/** @throws ApiError when the key may no longer be used */
async function pump({ services, streams, request, subscription, updates }: Live, stream: EventStream) {
  const { tenantId } = contextOf(request);
  const size = portionSize(subscription, services.config.payloadBytesMax);
  for await (const batch of updates) {
    for (let begin = 0; begin < batch.length; begin += size) {
      const portion = batch.slice(begin, begin + size);
      const { results, budget } = await withDatabase(
        () => streams.read(tenantId, () => executePortion(services, request, subscription, portion)),
        () => stream.hasEnded,
      );
      try {
        for (const [index, result] of results.entries()) {
          if (stream.hasEnded) {
            return;
          }
          await stream.next(portion[index]!.cursor, result);
          services.metrics.streamUpdates.inc();
        }
      } finally {
        budget.end();
      }
    }
  }
}

/** The number of updates that fit into PORTION_BYTES_MAX, by the cost of the subscription; at least one. */
function portionSize({ operation, variables }: Subscription, payloadBytesMax: number): number {
  const costMax = (PAYLOAD_COST * PORTION_BYTES_MAX) / Math.max(payloadBytesMax, PAYLOAD_BYTES);
  return Math.max(1, Math.floor(costMax / operation.cost(variables)));
}

/** Executes updates in a new context, whose caller and loaders are fresh. */
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

/**
 * Refuses a subscription: with a status when the request is refused as a whole, as at /graphql, otherwise as the first
 * and last event of the stream, as clients expect.
 */
function refuse(reply: FastifyReply, { errors, status, headers }: RefusedSubscription): FastifyReply {
  reply.code(status).headers(headers);
  return status === 200
    ? reply.type('text/event-stream; charset=utf-8').send(nextEvent(null, { errors }) + COMPLETE)
    : reply.type('application/json; charset=utf-8').send({ errors });
}

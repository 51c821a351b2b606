import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Slots } from '../../platform/concurrency/slots.js';
import { callerOf, type Services } from '../context/context.js';
import { nameOfTenant } from '../context/tenant-named.js';
import { notedFault } from '../graphql/execution/answer.js';
import type { GraphqlServer } from '../graphql/execution/server.js';
import { executeUpdate, RefusedSubscription, type Subscription } from '../graphql/execution/subscription.js';
import { PAYLOAD_BYTES, PAYLOAD_COST } from '../graphql/fields/costs.js';
import { type Update, withDatabase } from '../graphql/fields/update-stream.js';
import { addressed, type Carried, openAll, reachedBy } from './carried-subscriptions.js';
import { authorizationOf } from './console-cookies.js';
import { completeEvent, type EndReason, EventStream, nextEvent } from './event-stream.js';
import { type Admission, OpenStreams } from './open-streams.js';
import { contextOf, requestContext } from './request-context.js';
import { headerOf } from './requests.js';

/** The long texts of updates that are executed together, and wait in memory for each stream. */
const PORTION_BYTES_MAX = 4_194_304;

interface Live {
  services: Services;
  streams: OpenStreams;
  request: FastifyRequest;
  carried: readonly Carried[];
  turns: Slots;
}

/**
 * Mounts `POST /graphql/stream`: subscriptions as server-sent events. A single one has the form of the "distinct
 * connections mode" of graphql-sse's protocol. Those of a list share a stream, with the messages of its "single
 * connection mode", and need no state between requests. The hook of /graphql finds the caller.
 */
export function streamRoute(
  app: FastifyInstance,
  { graphql, services }: { graphql: GraphqlServer; services: Services },
): void {
  const streams = new OpenStreams(services);
  app.ending.addEventListener('abort', () => streams.close());
  app.post('/graphql/stream', { bodyLimit: services.config.limits.graphql.bodyBytesMax }, async (request, reply) => {
    const context = contextOf(request);
    context.lastEventId = headerOf(request, 'last-event-id') || undefined;
    const admission = streams.admit({ keyId: callerOf(context).keyId, tenantId: context.tenantId });
    try {
      const { carried, refused, headers } = await openAll(graphql, request, context);
      reply.headers(headers);
      const stream = follow({ services, streams, request, carried, turns: new Slots(1) }, reply, admission);
      for (const { place, errors } of refused) {
        void stream.next(null, addressed(place, { errors }));
        stream.completeOne(place);
      }
      if (carried.length === 0) {
        stream.complete([]);
      }
      return reply;
    } catch (error) {
      streams.release(admission);
      if (error instanceof RefusedSubscription) {
        return refuse(reply, error);
      }
      throw error; // to the error handler of /graphql
    }
  });
}

/** Starts the stream, which outlives this call. */
function follow(live: Live, reply: FastifyReply, admission: Admission): EventStream {
  const { services, streams, request, carried } = live;
  const onEnd = (reason: EndReason) => {
    streams.release(admission);
    for (const { updates } of carried) {
      updates.close();
    }
    services.metrics.streamsOpen -= 1;
    services.metrics.streamsEnded.count(reason);
    request.log.debug({ requestId: request.id, keyId: admission.keyId, reason }, 'a stream ended');
  };
  reply.hijack();
  services.metrics.streamsOpen += 1;
  const options = { ...services.config.streams, reached: () => reachedBy(carried), onEnd };
  const stream = new EventStream(reply.raw, options, reply.getHeaders());
  const fail = (error: unknown) => {
    const result = { errors: [notedFault(contextOf(request), error)] };
    // Does not wait for the client, which may have stopped reading.
    for (const { place } of carried) {
      void stream.next(null, addressed(place, result));
    }
    stream.complete(carried.map(({ place }) => place));
  };
  streams.open(admission, {
    authorization: authorizationOf(services.config, request) ?? '',
    address: request.ip,
    refuse: fail,
    end: () => stream.end('service_ends'),
  });
  if (reply.raw.destroyed || request.raw.socket.readableEnded) {
    stream.destroy('client_left'); // before the stream was open
  } else {
    Promise.all(carried.map((one) => pump(live, one, stream))).catch(fail);
  }
  return stream;
}

/** @throws ApiError when the key may no longer be used */
async function pump(live: Live, one: Carried, stream: EventStream): Promise<void> {
  const size = portionSize(one, live.services.config.payloadBytesMax);
  for await (const batch of one.updates) {
    for (let begin = 0; begin < batch.length && !stream.hasEnded; begin += size) {
      // One portion at a time, whatever the stream carries: the next one waits in the database, not in memory.
      await live.turns.run(() => send(live, one, stream, batch.slice(begin, begin + size)));
    }
  }
}

async function send(live: Live, one: Carried, stream: EventStream, portion: readonly Update<unknown>[]): Promise<void> {
  const { services, streams, request, carried } = live;
  const { place } = one;
  const { tenantId } = contextOf(request);
  const { results, budget } = await withDatabase(
    () => streams.read(tenantId, () => executePortion(services, request, one, portion)),
    () => stream.hasEnded,
  );
  try {
    for (const [index, result] of results.entries()) {
      if (stream.hasEnded) {
        return;
      }
      // The id of a list is where all of it stands.
      const id = place === null ? portion[index]!.cursor : (reachedBy(carried) ?? null);
      await stream.next(id, addressed(place, result));
      services.metrics.streamUpdates.inc();
    }
  } finally {
    budget.end();
  }
}

/** The number of updates that fit into PORTION_BYTES_MAX, by the cost of the subscription; at least one. */
function portionSize({ operation, variables }: Subscription, payloadBytesMax: number): number {
  const costMax = (PAYLOAD_COST * PORTION_BYTES_MAX) / Math.max(payloadBytesMax, PAYLOAD_BYTES);
  return Math.max(1, Math.floor(costMax / operation.reading(variables).cost));
}

/** Executes updates in a new context, whose caller and loaders are fresh. */
async function executePortion(
  services: Services,
  request: FastifyRequest,
  subscription: Subscription,
  portion: readonly Update<unknown>[],
) {
  const authorization = authorizationOf(services.config, request);
  // An external id in the header may be another tenant's by now.
  const tenant = nameOfTenant(contextOf(request).tenantId);
  const context = await requestContext(services, request, authorization, PORTION_BYTES_MAX, tenant);
  const { budget } = context;
  try {
    const { readsOfRows } = subscription.operation.reading(subscription.variables);
    const results = await context.atOneMoment(readsOfRows, (own) =>
      Promise.all(portion.map((update) => executeUpdate(subscription, update, own))),
    );
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
    ? reply.type('text/event-stream; charset=utf-8').send(nextEvent(null, { errors }) + completeEvent(null))
    : reply.type('application/json; charset=utf-8').send({ errors });
}

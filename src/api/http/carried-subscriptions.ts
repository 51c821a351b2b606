import type { FastifyRequest } from 'fastify';
import type { GraphQLFormattedError } from 'graphql';
import type { Context } from '../context/context.js';
import { chargeBroken } from '../graphql/execution/charge.js';
import { GraphqlRequest } from '../graphql/execution/request.js';
import type { GraphqlServer } from '../graphql/execution/server.js';
import {
  openSubscription,
  prepareSubscription,
  RefusedSubscription,
  type Subscription,
} from '../graphql/execution/subscription.js';
import { cursorBehind, type UpdateStream } from '../graphql/fields/update-stream.js';

/** A browser has few connections, and several windows: one stream carries what all of them show. */
const CARRIED_MAX = 32;

/** A subscription that a stream carries. */
export interface Carried {
  /** The place in the list of the request. Null when the request is a single subscription. */
  place: number | null;
  subscription: Subscription;
  updates: UpdateStream<unknown>;
}

/** A subscription of a list that cannot be carried. The others are. */
interface Refused {
  place: number;
  errors: readonly GraphQLFormattedError[];
}

interface Opened {
  carried: Carried[];
  refused: Refused[];
  headers: Record<string, string>;
}

/**
 * Opens the subscription that a request asks for, or all of a list.
 *
 * @throws RefusedSubscription for a single one that is refused, and for a list when the reason concerns all of it
 */
export async function openAll(graphql: GraphqlServer, request: FastifyRequest, context: Context): Promise<Opened> {
  const open = async (body: unknown, place: number | null): Promise<Opened> => {
    const { method, url, headers } = request;
    const subscription = await prepareSubscription(
      graphql,
      new GraphqlRequest({ method, url, headers, body }, true),
      context,
    );
    const updates = await openSubscription(subscription, context);
    return { carried: [{ place, subscription, updates }], refused: [], headers: subscription.headers };
  };
  const { body } = request;
  if (!Array.isArray(body) || body.length === 0) {
    return open(body, null);
  }
  if (body.length > CARRIED_MAX) {
    const message = `The list has ${body.length} subscriptions; a stream carries at most ${CARRIED_MAX}.`;
    throw new RefusedSubscription([{ message, extensions: { code: 'BAD_REQUEST' } }], 400, chargeBroken(context));
  }
  const all = await Promise.allSettled(
    body.map((one, place) => open(one, place).catch((error: unknown) => refusedAlone(error, place))),
  );
  const opened = all.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const carried = opened.flatMap((one) => one.carried);
  const failed = all.find((one) => one.status === 'rejected');
  if (failed !== undefined) {
    for (const { updates } of carried) {
      updates.close();
    }
    throw failed.reason;
  }
  return {
    carried,
    refused: opened.flatMap((one) => one.refused),
    headers: Object.assign({}, ...opened.map((one) => one.headers)),
  };
}

/** @throws unknown the error, if it concerns the whole request: its key, a limit, a fault of ours */
function refusedAlone(error: unknown, place: number): Opened {
  if (error instanceof RefusedSubscription && (error.status === 200 || error.status === 400)) {
    return { carried: [], refused: [{ place, errors: error.errors }], headers: error.headers };
  }
  throw error;
}

/** The data of an event. In a list it names its subscription. */
export const addressed = (place: number | null, result: object): object =>
  place === null ? result : { id: String(place), payload: result };

/** The cursor behind everything that was sent for all of them. */
export const reachedBy = (carried: readonly Carried[]): string | undefined =>
  cursorBehind(carried.map(({ updates }) => updates));

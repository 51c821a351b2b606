import type { FastifyRequest } from 'fastify';
import type { GraphQLFormattedError } from 'graphql';
import type { Context } from '../context/context.js';
import { chargeBroken } from '../graphql/execution/charge.js';
import { GraphqlRequest } from '../graphql/execution/request.js';
import type { GraphqlServer } from '../graphql/execution/server.js';
import { openSubscription, RefusedSubscription, type Subscription } from '../graphql/execution/subscription.js';
import { cursorBehind } from '../graphql/fields/update-stream.js';

/** A browser has few connections, and several windows: one stream carries what all of them show. */
const CARRIED_MAX = 32;

/** A subscription that a stream carries. */
export interface Carried extends Subscription {
  /** The place in the list of the request. Null when the request is a single subscription. */
  place: number | null;
}

/** A subscription of a list that cannot be carried. The others are. */
interface Refused {
  place: number;
  errors: readonly GraphQLFormattedError[];
}

interface Opened {
  carried: readonly Carried[];
  refused: readonly Refused[];
  headers: Record<string, string>;
}

/**
 * Opens the subscription that a request asks for, or all of a list.
 *
 * @throws RefusedSubscription for a single one that is refused, and for a list when the reason concerns all of it
 */
export async function openAll(graphql: GraphqlServer, request: FastifyRequest, context: Context): Promise<Opened> {
  const { method, url, headers, body: asked } = request;
  const open = async (body: unknown, place: number | null): Promise<Carried> => {
    const one = new GraphqlRequest({ method, url, headers, body }, true);
    return { place, ...(await openSubscription(graphql, one, context)) };
  };
  if (!Array.isArray(asked) || asked.length === 0) {
    const carried = await open(asked, null);
    return { carried: [carried], refused: [], headers: carried.headers };
  }
  if (asked.length > CARRIED_MAX) {
    const message = `The list has ${asked.length} subscriptions; a stream carries at most ${CARRIED_MAX}.`;
    throw new RefusedSubscription([{ message, extensions: { code: 'BAD_REQUEST' } }], 400, chargeBroken(context));
  }
  const all = await Promise.allSettled(asked.map(open));
  const carried = all.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const failures = all.map((one) => (one.status === 'rejected' ? one.reason : null));
  const failure = failures.find((reason) => reason !== null && !concernsOne(reason));
  if (failure !== undefined) {
    for (const { updates } of carried) {
      updates.close();
    }
    throw failure;
  }
  return {
    carried,
    refused: failures.flatMap((reason, place) => (reason === null ? [] : { place, errors: reason.errors })),
    headers: Object.assign({}, ...all.map((one) => (one.status === 'fulfilled' ? one.value : one.reason).headers)),
  };
}

/** Whether an error concerns one subscription of a list. Others are about the key, a limit, or a fault of ours. */
const concernsOne = (error: unknown): boolean =>
  error instanceof RefusedSubscription && (error.status === 200 || error.status === 400);

/** The data of an event. In a list it names its subscription. */
export const addressed = (place: number | null, result: object): object =>
  place === null ? result : { id: String(place), payload: result };

/** The cursor behind everything that was sent for all of them. */
export const reachedBy = (carried: readonly Carried[]): string | undefined =>
  cursorBehind(carried.map(({ updates }) => updates));

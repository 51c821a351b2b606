/** The limits of a tenant that its emits meet. Null: the installation's. */
export interface EmitLimits {
  eventsPerSecond: number | null;
  bodyBytesMax: number | null;
}

/** The limits of a tenant that its requests to endpoints meet, over all of its endpoints and all daemons. */
export interface RequestLimits {
  requestsPerSecond: number | null;
  requestsAtOnce: number | null;
}

export const UNLIMITED_REQUESTS: RequestLimits = { requestsPerSecond: null, requestsAtOnce: null };

/** "one webhook", "2 webhooks". */
export const webhooksInWords = (count: number): string => (count === 1 ? 'one webhook' : `${count} webhooks`);

/** A sentence about a tenant that has as many webhooks as the operator allows it. */
export const endpointsLimited = (endpointsMax: number): string =>
  `The operator allows ${webhooksInWords(endpointsMax)} in this tenant (limits.endpointsMax); delete one first.`;

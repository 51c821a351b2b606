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

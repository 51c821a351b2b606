/** Why an endpoint needs somebody, the most pressing reason first. */
export const REASONS = ['GONE', 'DISABLED', 'FAILING', 'HOLDING', 'CLOSED'] as const;

export type Reason = (typeof REASONS)[number];

/** One failure or two are what retries are for. */
const FAILURES_IN_A_ROW = 3;

/** The fields of a webhook that decide whether somebody should look at it. */
export interface Standing {
  active: boolean;
  disabledReason?: string | null;
  consecutiveFailures: number;
  heldCount: number;
  closedUntil?: string | null;
}

/**
 * Why this endpoint needs somebody; undefined when it does not. A pause that holds nothing is somebody's choice.
 *
 * @param now in ms since 1970
 */
export function reasonFor(endpoint: Standing, now: number): Reason | undefined {
  if (endpoint.disabledReason === 'GONE') {
    return 'GONE';
  }
  if (endpoint.disabledReason === 'FAILURES') {
    return 'DISABLED';
  }
  if (endpoint.consecutiveFailures >= FAILURES_IN_A_ROW) {
    return 'FAILING';
  }
  if (endpoint.heldCount > 0) {
    return 'HOLDING';
  }
  return endpoint.active && endpoint.closedUntil != null && Date.parse(endpoint.closedUntil) > now
    ? 'CLOSED'
    : undefined;
}

/** The endpoints that need somebody, the most pressing first, each once. */
export function needingAttention<Row extends Standing & { id: string }>(
  endpoints: readonly Row[],
  now: number,
): { endpoint: Row; reason: Reason }[] {
  const found = new Map<string, { endpoint: Row; reason: Reason }>();
  for (const endpoint of endpoints) {
    const reason = reasonFor(endpoint, now);
    if (reason !== undefined) {
      found.set(endpoint.id, { endpoint, reason });
    }
  }
  return [...found.values()].sort(
    (one, other) =>
      REASONS.indexOf(one.reason) - REASONS.indexOf(other.reason) || other.endpoint.heldCount - one.endpoint.heldCount,
  );
}

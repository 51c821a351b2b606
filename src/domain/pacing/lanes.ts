/**
 * The lanes in which delivery jobs wait, in their order. A person waits for what is in TEST: a test, a check, or the
 * first of the attempts that somebody asked for at an endpoint. CROWDED has the first attempts of a tenant that emits a
 * lot at once, or of an endpoint that cannot keep up. BULK has released and redelivered ones. Each lane has a share,
 * since the order alone would starve the later lanes while first attempts have no end.
 */
export type Lane = 'TEST' | 'FIRST' | 'CROWDED' | 'RETRY' | 'BULK';

interface LaneRule {
  /** A job's priority for graphile-worker: lower ones are fetched first. */
  priority: number;
  /** The priority of a job that is raised above first attempts. */
  raised?: number;
  /** The share of all deliveries that the lane gets while any of it wait. */
  share?: number;
}

export const LANES = {
  TEST: { priority: -10 },
  FIRST: { priority: 0 },
  CROWDED: { priority: 10, raised: -3, share: 1 / 4 },
  RETRY: { priority: 20, raised: -2, share: 1 / 4 },
  BULK: { priority: 30, raised: -1, share: 1 / 8 },
} as const satisfies Record<Lane, LaneRule>;

const rules = Object.entries(LANES) as [Lane, LaneRule][];

const byPriority = new Map(
  rules.flatMap(([lane, { priority, raised = priority }]) => [
    [priority, lane],
    [raised, lane],
  ]),
);

export const laneOf = (priority: number): Lane => byPriority.get(priority) ?? 'BULK';

/** SQL: the priority of a job of the same lane that is raised above first attempts, where its lane has that. */
export const raisedPrioritySql = (priority: string): string =>
  `case ${priority} ${rules
    .flatMap(([, lane]) => (lane.raised === undefined ? [] : `when ${lane.priority} then ${lane.raised}`))
    .join(' ')} else ${priority} end`;

export const laneAfterPutOff = (lane: Lane): Lane => (lane === 'FIRST' ? 'CROWDED' : lane);

type Done = Readonly<Record<Lane, number>>;

export const noneDone = (): Record<Lane, number> => ({ TEST: 0, FIRST: 0, CROWDED: 0, RETRY: 0, BULK: 0 });

export function sumOf(a: Done, b: Done): Done {
  const sum = noneDone();
  for (const [lane] of rules) {
    sum[lane] = a[lane] + b[lane];
  }
  return sum;
}

export const totalOf = (done: Done): number => Object.values(done).reduce((sum, count) => sum + count, 0);

export interface Raise {
  from: number;
  to: number;
  /** How many of the jobs that have waited longest. */
  count: number;
}

/** The waiting jobs to raise, so that each lane gets its share. @param done attempts made lately */
export function raises(done: Done): Raise[] {
  const total = totalOf(done);
  return rules.flatMap(([lane, { priority, raised, share }]) => {
    if (raised === undefined || share === undefined) {
      return [];
    }
    // A lane that got nothing while others did begins to move.
    const count = Math.max(1, Math.round(total * share)) - done[lane];
    return count > 0 ? [{ from: priority, to: raised, count }] : [];
  });
}

import { SEND_ERROR_CODES } from '../deliveries/outcome.js';
import { bucketMs, type StatsRange } from './stats.js';

/** Statuses that are counted one by one. A receiver chooses its status, so the others are counted by class. */
const STATUSES = [400, 401, 403, 404, 405, 408, 409, 410, 413, 415, 422, 429, 500, 502, 503, 504] as const;
const CLASSES = ['HTTP_3XX', 'HTTP_4XX', 'HTTP_5XX'] as const;

/** All reasons without a name of their own. */
export const OTHER_REASONS = 'OTHER';

/** The reasons that are counted: an error code of an attempt, or a class of statuses. */
const FAILURE_REASONS: readonly string[] = [
  ...SEND_ERROR_CODES,
  ...STATUSES.map((status) => `HTTP_${status}`),
  ...CLASSES,
  OTHER_REASONS,
];

const known = new Set(FAILURE_REASONS);

/** @param errorCode as in `Attempt.errorCode` */
export function reasonOf(errorCode: string): string {
  if (known.has(errorCode)) {
    return errorCode;
  }
  const ofClass = `${errorCode.slice(0, 6)}XX`;
  return known.has(ofClass) ? ofClass : OTHER_REASONS;
}

/** So many reasons of a range have counts of their own. */
export const REASONS_SHOWN = 8;

export interface FailureCounts {
  startMs: number;
  reason: string;
  failures: number;
}

interface ReasonFigures {
  reason: string;
  failures: number;
  /** In each bucket of the range. */
  buckets: number[];
}

/** The most frequent reasons of a range, the most frequent one first. The others are together at the end. */
export function reasonFigures(
  { since, until, resolution }: StatsRange,
  counted: readonly FailureCounts[],
): ReasonFigures[] {
  const length = bucketMs[resolution];
  const size = (until.getTime() - since.getTime()) / length;
  const byReason = [...Map.groupBy(counted, ({ reason }) => reason)].map(([reason, counts]) => {
    const buckets = new Array<number>(size).fill(0);
    for (const { startMs, failures } of counts) {
      buckets[(startMs - since.getTime()) / length]! += failures;
    }
    return { reason, failures: buckets.reduce((sum, count) => sum + count, 0), buckets };
  });
  const named = byReason
    .filter(({ reason }) => reason !== OTHER_REASONS)
    .sort((a, b) => b.failures - a.failures || a.reason.localeCompare(b.reason));
  const rest = [...named.splice(REASONS_SHOWN), ...byReason.filter(({ reason }) => reason === OTHER_REASONS)];
  return rest.length === 0 ? named : [...named, together(rest)];
}

function together(reasons: readonly ReasonFigures[]): ReasonFigures {
  const [first] = reasons;
  return {
    reason: OTHER_REASONS,
    failures: reasons.reduce((sum, { failures }) => sum + failures, 0),
    buckets: first!.buckets.map((_, at) => reasons.reduce((sum, { buckets }) => sum + buckets[at]!, 0)),
  };
}

import type { Receipt } from './evidence.js';
import type { Disturbance } from './oracle.js';
import type { OrderedEmit } from './order-oracle.js';

/** A delivery of a key that settles, as the tables have it at the end. Times are milliseconds since 1970. */
export interface SettledDelivery {
  id: number;
  eventId: number;
  key: string;
  status: string;
  supersededBy: number | null;
  endedAt: number;
}

interface SettleEvidence {
  emits: readonly OrderedEmit[];
  deliveries: readonly SettledDelivery[];
  receipts: readonly Receipt[];
  /** Times in which an application had a key. */
  locks: readonly { key: string; from: number; to: number }[];
  disturbances: readonly Disturbance[];
  settleMs: number;
  maxMs: number;
}

interface SettleFindings {
  problems: string[];
  requests: number;
  superseded: number;
  /** How much later than at its maximum a key's delivery was sent, ms. Negative: earlier. */
  lateMsP99: number;
  lateMsMax: number;
  /** The same where a fault came between. */
  recoveryMsMax: number;
}

/** The clocks of Postgres and of the endpoints are the same, but their times are not read at the same moment. */
const CLOCK_MS = 5;
/** From the end of a fault until daemons fetch jobs again. */
const STARTING_MS = 3_000;
/** A daemon that was killed is missed, at the latest, by the sweep for overdue deliveries. */
const RECOVERY_MS_MOST = 80_000;

/**
 * Judges keys by the promise: of each quiet period the last event arrives, not before the key was quiet, at the latest
 * after its maximum; no event is lost; a key has one request at a time.
 *
 * @param lateMsMost how much later than the maximum a delivery may be sent
 */
export function judgeSettling(evidence: SettleEvidence, lateMsMost: number): SettleFindings {
  const problems: string[] = [];
  const late: number[] = [];
  let recoveryMsMax = 0;
  const emits = new Map(evidence.emits.map((emit) => [emit.eventId, emit]));
  for (const deliveries of Map.groupBy(evidence.deliveries, ({ key }) => key).values()) {
    const ids = new Set(deliveries.map(({ id }) => id));
    const receipts = evidence.receipts.filter(({ deliveryId }) => ids.has(deliveryId));
    problems.push(...flightProblems(deliveries[0]!.key, receipts), ...lostProblems(deliveries, receipts));
    let endedAt = 0;
    for (const turn of turnsOf(deliveries, receipts)) {
      const events = turn.deliveries.flatMap(({ eventId }) => emits.get(eventId) ?? []);
      if (events.length < turn.deliveries.length) {
        problems.push(`delivery ${turn.id} stands for events that no emit has confirmed`);
        continue;
      }
      const { earliest, latest } = boundsOf(turn, events, endedAt, evidence);
      if (turn.sentAt < earliest - CLOCK_MS) {
        problems.push(`delivery ${turn.id} was sent ${earliest - turn.sentAt} ms before its key was quiet`);
      }
      const lateMs = turn.sentAt - latest;
      const isRecovery = evidence.disturbances.some(
        ({ from, to }) => from < turn.sentAt && to + STARTING_MS > Math.min(latest, endedAt || latest),
      );
      if (isRecovery) {
        recoveryMsMax = Math.max(recoveryMsMax, lateMs);
      } else {
        late.push(lateMs);
      }
      if (lateMs > (isRecovery ? RECOVERY_MS_MOST : lateMsMost)) {
        problems.push(`delivery ${turn.id} was sent ${lateMs} ms after the maximum of its key`);
      }
      endedAt = turn.endedAt;
    }
  }
  const sorted = late.toSorted((a, b) => a - b);
  return {
    problems,
    requests: evidence.receipts.length,
    superseded: evidence.deliveries.filter(({ supersededBy }) => supersededBy !== null).length,
    lateMsP99: sorted[Math.floor((sorted.length - 1) * 0.99)] ?? 0,
    lateMsMax: sorted.at(-1) ?? 0,
    recoveryMsMax,
  };
}

/** A delivery that was sent, with those whose place it took. */
interface Turn {
  id: number;
  sentAt: number;
  endedAt: number;
  deliveries: readonly SettledDelivery[];
}

/** In the order of their first requests. */
function turnsOf(deliveries: readonly SettledDelivery[], receipts: readonly Receipt[]): Turn[] {
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  const lastOf = (delivery: SettledDelivery): SettledDelivery => {
    const next = delivery.supersededBy === null ? undefined : byId.get(delivery.supersededBy);
    return next === undefined ? delivery : lastOf(next);
  };
  return [...Map.groupBy(deliveries, lastOf)]
    .flatMap(([{ id, endedAt }, group]) => {
      const sentAt = receipts.find(({ deliveryId }) => deliveryId === id)?.arrivedAt;
      return sentAt === undefined ? [] : { id, sentAt, endedAt, deliveries: group };
    })
    .sort((a, b) => a.sentAt - b.sentAt);
}

/** When a delivery may be sent, and when it must have been. @param endedAt of the attempt before */
function boundsOf(
  { deliveries, sentAt }: Turn,
  events: readonly OrderedEmit[],
  endedAt: number,
  { locks, settleMs, maxMs }: SettleEvidence,
) {
  const first = Math.min(...events.map(({ from }) => from));
  const last = Math.max(...events.map(({ from }) => from));
  const earliest = Math.min(Math.max(last, endedAt) + settleMs, Math.max(first, endedAt) + maxMs);
  // It is seen when its transaction has committed, and waits for the application that is replacing it.
  const committed = Math.max(endedAt, Math.min(...events.map(({ to }) => to))) + maxMs;
  const key = deliveries[0]!.key;
  const held = locks.filter((lock) => lock.key === key && lock.from < sentAt && lock.to > committed - maxMs);
  return { earliest, latest: Math.max(committed, ...held.map(({ to }) => to)) };
}

function* flightProblems(key: string, receipts: readonly Receipt[]): Generator<string> {
  const sorted = receipts.toSorted((a, b) => a.arrivedAt - b.arrivedAt);
  for (const [index, receipt] of sorted.entries()) {
    const under = sorted
      .slice(0, index)
      .find(
        ({ deliveryId, endedAt = Infinity }) =>
          deliveryId !== receipt.deliveryId && endedAt > receipt.arrivedAt + CLOCK_MS,
      );
    if (under !== undefined) {
      yield `${key}: deliveries ${under.deliveryId} and ${receipt.deliveryId} were in flight together`;
    }
  }
}

/** Each delivery has arrived, or has a chain of successors whose last one has. */
function* lostProblems(deliveries: readonly SettledDelivery[], receipts: readonly Receipt[]): Generator<string> {
  const acknowledged = new Set(receipts.filter(({ status }) => status === 200).map(({ deliveryId }) => deliveryId));
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  for (const { id, status, supersededBy } of deliveries) {
    if (status === 'SUCCEEDED' && !acknowledged.has(id)) {
      yield `delivery ${id} is SUCCEEDED, but its endpoint never acknowledged it`;
    }
    if (status === 'CANCELED' && (supersededBy === null || !byId.has(supersededBy))) {
      yield `delivery ${id} is superseded by ${supersededBy}, which its key has not`;
    }
    if (!['SUCCEEDED', 'FAILED', 'CANCELED'].includes(status)) {
      yield `delivery ${id} is ${status} at the end`;
    }
    if (status !== 'CANCELED' && supersededBy !== null) {
      yield `delivery ${id} is ${status}, though ${supersededBy} took its place`;
    }
  }
}

import { idToDate } from '../../../src/domain/ids/delivery-id.js';
import type { AttemptState, DeliveryState, Evidence, Receipt } from './evidence.js';
import { judgeHealth } from './health-oracle.js';
import { judgeNews } from './news-oracle.js';

/** A time in which something was broken, in milliseconds since 1970. */
export interface Disturbance {
  from: number;
  to: number;
}

export interface Findings {
  /** Sentences about what must not be; none when all is well. */
  problems: string[];
  /** Deliveries of accepted events. */
  accepted: number;
  /** Accepted events that are not there, and that a promoted standby had not got. */
  missing: number;
  /** Accepted deliveries that no receiver acknowledged and that have no terminal state. */
  lost: number;
  byStatus: Record<string, number>;
  requests: number;
  /** Acknowledged requests beyond the first, per delivery. */
  duplicates: number;
  /** The most of them that one disturbance explains. */
  duplicatesOfWorst: number;
  /** From the commit of the event to the arrival of the first request, in milliseconds. */
  firstSend: { p50: number; p99: number; p999: number; max: number };
  health: { checkedExactly: number; checkedWithinTies: number; otherThanFinishOrder: number };
}

/**
 * Judges a fault test. Whatever was done to the service, these hold: every accepted delivery was acknowledged or
 * is in a terminal state, nothing waits without a cause, every acknowledgement that is claimed was given, attempts
 * are numbered without gaps, duplicates have a disturbance that explains them, failures are counted exactly, and owners
 * get exactly the news of what happened.
 */
export function judge(evidence: Evidence, disturbances: readonly Disturbance[] = []): Findings {
  const { receipts, deliveries } = evidence;
  const acknowledged = Map.groupBy(
    receipts.filter(({ status }) => status !== null && status >= 200 && status < 300),
    ({ deliveryId }) => deliveryId,
  );
  const health = judgeHealth(evidence);
  const accounts = new Accounts(evidence);
  const repeated = duplicates(acknowledged, disturbances);
  return {
    problems: [
      ...accounts.problems(),
      ...unsettled(evidence, acknowledged),
      ...deliveries.flatMap((delivery) => unbelievable(delivery, acknowledged)),
      ...numbering(deliveries, evidence.attempts),
      ...repeated.problems,
      ...health.problems,
      ...judgeNews(evidence),
    ],
    accepted: accounts.accepted,
    missing: accounts.missing.size,
    lost: accounts.lost(acknowledged),
    byStatus: Object.fromEntries(
      [...Map.groupBy(deliveries, ({ status }) => status)].map(([status, all]) => [status, all.length]),
    ),
    requests: receipts.length,
    duplicates: repeated.count,
    duplicatesOfWorst: repeated.worst,
    firstSend: firstSend(receipts),
    health: health.figures,
  };
}

type Acknowledged = ReadonlyMap<number, readonly Receipt[]>;

const isTerminal = ({ status }: DeliveryState) => status !== 'PENDING' && status !== 'HELD';

/** Compares the answers to emitters with the database. */
class Accounts {
  readonly #byEvent: ReadonlyMap<number, DeliveryState[]>;
  readonly accepted: number;
  readonly missing: ReadonlySet<number>;

  constructor(private readonly evidence: Evidence) {
    this.#byEvent = Map.groupBy(evidence.deliveries, ({ eventId }) => eventId);
    this.missing = new Set(evidence.accepted.map(({ eventId }) => eventId).filter((id) => this.#mayBeMissing(id)));
    this.accepted = evidence.accepted.reduce((sum, { deliveryCount }) => sum + deliveryCount, 0);
  }

  #mayBeMissing(id: number): boolean {
    const { standby } = this.evidence;
    const hadIt = standby?.eventIds.has(id) ?? true;
    return !hadIt && idToDate(id).getTime() <= standby!.primaryDiedAt && !this.#byEvent.has(id);
  }

  lost(acknowledged: Acknowledged): number {
    return this.#kept.reduce((lost, { eventId, deliveryCount }) => {
      const kept = (this.#byEvent.get(eventId) ?? []).filter(
        (delivery) => isTerminal(delivery) || acknowledged.has(delivery.id),
      );
      return lost + Math.max(0, deliveryCount - kept.length);
    }, 0);
  }

  get #kept() {
    return this.evidence.accepted.filter(({ eventId }) => !this.missing.has(eventId));
  }

  problems(): string[] {
    const { events } = this.evidence;
    const accepted = this.#kept;
    const problems = accepted
      .filter(({ eventId, deliveryCount }) => (this.#byEvent.get(eventId)?.length ?? 0) !== deliveryCount)
      .map(({ key, eventId, deliveryCount }) => {
        const found = this.#byEvent.get(eventId)?.length ?? 0;
        return `event ${key} was accepted with ${deliveryCount} deliveries and has ${found}`;
      });
    // Each key was emitted until it was accepted, so an event too many is a key that made two.
    if (events !== accepted.length || new Set(accepted.map(({ eventId }) => eventId)).size !== events) {
      problems.push(`${accepted.length} keys were accepted, and there are ${events} events`);
    }
    return problems;
  }
}

function unsettled({ deliveries, webhooks }: Evidence, acknowledged: Acknowledged): string[] {
  const active = new Map(webhooks.map((webhook) => [webhook.id, webhook.active]));
  return deliveries
    .filter(({ status, webhookId }) => status === 'PENDING' || (status === 'HELD' && active.get(webhookId)))
    .map(({ id, status }) => {
      const how = acknowledged.has(id) ? 'although it was acknowledged' : 'and was never acknowledged';
      return `delivery ${id} is ${status} in the end, ${how}`;
    });
}

function unbelievable({ id, status }: DeliveryState, acknowledged: Acknowledged): string[] {
  return status === 'SUCCEEDED' && !acknowledged.has(id)
    ? [`delivery ${id} is SUCCEEDED, but no receiver acknowledged it`]
    : [];
}

function numbering(deliveries: readonly DeliveryState[], attempts: readonly AttemptState[]): string[] {
  const byDelivery = Map.groupBy(attempts, ({ deliveryId }) => deliveryId);
  return deliveries.flatMap(({ id, attemptCount }) => {
    const numbers = (byDelivery.get(id) ?? []).map(({ number }) => number).sort((a, b) => a - b);
    const isInOrder = numbers.length === attemptCount && numbers.every((number, index) => number === index + 1);
    return isInOrder ? [] : [`delivery ${id} counts ${attemptCount} attempts and has numbers ${numbers}`];
  });
}

/** A delivery is acknowledged twice only when something broke between the two. */
function duplicates(acknowledged: Acknowledged, disturbances: readonly Disturbance[]) {
  const problems: string[] = [];
  const explained = disturbances.map(() => 0);
  for (const [id, receipts] of acknowledged) {
    const times = receipts.map(({ arrivedAt }) => arrivedAt).sort((a, b) => a - b);
    for (let i = 1; i < times.length; i++) {
      const first = times[i - 1]!;
      const second = times[i]!;
      const cause = disturbances.findIndex(({ from, to }) => first <= to && second >= from);
      if (cause === -1) {
        problems.push(`delivery ${id} was acknowledged twice, ${second - first} ms apart, with nothing broken`);
      } else {
        explained[cause]! += 1;
      }
    }
  }
  const count = explained.reduce((sum, each) => sum + each, problems.length);
  return { problems, count, worst: Math.max(0, ...explained) };
}

/** When each delivery's first request came, in milliseconds since 1970. */
export function firstArrivals(receipts: readonly Receipt[]): Map<number, number> {
  const first = new Map<number, number>();
  for (const { deliveryId, arrivedAt } of receipts) {
    first.set(deliveryId, Math.min(arrivedAt, first.get(deliveryId) ?? Number.POSITIVE_INFINITY));
  }
  return first;
}

function firstSend(receipts: readonly Receipt[]): Findings['firstSend'] {
  const waits = [...firstArrivals(receipts)].map(([id, at]) => at - idToDate(id).getTime()).sort((a, b) => a - b);
  const quantile = (share: number) => waits[Math.max(0, Math.ceil(waits.length * share) - 1)] ?? 0;
  return { p50: quantile(0.5), p99: quantile(0.99), p999: quantile(0.999), max: quantile(1) };
}

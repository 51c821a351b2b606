import { Histogram } from './histogram.js';

/** One request to the receiver; all times in microseconds since 1970. */
export interface Visit {
  deliveryId: string;
  /** When its event was meant to be emitted. */
  emittedAt: number;
  at: number;
  /** Null as long as it has no answer. */
  status: 200 | 429 | 500 | null;
  answeredAt: number | null;
}

/** The requests to one group, in the order in which they came. */
export type Journal = Visit[];

/** The deliveries that were answered 200, by their ids: the first request of each that was. */
export function arrivedIn(journal: Readonly<Journal>): Map<string, Visit> {
  const arrived = new Map<string, Visit>();
  for (const visit of journal) {
    if (visit.status === 200 && !arrived.has(visit.deliveryId)) {
      arrived.set(visit.deliveryId, visit);
    }
  }
  return arrived;
}

/** When the last of what was emitted until then has arrived. @returns microseconds since 1970; 0: nothing has */
export function lastArrivalAt(journal: Readonly<Journal>, emittedUntil = Number.POSITIVE_INFINITY): number {
  const arrived = [...arrivedIn(journal).values()].filter(({ emittedAt }) => emittedAt <= emittedUntil);
  return arrived.reduce((latest, { at }) => Math.max(latest, at), 0);
}

/** From emit to arrival, of what was emitted from then on (microseconds since 1970). */
export function lagSince(journal: Readonly<Journal>, since: number): Histogram {
  const histogram = new Histogram();
  for (const { emittedAt, at } of arrivedIn(journal).values()) {
    if (emittedAt >= since) {
      histogram.record(at - emittedAt);
    }
  }
  return histogram;
}

/**
 * By how much a delivery was overtaken at most, in seconds: when it first comes, so much later was the emit of one that
 * had come before.
 *
 * @param since of those that were emitted from then on, in microseconds since 1970
 */
export function overtakenSeconds(journal: Readonly<Journal>, since: number): number {
  const seen = new Set<string>();
  let newest = 0;
  let most = 0;
  for (const { deliveryId, emittedAt } of journal) {
    if (!seen.has(deliveryId) && emittedAt >= since) {
      most = Math.max(most, newest - emittedAt);
    }
    seen.add(deliveryId);
    newest = Math.max(newest, emittedAt);
  }
  return most / 1_000_000;
}

/** How many of all requests were answered 429, in percent; 0 of none. */
export function limitedPercent(journal: Readonly<Journal>): number {
  const limited = journal.filter(({ status }) => status === 429).length;
  return (100 * limited) / Math.max(1, journal.length);
}

/** The requests of those deliveries that were never answered 429. */
export function neverLimited(journal: Readonly<Journal>): Journal {
  const limited = new Set(journal.filter(({ status }) => status === 429).map(({ deliveryId }) => deliveryId));
  return journal.filter(({ deliveryId }) => !limited.has(deliveryId));
}

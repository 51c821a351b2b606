import { Histogram, type LatencySummary, median } from './histogram.js';
import type { CpuSeconds } from './processes.js';
import type { Measurement } from './scenario.js';

/** The figures of one run: null or NaN where the scenario or the machine has none. */
export interface Figures {
  deliveries: number;
  deliveriesPerSecond: number;
  barePostsPerSecond: number;
  /** Deliveries a second as a part of bare POSTs a second, in percent. */
  percentOfBarePosts: number;
  cpuSecondsPer10k: (CpuSeconds & { serviceAndPostgres: number }) | null;
  latency: LatencySummary | null;
  servicePeakMemoryMiB: number | null;
  lost: number;
  unrecorded: number;
  duplicates: number;
  signaturesChecked: number;
  /** 1 when deliveries were to be made and no signature was checked. */
  signaturesUnchecked: number;
  signaturesWrong: number;
  details: Record<string, number>;
}

/** These figures must be zero in every run. */
export const alarmNames = ['lost', 'unrecorded', 'duplicates', 'signaturesWrong', 'signaturesUnchecked'];

/** @param barePostsPerSecond null for a scenario that delivers nothing */
export function figuresOf(
  measurement: Measurement,
  barePostsPerSecond: number | null,
  servicePeakMemoryMiB: number | null,
): Figures {
  const { cpu, latency, lost, unrecorded, duplicates, signaturesChecked, signaturesWrong, details } = measurement;
  const delivers = barePostsPerSecond !== null;
  const deliveries = delivers ? measurement.deliveries : Number.NaN;
  const deliveriesPerSecond = deliveries / measurement.seconds;
  return {
    deliveries,
    deliveriesPerSecond,
    barePostsPerSecond: barePostsPerSecond ?? Number.NaN,
    percentOfBarePosts: (100 * deliveriesPerSecond) / (barePostsPerSecond ?? Number.NaN),
    cpuSecondsPer10k: cpu === null ? null : cpuPer10k(cpu, deliveries),
    latency: latency === null ? null : Histogram.from(latency).summary(),
    servicePeakMemoryMiB,
    lost,
    unrecorded,
    duplicates,
    signaturesChecked,
    signaturesUnchecked: Number(delivers && signaturesChecked === 0),
    signaturesWrong,
    details,
  };
}

export function cpuPer10k({ service, postgres, receiver, load }: CpuSeconds, deliveries: number) {
  const per10k = (seconds: number) => (seconds * 10_000) / deliveries;
  return {
    service: per10k(service),
    postgres: per10k(postgres),
    serviceAndPostgres: per10k(service + postgres),
    receiver: per10k(receiver),
    load: per10k(load),
  };
}

/** A figure with its name, the values of the runs that have it, and their median. */
export interface Row {
  name: string;
  values: number[];
  median: number;
}

/** The figures of several runs, one row each, nested names joined by dots; those that no run has are left out. */
export function rowsOf(runs: readonly Figures[]): Row[] {
  const byName = new Map<string, number[]>();
  for (const run of runs) {
    for (const [name, value] of flatten(run)) {
      byName.set(name, [...(byName.get(name) ?? []), value]);
    }
  }
  return [...byName].map(([name, values]) => ({ name, values, median: median(values)! }));
}

/** The rows of those figures that must be zero and, in one run at least, are not. */
export function alarmsOf(runs: readonly Figures[]): Row[] {
  return rowsOf(runs).filter(({ name, values }) => alarmNames.includes(name) && values.some((value) => value !== 0));
}

function flatten(object: object, prefix = ''): [string, number][] {
  return Object.entries(object).flatMap(([key, value]): [string, number][] => {
    if (typeof value === 'number') {
      return Number.isFinite(value) ? [[prefix + key, value]] : [];
    }
    const nested = key === 'details' ? prefix : `${prefix}${key}.`;
    return value === null || typeof value !== 'object' ? [] : flatten(value, nested);
  });
}

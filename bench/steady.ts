import { setTimeout as delay } from 'node:timers/promises';
import { Histogram, type HistogramData, type LatencySummary } from './histogram.js';
import type { Service } from './installation.js';
import type { ReceiptReport } from './receipts.js';
import type { Rig } from './rig.js';
import { ARRIVAL_TIMEOUT_MS } from './scenario.js';

/** The outcome of traffic at a fixed rate to one group, beside other work. */
interface SteadyReport {
  receipts: ReceiptReport;
  latency: HistogramData;
  /** Null when nothing arrived. */
  summary: LatencySummary | null;
  lost: number;
  unrecorded: number;
  /** How long the emits took to be answered; the rest of the latency is the daemon's. */
  answerP50Ms: number;
  answerP99Ms: number;
  generatorLateMaxMs: number;
}

/** Should what goes on beside never end. */
const SECONDS_MAX = 300;
const WARM_UP_MS = 2_000;

/** The emitting tenant and the group of webhooks. */
export interface SteadyLoadOf {
  service: Service;
  group: string;
  ratePerSecond: number;
}

/**
 * Emits at a fixed rate for as long as `work` takes and waits until all of it has arrived at the group, which
 * has one webhook, and is recorded. Others may be subscribed to the same events: their deliveries do not count here.
 */
export async function besideSteadyLoad<Result>(
  rig: Rig,
  { service, group, ratePerSecond }: SteadyLoadOf,
  work: () => Promise<Result>,
): Promise<{ result: Result; steady: SteadyReport }> {
  const load = rig.emitSteadily(service, ratePerSecond, SECONDS_MAX);
  const result = await work();
  const { events: deliveries, lateMax, answer } = await load.stop();
  await rig.receiver.call('reached', { group, deliveries, timeoutMs: ARRIVAL_TIMEOUT_MS });
  const unrecorded = await rig.unrecorded(group);
  const receipts = await rig.receiver.call('report', group);
  const { latency } = receipts;
  const summary = Histogram.from(latency).summary();
  const answers = Histogram.from(answer).summary();
  return {
    result,
    steady: {
      receipts,
      latency,
      summary,
      lost: deliveries - receipts.deliveries,
      unrecorded,
      answerP50Ms: answers?.p50Ms ?? Number.NaN,
      answerP99Ms: answers?.p99Ms ?? Number.NaN,
      generatorLateMaxMs: lateMax / 1000,
    },
  };
}

/** Emits steadily before anything is measured, so that what is measured first is as warm as what comes later. */
export async function warmUpSteadily(rig: Rig, load: SteadyLoadOf): Promise<void> {
  await besideSteadyLoad(rig, load, () => delay(WARM_UP_MS));
}

/** The latencies of something, as figures of their own. */
export function latencyFigures(name: string, summary: LatencySummary | null): Record<string, number> {
  return {
    [`${name}P50Ms`]: summary?.p50Ms ?? Number.NaN,
    [`${name}P90Ms`]: summary?.p90Ms ?? Number.NaN,
    [`${name}P99Ms`]: summary?.p99Ms ?? Number.NaN,
    [`${name}MaxMs`]: summary?.maxMs ?? Number.NaN,
  };
}

/** Adds up what two groups' receivers say of faults. */
export function faultsOf(...reports: readonly ReceiptReport[]) {
  const total = (figure: (report: ReceiptReport) => number) => reports.reduce((sum, report) => sum + figure(report), 0);
  return {
    duplicates: total(({ duplicates }) => duplicates),
    signaturesChecked: total(({ signaturesChecked }) => signaturesChecked),
    signaturesWrong: total(({ signaturesWrong }) => signaturesWrong),
  };
}

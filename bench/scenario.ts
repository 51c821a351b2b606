import type { HistogramData } from './histogram.js';
import type { Env, Service } from './installation.js';
import type { Load } from './load.js';
import { type CpuSeconds, cpuBetween } from './processes.js';
import type { Rig } from './rig.js';
import type { ServiceProcess } from './service-process.js';

/** One measurement of one run. */
export interface Measurement {
  /** Deliveries that arrived, each counted once, and the time that they took. */
  deliveries: number;
  seconds: number;
  /** Between the moments before the first emit and after the last outcome was written. */
  cpu: CpuSeconds | null;
  /** From emit to receive; null when the scenario does not measure it. */
  latency: HistogramData | null;
  /** Deliveries that were promised and did not arrive in time. */
  lost: number;
  /** Deliveries whose outcome was not written in time, so that the CPU time is not all that they cost. */
  unrecorded: number;
  duplicates: number;
  signaturesChecked: number;
  signaturesWrong: number;
  /** Figures of this scenario alone, with the unit in the name. */
  details: Record<string, number>;
  /** Lines that name what the figures only count. */
  notes?: readonly string[];
}

/** The receiver's checks of all that it got. */
export const checksOf = ({
  duplicates,
  signaturesChecked,
  signaturesWrong,
}: Pick<Measurement, 'duplicates' | 'signaturesChecked' | 'signaturesWrong'>) => ({
  duplicates,
  signaturesChecked,
  signaturesWrong,
});

/**
 * A scenario, in a file of its own in scenarios/. It gets a fresh installation, prepares it (starts what it needs,
 * subscribes, warms up), and is then measured as often as was asked for.
 */
export interface Scenario {
  name: string;
  /** Describes the measurement in a line. */
  title: string;
  /** Settings of the service that differ from the shipped ones. */
  settings?: Env;
  /** How often it is measured unless the command line says it; 3. */
  runs?: number;
  /** False: it delivers nothing, or how fast says nothing, so nothing of it is compared with bare POSTs. */
  delivers?: false;
  /** They are measured one after the other: the `usual` ones unless the command line names others. */
  cases?: readonly { name: string; usual: boolean }[];
  prepare(rig: Rig): Promise<() => Promise<Measurement>>;
}

/** The figures of a scenario whose `delivers` is false, but for its own. */
export const nothingDelivered = {
  deliveries: 0,
  seconds: Number.NaN,
  cpu: null,
  latency: null,
  lost: 0,
  unrecorded: 0,
  duplicates: 0,
  signaturesChecked: 0,
  signaturesWrong: 0,
} as const;

/** The error for a daemon that did not finish its warm-up. */
export function tooFewDelivered({ output }: ServiceProcess, deliveries: number): Error {
  return new Error(`The daemon delivered only ${deliveries}; it wrote:\n${output}`);
}

export const ARRIVAL_TIMEOUT_MS = 60_000;

/** At a low rate a process would take minutes to compile what it uses, so it is warmed up at full speed. */
export const warmUpLoad = { what: 'emit', concurrency: 16, seconds: 3 } as const;

/**
 * Emits before anything is measured.
 *
 * @throws Error when some of it is lost or still under way, which would go into the first figures
 */
export async function warmUp(...args: Parameters<typeof emitAndReceive>): Promise<void> {
  const { lost, unrecorded } = await emitAndReceive(...args);
  if (lost !== 0 || unrecorded !== 0) {
    throw new Error(`Of the warm-up ${lost} deliveries are lost and ${unrecorded} are not recorded`);
  }
}

/** Emits, waits until all has arrived and is recorded, and reads the figures. */
export async function emitAndReceive(
  rig: Rig,
  service: Service,
  group: string,
  load: Omit<Load, 'url' | 'apiKey'>,
): Promise<Measurement> {
  const before = await rig.cpu();
  const emitted = await rig.emit(service, load);
  const { deliveries } = emitted;
  const arrivedAt = await rig.receiver.call('reached', { group, deliveries, timeoutMs: ARRIVAL_TIMEOUT_MS });
  const unrecorded = await rig.unrecorded(group);
  const cpu = cpuBetween(before, await rig.cpu());
  const receipts = await rig.receiver.call('report', group);
  return {
    deliveries: receipts.deliveries,
    seconds: ((arrivedAt ?? receipts.lastAt) - emitted.startedAt) / 1_000_000,
    cpu,
    latency: receipts.latency,
    lost: deliveries - receipts.deliveries,
    unrecorded,
    ...checksOf(receipts),
    details: {
      emitsPerSecond: emitted.events / ((emitted.endedAt - emitted.startedAt) / 1_000_000),
      generatorLateMaxMs: emitted.lateMax / 1000,
    },
  };
}

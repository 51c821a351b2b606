import { Histogram } from './histogram.js';
import { type CpuSeconds, cpuSum } from './processes.js';
import type { Measurement } from './scenario.js';

const noCpu: CpuSeconds = { service: 0, postgres: 0, receiver: 0, load: 0 };

/** Several measurements as one; `details` are left out, since only the scenario knows how to add its own up. */
export function sumOf(measurements: readonly Measurement[]): Measurement {
  const total = (figure: (one: Measurement) => number) => measurements.reduce((sum, one) => sum + figure(one), 0);
  return {
    deliveries: total(({ deliveries }) => deliveries),
    seconds: total(({ seconds }) => seconds),
    cpu: measurements.map(({ cpu }) => cpu).reduce(cpuSum, noCpu),
    latency: Histogram.from(...measurements.flatMap(({ latency }) => latency ?? [])).data(),
    lost: total(({ lost }) => lost),
    unrecorded: total(({ unrecorded }) => unrecorded),
    duplicates: total(({ duplicates }) => duplicates),
    signaturesChecked: total(({ signaturesChecked }) => signaturesChecked),
    signaturesWrong: total(({ signaturesWrong }) => signaturesWrong),
    details: {},
  };
}

import type { Durability } from './database.js';
import { alarmNames, alarmsOf, type Figures, type Row, rowsOf } from './figures.js';
import type { Verdict } from './goals.js';
import type { Machine } from './machine.js';

/** How the rows of `rowsOf` are called; the others (a scenario's own) keep their names. */
const labels: Record<string, string> = {
  deliveries: 'deliveries',
  deliveriesPerSecond: 'deliveries/s',
  barePostsPerSecond: 'bare POSTs/s, same run',
  percentOfBarePosts: '% of bare POSTs',
  'cpuSecondsPer10k.serviceAndPostgres': 'CPU s per 10,000, service + Postgres',
  'cpuSecondsPer10k.service': '  service',
  'cpuSecondsPer10k.postgres': '  Postgres',
  'cpuSecondsPer10k.receiver': '  (receiver)',
  'cpuSecondsPer10k.load': '  (load generator)',
  'latency.p50Ms': 'emit to receive, ms: p50',
  'latency.p90Ms': '  p90',
  'latency.p99Ms': '  p99',
  'latency.maxMs': '  max',
  servicePeakMemoryMiB: 'peak memory of the service, MiB',
  lost: 'LOST',
  unrecorded: 'UNRECORDED',
  duplicates: 'DUPLICATES',
  signaturesWrong: 'WRONG SIGNATURES',
  signaturesUnchecked: 'NO SIGNATURE CHECKED',
};

const hidden = ['latency.count', 'signaturesChecked', ...alarmNames];

/**
 * The figures of a scenario's runs as a table of text: the median, and the range when there are several runs. What
 * must be zero is shown only when it is not, at its worst.
 */
export function formatScenario(name: string, title: string, runs: readonly Figures[]): string {
  const shown = rowsOf(runs).filter((row) => !hidden.includes(row.name));
  const alarms = alarmsOf(runs).map((row) => ({ ...row, median: worst(row.values) }));
  const rows = inOrder([...shown, ...alarms]);
  const width = Math.max(...rows.map((row) => labelOf(row).length));
  const lines = rows.map(
    (row) => `  ${labelOf(row).padEnd(width)}  ${formatNumber(row.median).padStart(9)}${range(row, runs.length)}`,
  );
  const medians = runs.length === 1 ? '1 run' : `medians of ${runs.length} runs`;
  return [`${name}: ${title} (${medians})`, ...lines].join('\n');
}

function inOrder(rows: readonly Row[]): Row[] {
  const order = Object.keys(labels);
  const place = ({ name }: Row) => (order.includes(name) ? order.indexOf(name) : order.length);
  return [...rows].sort((a, b) => place(a) - place(b));
}

/** The one that is furthest from zero: there may be too few, or too many. */
const worst = (values: readonly number[]) =>
  values.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most));

const labelOf = ({ name }: Row) => labels[name] ?? name;

/** The range, and of how many runs it is when some do not have the figure. */
function range({ values }: Row, runs: number): string {
  const [least, most] = [Math.min(...values), Math.max(...values)].map(formatNumber);
  const spread = values.length === 1 ? '' : `  (${least} – ${most})`;
  return values.length === runs ? spread : `${spread}  (${values.length} of ${runs})`;
}

/** Three digits that matter, and no more. */
export function formatNumber(value: number): string {
  const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export function formatMachine(machine: Machine): string {
  const { cores, cpuModel, memoryGiB, nodeVersion, loadAverage } = machine;
  return (
    `${cores} cores (${cpuModel}), ${formatNumber(memoryGiB)} GiB, Node ${nodeVersion}, ` +
    `load average before: ${loadAverage.toFixed(2)}`
  );
}

export function formatDurability({ version, fsync, synchronousCommit }: Durability): string {
  return `Postgres ${version}, fsync = ${fsync}, synchronous_commit = ${synchronousCommit}`;
}

/** Whether each goal is met; nothing for a scenario that has none. */
export function formatGoals(verdicts: readonly Verdict[]): string {
  const words = { met: 'met', missed: 'MISSED', unknown: 'not known here', unjudged: 'not judged' } as const;
  return verdicts.map(({ says, state }) => `  goal: ${says}: ${words[state]}`).join('\n');
}

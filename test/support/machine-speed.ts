/** The fixed work below takes this long on the machine that the limits of `test/timing` are written for, idle. */
const REFERENCE_MS = 6;
const RUNS = 5;

/** Some of everything that the service computes: texts to objects and back, sorting, patterns. */
function fixedWork(): void {
  const rows = Array.from({ length: 4_000 }, (_, n) => ({ name: `name ${(n * 7_919) % 1_000}`, tags: [n % 3, n % 5] }));
  const read = JSON.parse(JSON.stringify(rows)) as typeof rows;
  read.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { name } of read) {
    /e (\d+)/.exec(name);
  }
}

/** The processor time of this thread, in ms: other processes and other threads do not count. */
async function measure<Result>(work: () => Result | Promise<Result>): Promise<{ result: Result; tookMs: number }> {
  const before = process.threadCpuUsage();
  const result = await work();
  const { user, system } = process.threadCpuUsage(before);
  return { result, tookMs: (user + system) / 1_000 };
}

/** How many times as long as on the reference machine work takes now: a core may be slow, or shared. At least 1. */
export async function slowness(): Promise<number> {
  const took: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    took.push((await measure(fixedWork)).tookMs);
  }
  const median = took.toSorted((a, b) => a - b)[RUNS >> 1]!;
  return Math.max(1, median / REFERENCE_MS);
}

/** The processor time that work takes, in ms of the reference machine: this one's speed is measured right before. */
export async function cpuTimeOf<Result>(work: () => Result | Promise<Result>) {
  const times = await slowness();
  const { result, tookMs } = await measure(work);
  return { result, tookMs: tookMs / times };
}

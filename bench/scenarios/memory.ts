import { lineThrough, type Point } from '../line.js';
import { readMemory } from '../processes.js';
import { emitAndReceive, type Scenario } from '../scenario.js';

const GROUP = 'memory';
const DELIVERIES = 200_000;
const EMIT_SECONDS_MAX = 180;
const SAMPLE_EVERY_MS = 250;

/**
 * 200,000 deliveries without a warm-up through a process that has just started. Its resident memory is sampled
 * throughout; the slope of a line through the last half of the samples shows whether it still grows. With several
 * runs, the later ones use a process that has worked already.
 */
export const memory: Scenario = {
  name: 'memory',
  title: `${DELIVERIES.toLocaleString('en')} deliveries through a fresh process, single emits by 64 emitters`,
  runs: 1,
  async prepare(rig) {
    const service = await rig.installation.start();
    await rig.subscribe(service, GROUP, 1);

    return async () => {
      const samples: Point[] = [];
      const timer = setInterval(() => {
        const y = readMemory(service.process.pid);
        if (y !== null) {
          samples.push({ x: performance.now() / 60_000, y });
        }
      }, SAMPLE_EVERY_MS);
      try {
        const load = {
          what: 'emit',
          concurrency: 64,
          requestsMax: DELIVERIES,
          seconds: EMIT_SECONDS_MAX,
        } as const;
        const measurement = await emitAndReceive(rig, service, GROUP, load);
        return { ...measurement, details: { ...measurement.details, ...memoryFigures(samples) } };
      } finally {
        clearInterval(timer);
      }
    };
  },
};

function memoryFigures(samples: readonly Point[]): Record<string, number> {
  const lastHalf = samples.slice(samples.length >> 1);
  const line = lineThrough(lastHalf);
  const minutes = (lastHalf.at(-1)?.x ?? 0) - (lastHalf[0]?.x ?? 0);
  return {
    rssEndMiB: samples.at(-1)?.y ?? Number.NaN,
    rssSlopeLastHalfMiBPerMinute: line?.slope ?? Number.NaN,
    rssGrowthLastHalfPercent: line === null ? Number.NaN : (100 * line.slope * minutes) / line.meanY,
  };
}

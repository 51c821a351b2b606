import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// For vitest's own processes and for each start of the program: a quarter of a start is compiling.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url));

/**
 * These files measure, or change, what belongs to the whole process: each has one of its own. All other files share
 * processes: loading the service takes 3 seconds of processor time.
 */
const alone = [
  'test/concurrency/backpressure.test.ts',
  'test/embedded-postgres*.test.ts',
  'test/delivery/moved-names.test.ts',
  'test/event-schemas/payload-check.test.ts',
  'test/node/*.test.ts',
  'test/operating/{collector-connections,traces}.test.ts',
  'test/packaging/{npm,readme}.test.ts',
  'test/receiver/webhook.test.ts', // it stops the timers of its process
  'test/security/{hostile-memory,hostile-receivers,key-timing,targets-receivers}.test.ts',
];
/** Files of these folders wait for processes, receivers and clocks, some for more than a minute: they start first. */
const longest = /[/]test[/](faults|operating|delivery|live)[/]/;
const browser = ['test/browser/**/*.test.ts'];
/** What measures time: alone, once, and last, with limits by the speed of the machine (test/support/machine-speed.ts). */
const timing = ['test/timing/**/*.test.ts', 'test/faults/{beside-keys,silent-standby}.test.ts'];
/** The packages in test/compatibility bring tests of their own. */
const installed = ['**/node_modules/**'];

// Vite would load graphql's .mjs for our sources while type-graphql loads the CommonJS one:
// two copies of the library, which refuse each other's schemas.
const resolve = { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] };

/** Otherwise the largest files of a project start first. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ project, moduleId }: TestSpecification) => project.name === 'alone' || longest.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const common = {
  pool: 'forks' as const,
  // They wait for receivers and clocks more than they compute: with two cores, too, three files at a time.
  // Five came to the limits of single tests beside other load.
  maxWorkers: Math.max(3, availableParallelism() - 1),
  // npm run fuzz draws twenty times as often.
  testTimeout: process.env['FUZZ'] === 'long' ? 600_000 : 30_000,
  hookTimeout: 60_000,
};

export default defineConfig({
  test: {
    ...common,
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/support/global-setup.ts'],
    projects: [
      { resolve, test: { ...common, name: 'alone', include: alone } },
      {
        resolve,
        test: {
          ...common,
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...alone, ...browser, ...timing, ...installed],
          isolate: false,
        },
      },
      { resolve, test: { ...common, name: 'browser', include: browser, isolate: false, sequence: { groupOrder: 1 } } },
      {
        resolve,
        test: { ...common, name: 'timing', include: timing, fileParallelism: false, sequence: { groupOrder: 2 } },
      },
    ],
  },
});

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
  'test/faults/silent-standby.test.ts',
  'test/node/*.test.ts',
  'test/operating/{collector-connections,traces}.test.ts',
  'test/packaging/{npm,readme}.test.ts',
  'test/security/{hostile-memory,hostile-receivers,key-timing,targets-receivers}.test.ts',
];
/** What measures time: alone, once, and last, with limits by the speed of the machine (test/support/machine-speed.ts). */
const timing = ['test/timing/**/*.test.ts'];
/**
 * A file of the first folders waits for processes, for more than a minute at times; one of the second for receivers and
 * clocks; one of the third for a browser. All others compute.
 */
const kinds = [/[/]test[/](faults|operating)[/]/, /[/]test[/](delivery|live)[/]/, /[/]test[/]browser[/]/];
/** The packages in test/compatibility bring tests of their own. */
const installed = ['**/node_modules/**'];

// Vite would load graphql's .mjs for our sources while type-graphql loads the CommonJS one:
// two copies of the library, which refuse each other's schemas.
const resolve = { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] };

/**
 * Beside files that wait run files that compute, all the time: the first of each kind come first, the last ones last,
 * and within a kind the largest come first. Those that wait for processes end before the others, or the last of them
 * would run by itself. The projects stay apart: a worker that comes to another project starts from nothing.
 */
class Mixed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const alone = sorted.filter(({ project }) => project.name === 'alone');
    const together = sorted.filter((file) => !alone.includes(file));
    const groups = Map.groupBy(together, ({ moduleId }) => kinds.findIndex((kind) => kind.test(moduleId)));
    const placed = [...groups].flatMap(([kind, group]) =>
      group.map((file, index) => ({ file, place: (index / group.length) * (kind === 0 ? 0.6 : 1) })),
    );
    return [...alone, ...placed.toSorted((one, other) => one.place - other.place).map(({ file }) => file)];
  }
}

const common = {
  pool: 'forks' as const,
  // They wait for processes, receivers and clocks as long as they compute: with two cores, too, four files at a time.
  maxWorkers: Math.max(4, availableParallelism() - 1),
  // npm run fuzz draws twenty times as often.
  testTimeout: process.env['FUZZ'] === 'long' ? 600_000 : 30_000,
  hookTimeout: 60_000,
};

export default defineConfig({
  test: {
    ...common,
    sequence: { sequencer: Mixed },
    globalSetup: ['test/support/global-setup.ts'],
    projects: [
      { resolve, test: { ...common, name: 'alone', include: alone } },
      {
        resolve,
        test: {
          ...common,
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...alone, ...timing, ...installed],
          isolate: false,
        },
      },
      {
        resolve,
        test: { ...common, name: 'timing', include: timing, fileParallelism: false, sequence: { groupOrder: 1 } },
      },
    ],
  },
});

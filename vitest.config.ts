import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// For vitest's own processes and for each start of the program: a quarter of a start is compiling.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url));

/**
 * These files wait for longest, so they start first; or they measure, or change, what belongs to the whole process.
 * Each has a process of its own. All other files share processes: loading the service takes a second.
 */
const alone = [
  'test/delivery/{bulk-operations,locked-rows,rates,supervision,toggles}.test.ts',
  'test/embedded-postgres*.test.ts',
  'test/event-schemas/payload-check.test.ts',
  'test/faults/*.test.ts',
  'test/live/streams.test.ts',
  'test/node/*.test.ts',
  'test/operating/{commands,interrupted-start,procedures,rolling-restart,rolling-upgrade,traces,upgrade}.test.ts',
  'test/operations/roll-up-stats.test.ts',
  'test/packaging/npm.test.ts',
  'test/security/{hostile-memory,hostile-receivers,key-timing,targets-proxy-outage,targets-receivers}.test.ts',
];
const browser = ['test/browser/**/*.test.ts'];
/** The packages in test/compatibility bring tests of their own. */
const installed = ['**/node_modules/**'];

// Vite would load graphql's .mjs for our sources while type-graphql loads the CommonJS one:
// two copies of the library, which refuse each other's schemas.
const resolve = { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] };

const common = {
  pool: 'forks' as const,
  // They wait for receivers and clocks more than they compute: with two cores, too, three files at a time.
  maxWorkers: Math.max(3, availableParallelism() - 1),
  testTimeout: 30_000,
  hookTimeout: 60_000,
};

export default defineConfig({
  test: {
    ...common,
    globalSetup: ['test/support/global-setup.ts'],
    projects: [
      { resolve, test: { ...common, name: 'alone', include: alone } },
      {
        resolve,
        test: {
          ...common,
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...alone, ...browser, ...installed],
          isolate: false,
        },
      },
      { resolve, test: { ...common, name: 'browser', include: browser, isolate: false, sequence: { groupOrder: 1 } } },
    ],
  },
});

import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Vite would load graphql's .mjs for our sources while type-graphql loads the CommonJS one:
  // two copies of the library, which refuse each other's schemas.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    // They wait for receivers and clocks more than they compute: with two cores, too, three files at a time.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    globalSetup: ['test/support/global-setup.ts'],
    fsModuleCache: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});

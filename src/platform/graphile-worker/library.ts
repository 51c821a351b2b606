import { registerHooks } from 'node:module';

/** Finds nothing. */
const NO_COSMICONFIG = 'data:text/javascript,export const cosmiconfigSync = () => ({ search: () => null });';

/**
 * When graphile-worker is loaded, it has cosmiconfig look for its settings in the current folder and all folders above.
 * A `graphile-worker.config.cjs` there would be run in this process, and a `package.json` could end it.
 */
const hooks = registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'cosmiconfig' ? { url: NO_COSMICONFIG, shortCircuit: true } : next(specifier, context),
});

/** The only import of graphile-worker's code; all other imports are of types. */
export const { Logger, parseCronItems, run, runMigrations } = await import('graphile-worker');
hooks.deregister();

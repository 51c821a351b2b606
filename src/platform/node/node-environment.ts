/**
 * Imported before all libraries. graphql and others look at NODE_ENV when they are loaded, and check more without it:
 * an emit costs a twentieth more then.
 */
process.env['NODE_ENV'] ??= 'production';

// With --enable-source-maps Node reads the map of each module that it loads. Nobody needs those of libraries.
if (process.sourceMapsEnabled) {
  process.getBuiltinModule('node:module').setSourceMapsSupport(true, { nodeModules: false });
}

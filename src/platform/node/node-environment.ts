/**
 * Imported before all libraries. graphql and others look at NODE_ENV when they are loaded, and check more without it:
 * an emit costs a twentieth more then.
 */
process.env['NODE_ENV'] ??= 'production';

// Stack traces name our sources. npm installs the program itself into a folder node_modules; the build has no maps of
// libraries (scripts/bundle.ts).
if (import.meta.url.endsWith('.js')) {
  process.getBuiltinModule('node:module').setSourceMapsSupport(true, { nodeModules: true });
}

/**
 * Node's `http`, not by `import`: that reads every name it exports, of which some make Node load the client behind
 * `fetch`, 4 MiB that nobody here uses.
 */
export const http = process.getBuiltinModule('node:http');

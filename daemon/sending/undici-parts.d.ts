declare module 'undici/lib/dispatcher/agent.js' {
  export { Agent as default } from 'undici';
}
declare module 'undici/lib/dispatcher/client.js' {
  export { Client as default } from 'undici';
}
declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici';
}
declare module 'undici/lib/core/connect.js' {
  export { buildConnector as default } from 'undici';
}
declare module 'undici/lib/core/symbols.js' {
  /** The key of a socket's parser. */
  export const kParser: unique symbol;
}
declare module 'undici/lib/llhttp/constants.js' {
  export const ERROR: { UNEXPECTED_CONTENT_LENGTH: number };
}

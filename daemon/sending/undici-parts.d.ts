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
  const symbols: { readonly kParser: unique symbol };
  export default symbols;
}
declare module 'undici/lib/dispatcher/pool-base.js' {
  const poolBase: { readonly kRemoveClient: unique symbol };
  export default poolBase;
}
declare module 'undici/lib/llhttp/constants.js' {
  const constants: { ERROR: { UNEXPECTED_CONTENT_LENGTH: number } };
  export default constants;
}

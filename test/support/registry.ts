const UNREACHABLE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|ETIMEDOUT/;

/** Whether npm failed because it reached no registry. With CI=true that is a failure like any other. */
export const isOffline = (said: string): boolean => process.env['CI'] !== 'true' && UNREACHABLE.test(said);

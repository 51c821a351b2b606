export const REST_PREFIX = '/api/v1';

/** Where each kind of error is explained. */
export const PROBLEMS_PATH = '/problems';

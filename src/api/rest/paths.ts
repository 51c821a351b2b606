export const REST_PREFIX = '/api/v1';

/** Where each kind of error is explained. */
export const PROBLEMS_PATH = '/problems';

/** RFC 7396: what PATCH takes, beside application/json. */
export const MERGE_PATCH = 'application/merge-patch+json';

/** The SQLSTATEs that the code names (Postgres's documentation, appendix A: error codes). */
export const SQL_STATE = {
  DATABASE_MISSING: '3D000',
  DEADLOCK: '40P01',
  FOREIGN_KEY_VIOLATION: '23503',
  INSUFFICIENT_PRIVILEGE: '42501',
  /** Or the role does not exist. */
  INVALID_PASSWORD: '28P01',
  LOCK_NOT_AVAILABLE: '55P03',
  QUERY_CANCELED: '57014',
  SERIALIZATION_FAILURE: '40001',
  /** By pg_hba.conf. */
  LOGIN_REFUSED: '28000',
  STARTING_OR_ENDING: '57P03',
  TOO_MANY_CONNECTIONS: '53300',
  /** Our own: another transaction has an ordering key. */
  ORDERING_KEY_BUSY: 'HW016',
  /** Our own, from `hookwright.emit_events`. */
  TOO_MANY_DELIVERIES: 'HW012',
  TRANSACTION_ABORTED: '25P02',
  UNDEFINED_OBJECT: '42704',
  UNDEFINED_TABLE: '42P01',
  UNIQUE_VIOLATION: '23505',
} as const;

/** The SQLSTATE of an error of Postgres; the `code` of another error, or an empty text. */
export function sqlStateOf(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

/** Class 22, "data exception": a value is not of its type, or not one that the function takes. */
export const isBadValue = (error: unknown): boolean => sqlStateOf(error).startsWith('22');

/** Whether another session has locked what a statement needs, for longer than it waits. */
export const isLocked = (error: unknown): boolean =>
  ([SQL_STATE.LOCK_NOT_AVAILABLE, SQL_STATE.ORDERING_KEY_BUSY] as string[]).includes(sqlStateOf(error));

/** Whether Postgres has ended a statement that took too long, and would again. */
export const isTooSlow = (error: unknown): boolean => sqlStateOf(error) === SQL_STATE.QUERY_CANCELED;

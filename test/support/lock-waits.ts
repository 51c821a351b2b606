/** SQL: sessions of this database that wait for a lock. Other tests' databases are on the same server. */
export const lockWaits = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

/** SQL: locks of this mode that sessions of this database wait for. */
export const lockWaitsFor = (mode: 'AccessExclusiveLock' | 'ShareRowExclusiveLock') =>
  `select from pg_locks l join pg_stat_activity a using (pid)
   where a.datname = current_database() and not l.granted and l.mode = '${mode}'`;

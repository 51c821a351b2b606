import type pg from 'pg';

export interface ReplicationFacts {
  /** `synchronous_standby_names`; empty: commits wait for no standby. */
  synchronousNames: string;
  /** `synchronous_commit`: with `off` and `local` commits wait for no standby either. */
  synchronousCommit: string;
  /** Connected now. */
  standbys: readonly {
    name: string;
    /** `sync`, `quorum`, `potential` or `async`; null: Postgres hides it from this login. */
    mode: string | null;
    /** How far its disk is behind; null: nothing was written lately, or hidden. */
    behindSeconds: number | null;
    behindBytes: number | null;
  }[];
}

/** @throws what the database throws */
export async function readReplication(client: pg.ClientBase): Promise<ReplicationFacts> {
  const { rows } = await client.query({
    name: 'read_replication',
    text: `select current_setting('synchronous_standby_names') as "synchronousNames",
            current_setting('synchronous_commit') as "synchronousCommit",
            (select coalesce(json_agg(json_build_object(
                      'name', coalesce(nullif(application_name, ''), client_addr::text, 'a standby'), 'mode', sync_state,
                      'behindSeconds', extract(epoch from flush_lag)::float8,
                      'behindBytes', case when not pg_is_in_recovery()
                                          then pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn)::float8 end)
                    order by application_name), '[]')
             from pg_stat_replication where state is distinct from 'backup') as standbys`,
  });
  return rows[0];
}

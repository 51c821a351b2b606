import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';

/** The subject of each check, and its trouble where it has found something. */
export const FINDINGS: Readonly<Record<string, { name: MessageDescriptor; trouble: MessageDescriptor }>> = {
  cell: { name: msg`Cell`, trouble: msg`Sequences allot numbers of another cell.` },
  move: {
    name: msg`Move of a tenant`,
    trouble: msg`A move is in doubt: the command tenant move ends it with --resume.`,
  },
  reports: { name: msg`Reports`, trouble: msg`No daemon has reported within a minute: nothing is delivered.` },
  'postgres version': { name: msg`Postgres version`, trouble: msg`Postgres is too old. Upgrade it.` },
  primary: { name: msg`Primary server`, trouble: msg`DATABASE_URL leads to a standby, which accepts no changes.` },
  hosts: { name: msg`Database hosts`, trouble: msg`A host of DATABASE_URL is unreachable or not as expected.` },
  'api role': { name: msg`Role of the API`, trouble: msg`The database role of the API is missing or unusable.` },
  fsync: { name: msg`fsync`, trouble: msg`fsync is off: accepted events can be lost in a crash.` },
  synchronous_commit: {
    name: msg`synchronous_commit`,
    trouble: msg`synchronous_commit is off: accepted events can be lost in a crash.`,
  },
  full_page_writes: {
    name: msg`full_page_writes`,
    trouble: msg`full_page_writes is off: accepted events can be lost in a crash.`,
  },
  replication: {
    name: msg`Replication`,
    trouble: msg`Replication is not synchronous, or no standby confirms commits.`,
  },
  failover: { name: msg`Failover`, trouble: msg`After a failover, the last changes may be missing.` },
  connections: { name: msg`Connections`, trouble: msg`The database has too few connections left.` },
  clock: { name: msg`Clock`, trouble: msg`The clocks of this machine and of Postgres differ. Set both by NTP.` },
  transactions: { name: msg`Transactions`, trouble: msg`A transaction is open for long, or hidden from this login.` },
  locks: { name: msg`Locks`, trouble: msg`Sessions have locked rows of the service for long.` },
  autovacuum: { name: msg`Autovacuum`, trouble: msg`Autovacuum does not keep up.` },
  disk: { name: msg`Disk`, trouble: msg`Check the disk of the database.` },
  partitions: { name: msg`Partitions`, trouble: msg`There are partitions for a few days only.` },
  daemons: { name: msg`Daemons`, trouble: msg`No daemon is connected: nothing is delivered.` },
  versions: { name: msg`Versions`, trouble: msg`Daemons are more than one minor version apart. Upgrade them.` },
  housekeeping: { name: msg`Housekeeping`, trouble: msg`Housekeeping fails, or does not run every hour.` },
  'dead workers': { name: msg`Dead workers`, trouble: msg`Jobs are locked by processes that have ended.` },
  sweepers: { name: msg`Sweepers`, trouble: msg`Overdue deliveries have no job. A daemon finds them within minutes.` },
  ordering: { name: msg`Delivery order`, trouble: msg`Ordering keys wait although it is their turn.` },
  scheduled: { name: msg`Scheduled events`, trouble: msg`Scheduled events are late. The daemon's log says why.` },
  backlog: { name: msg`Backlog`, trouble: msg`Due deliveries wait for too long. One slow receiver can cause this.` },
  held: { name: msg`Held deliveries`, trouble: msg`Held deliveries will be canceled within a day.` },
  'operator webhooks': {
    name: msg`Operator webhooks`,
    trouble: msg`Failures have disabled webhooks of the installation.`,
  },
  quarantine: {
    name: msg`Quarantine`,
    trouble: msg`Jobs did not finish and were put aside. The daemon's log says why.`,
  },
  'future times': {
    name: msg`Future times`,
    trouble: msg`Times are too far in the future. The clock of Postgres was ahead.`,
  },
  filters: { name: msg`Filters`, trouble: msg`Filters of endpoints may be ignored.` },
  webhooks: { name: msg`Endpoints`, trouble: msg`Check the endpoints.` },
  certificates: { name: msg`Certificates`, trouble: msg`Certificates of endpoints end soon.` },
  'api rights': { name: msg`Rights of the API`, trouble: msg`The API lacks rights on tables or functions.` },
  outbox: { name: msg`Outbox`, trouble: msg`Database logins with grants cannot emit.` },
  'signature forms': {
    name: msg`Signature forms`,
    trouble: msg`Daemons lack signature forms that endpoints use, or differ in them.`,
  },
};

import { TOO_MANY_CONNECTIONS_ADVICE } from '../../platform/database/connection-trouble.js';
import { thisProgram } from '../../platform/node/this-program.js';
import type { Config } from '../../platform/settings/config.js';
import type { ServerFacts } from '../installation/examine-server.js';
import { POSTGRES_MAJOR_MIN } from '../installation/migrate.js';
import { type Check, check, durationText, failIf, statusOf, warnIf } from './check.js';
import { judgeReplication } from './judge-replication.js';

const CLOCK_WARN_SECONDS = 2;
/** Receivers refuse timestamps that are five minutes old, and their clocks are off as well. */
const CLOCK_FAIL_SECONDS = 60;
const TRANSACTION_WARN_SECONDS = 300;
const IDLE_TRANSACTION_WARN_SECONDS = 60;
/** Longer than a statement of the service may take. */
const LOCKING_WARN_SECONDS = 15;
const CONNECTIONS_WARN_SHARE = 0.8;
/** A daemon has these besides its pools: those of its job runner, and one that shows that it is alive. */
const DAEMON_CONNECTIONS = 6;
/** An API has this one besides its pools, while somebody follows live updates. */
const LIVE_UPDATES_CONNECTIONS = 1;
/** Postgres keeps these for its superusers. */
const RESERVED_CONNECTIONS = 3;

interface Circumstances {
  poolMax: number;
  replication?: Config['replication'];
  /** How far this machine's clock is ahead of Postgres', in seconds; and how exactly that is known. */
  clockAheadSeconds: number;
  clockErrorSeconds: number;
}

/** Judges the figures of the server. */
export function judgeServer(facts: ServerFacts, circumstances: Circumstances, apiRole: string): Check[] {
  return [
    failIf(
      facts.version < POSTGRES_MAJOR_MIN * 10_000,
      'postgres version',
      `Postgres ${facts.versionText} is too old. Upgrade it to ${POSTGRES_MAJOR_MIN} or later.`,
      `Postgres ${facts.versionText}.`,
    ),
    failIf(
      facts.isStandby,
      'primary',
      'DATABASE_URL leads to a standby, which takes no writes. Point it at the primary.',
      'The server takes writes.',
    ),
    judgeRole(facts, apiRole),
    ...judgeDurability(facts),
    judgeReplication(facts.replication, circumstances.replication, facts.user),
    judgeConnections(facts, circumstances),
    judgeClock(circumstances),
    judgeTransactions(facts),
    judgeLocks(facts),
    judgeVacuum(facts),
    check(
      'disk',
      'ok',
      `The database has ${facts.databaseSize}${largestOf(facts)}. RETENTION_DAYS decides how much is kept.`,
    ),
  ];
}

/** Before the first migration there are no tables. */
function largestOf({ tables }: ServerFacts): string {
  const largest = tables.map(({ name, size }) => `${name} about ${size}`).join(', ');
  return largest === '' ? '' : `; most of it: ${largest}`;
}

function judgeRole({ apiRoleExists, mayUseApiRole, user }: ServerFacts, role: string): Check {
  const name = 'api role';
  if (!apiRoleExists) {
    return check(
      name,
      'fail',
      `The role ${role} does not exist. Run "${thisProgram} migrate", which makes it if its login may make roles; else have an administrator run: create role ${role} nologin; grant ${role} to "${user}";`,
    );
  }
  return failIf(
    !mayUseApiRole,
    name,
    `The user of DATABASE_URL may not use the role ${role}. Have an administrator run: grant ${role} to "${user}";`,
    `The role ${role} is there and may be used.`,
  );
}

function judgeDurability({ durability }: ServerFacts): Check[] {
  const lost = 'events that were accepted can be lost when the server crashes. Turn it on.';
  return (['fsync', 'synchronous_commit', 'full_page_writes'] as const).map((name) =>
    failIf(durability[name] === 'off', name, `${name} is off: ${lost}`, `${name} is ${durability[name]}.`),
  );
}

function judgeConnections({ connections, maxConnections }: ServerFacts, { poolMax }: Circumstances): Check {
  const needed = 4 * poolMax + DAEMON_CONNECTIONS + LIVE_UPDATES_CONNECTIONS;
  const room = maxConnections - RESERVED_CONNECTIONS;
  const used = `${connections} of ${maxConnections} connections are in use`;
  if (needed > room) {
    return check(
      'connections',
      'fail',
      `One API and one daemon may need ${needed} connections, and max_connections leaves ${room}. Lower DATABASE_POOL_MAX or raise max_connections.`,
    );
  }
  return warnIf(
    connections > room * CONNECTIONS_WARN_SHARE,
    'connections',
    `${used}. ${TOO_MANY_CONNECTIONS_ADVICE}`,
    `${used}; one API and one daemon need ${needed} at most.`,
  );
}

function judgeClock({ clockAheadSeconds, clockErrorSeconds }: Circumstances): Check {
  const surely = Math.max(0, Math.abs(clockAheadSeconds) - clockErrorSeconds);
  const status = statusOf(surely > CLOCK_FAIL_SECONDS, surely > CLOCK_WARN_SECONDS);
  const text = `This machine's clock and Postgres' differ by ${Math.abs(clockAheadSeconds).toFixed(1)} s.`;
  return check(
    'clock',
    status,
    status === 'ok'
      ? text
      : `${text} Signatures carry the time of this machine, and receivers refuse wrong ones: set both clocks by NTP.`,
  );
}

function judgeTransactions(facts: ServerFacts): Check {
  const { oldestTransactionSeconds, oldestIdleTransactionSeconds, hiddenSessions, user } = facts;
  const isIdle = oldestIdleTransactionSeconds > IDLE_TRANSACTION_WARN_SECONDS;
  if (!isIdle && oldestTransactionSeconds <= TRANSACTION_WARN_SECONDS) {
    return warnIf(
      hiddenSessions > 0,
      'transactions',
      `No transaction that can be seen has been open for long. Sessions of other logins, whose transactions are hidden from this one: ${hiddenSessions}. To have them looked at as well, have an administrator run: grant pg_monitor to "${user}";`,
      'No transaction has been open for long.',
    );
  }
  const what = isIdle
    ? `A transaction has done nothing for ${durationText(oldestIdleTransactionSeconds)}`
    : `A transaction has been open for ${durationText(oldestTransactionSeconds)}`;
  return check(
    'transactions',
    'warn',
    `${what}: meanwhile nothing that was deleted can be cleaned up, and fetching jobs slows down. As an administrator find it: select pid, usename, application_name, query from pg_stat_activity order by xact_start; and end it with pg_terminate_backend(pid).`,
  );
}

function judgeLocks({ lockingSessions }: ServerFacts): Check {
  const locking = lockingSessions.filter(({ seconds }) => seconds > LOCKING_WARN_SECONDS);
  const sessions = locking.map(
    ({ pid, user, application, seconds }) =>
      `${pid} (${[user, application].filter(Boolean).join(', ')}, for ${durationText(seconds)})`,
  );
  return warnIf(
    locking.length > 0,
    'locks',
    `These sessions have rows of the service locked by an open transaction: ${sessions.join(', ')}. Meanwhile outcomes of the webhooks concerned cannot be recorded, and nothing is sent to these webhooks. Commit or roll back, or as an administrator run: select pg_terminate_backend(${locking[0]?.pid});`,
    'No transaction has had rows locked for long.',
  );
}

function judgeVacuum({ unvacuumed }: ServerFacts): Check {
  const tables = unvacuumed.map(({ name, dead, live }) => `${name} (${dead} dead rows, ${live} alive)`);
  return warnIf(
    tables.length > 0,
    'autovacuum',
    `Autovacuum does not keep up with ${tables.join(', ')}. Look for long transactions, and raise autovacuum_vacuum_cost_limit.`,
    'Autovacuum keeps up.',
  );
}

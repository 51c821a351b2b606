import { DAY_MS } from '../../domain/text/durations.js';
import type { Found } from '../../platform/database/driver/server-role.js';
import type { Failover } from '../installation/read-installation.js';
import type { ReplicationFacts } from '../installation/read-replication.js';
import { type Check, check, durationText, failIf, statusOf } from './check.js';

/** @param wanted the setting REPLICATION */
export function judgeReplication(facts: ReplicationFacts, wanted: 'synchronous' | undefined, user: string): Check {
  const verdict = (status: Check['status'], text: string) => check('replication', status, text);
  const { standbys, synchronousNames, synchronousCommit } = facts;
  const wants = wanted === undefined ? '' : ' REPLICATION=synchronous is not in force.';
  if (synchronousNames !== '' && !['off', 'local'].includes(synchronousCommit)) {
    const named = `synchronous_standby_names is ${synchronousNames}; standbys: ${listOf(facts)}.`;
    if (standbys.some(({ mode }) => mode === 'sync' || mode === 'quorum')) {
      return verdict('ok', `Commits wait for a standby: nothing accepted is lost in a failover. ${named}`);
    }
    return standbys.some(({ mode }) => mode === null)
      ? verdict(
          'ok',
          `Commits wait for a standby. Which one is hidden from this login, unless an administrator runs: grant pg_monitor to "${user}"; ${named}`,
        )
      : verdict(
          'fail',
          `No standby confirms commits: every change gets 503. Bring one back, or change synchronous_standby_names. ${named}`,
        );
  }
  const remedy = 'Set synchronous_standby_names (Patroni: synchronous_mode).';
  if (standbys.length === 0) {
    return verdict(
      statusOf(wanted !== undefined),
      wanted === undefined ? 'No standby follows this server.' : `No standby follows this server.${wants} ${remedy}`,
    );
  }
  return verdict(
    wanted === undefined ? 'warn' : 'fail',
    `Replication is asynchronous: a failover loses what was not yet replicated.${wants} ${remedy} Standbys: ${listOf(facts)}.`,
  );
}

function listOf({ standbys }: ReplicationFacts): string {
  const texts = standbys.map(({ name, mode, behindSeconds, behindBytes }) => {
    const behind = behindSeconds === null ? '' : `, ${durationText(behindSeconds)} behind`;
    const bytes = behindBytes === null ? '' : `, ${(behindBytes / 1_048_576).toFixed(1)} MiB to write`;
    return `${name} (${mode ?? 'hidden'}${behind}${bytes})`;
  });
  return texts.join(', ') || 'none';
}

/** Warns for a day, where something may be missing. */
export function judgeFailover(failover: Failover | null, now: Date): Check {
  const name = 'failover';
  if (failover === null) {
    return check(name, 'ok', 'No daemon has noticed a failover.');
  }
  const { at, fromTimeline, toTimeline, wasSynchronous, lostSeconds, unknownOutcomes } = failover;
  const time = at.toISOString().slice(0, 16).replace('T', ' ');
  const what = `The database failed over at ${time} UTC from timeline ${fromTimeline} to ${toTimeline}`;
  const outcomes = unknownOutcomes === 0 ? '' : ` ${unknownOutcomes} outcomes had no delivery.`;
  const isComplete = wasSynchronous === true && unknownOutcomes === 0;
  const status = statusOf(false, !isComplete && now.getTime() - at.getTime() < DAY_MS);
  if (wasSynchronous === true) {
    return check(name, status, `${what}; replication was synchronous: nothing accepted is missing.${outcomes}`);
  }
  const seconds = lostSeconds === null ? 'its last moments' : `up to ${Math.ceil(lostSeconds)} s`;
  const how = wasSynchronous === null ? 'or was restored' : 'replication was asynchronous';
  return check(
    name,
    status,
    `${what}${wasSynchronous === null ? ', ' : '; '}${how}: events of ${seconds} may be missing.${outcomes}`,
  );
}

type Answer = Found | { name: string; error: string };

/** @param answers of all hosts of DATABASE_URL; of a single one there is nothing to compare */
export function judgeHosts(answers: readonly Answer[]): Check[] {
  const primaries = answers.filter((answer) => 'isStandby' in answer && !answer.isStandby) as Found[];
  const away = answers.filter((answer) => 'error' in answer);
  if (answers.length < 2) {
    return [];
  }
  const name = 'hosts';
  if (primaries.length > 1) {
    const list = primaries.map((found) => `${found.name} (timeline ${found.timeline ?? 'unknown'})`).join(', ');
    const text = `Several hosts of DATABASE_URL are primaries: ${list}. End those with an older timeline.`;
    return [check(name, 'fail', text)];
  }
  if (away.length > 0) {
    const list = away.map((host) => `${host.name} (${host.error})`).join(', ');
    return [check(name, 'warn', `Hosts of DATABASE_URL that cannot be reached: ${list}. No failover can use them.`)];
  }
  return [
    failIf(
      primaries.length === 0,
      name,
      'No host of DATABASE_URL is a primary.',
      'One host is the primary, and the others are its standbys.',
    ),
  ];
}

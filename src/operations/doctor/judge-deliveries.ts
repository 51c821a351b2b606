import { CLOSED_COUNTED, LATE_AFTER_MS } from '../../domain/deliveries/health-limits.js';
import { thisProgram } from '../../platform/node/this-program.js';
import { version } from '../../platform/node/version.js';
import { type DeliveryFacts, LIMITED_COUNTED, UNVERIFIED_COUNTED } from '../installation/examine-deliveries.js';
import { INSTALLATION_COUNT_MAX } from '../installation/open-deliveries.js';
import { CERTIFICATES_LOOKED, type Installation, WEBHOOKS_COUNTED } from '../installation/read-installation.js';
import { FOUND_MAX, type Progress } from '../installation/search-parts.js';
import { type Check, check, durationText, failIf, statusOf, warnIf } from './check.js';
import { judgeHousekeeping } from './judge-housekeeping.js';
import { judgeFailover } from './judge-replication.js';
import { judgeVersions } from './judge-versions.js';

const PARTITION_DAYS_WARN = 7;
const DUE_WARN_SECONDS = LATE_AFTER_MS / 1_000;

const upTo = (max: number) => (rows: number) => (rows >= max ? `${max} or more` : String(rows));
const count = upTo(INSTALLATION_COUNT_MAX);
const about = (webhooks: number) => `${webhooks > WEBHOOKS_COUNTED ? 'about ' : ''}${webhooks}`;
const found = ({ found: faults }: Progress) => upTo(FOUND_MAX)(faults.length);
const isFound = (...searched: readonly Progress[]) => searched.some(({ found: faults }) => faults.length > 0);

/** @param startCommand the command that starts a daemon in this installation */
export function judgeDeliveries(
  facts: DeliveryFacts,
  installation: Installation,
  { now, startCommand }: { now: Date; startCommand: string },
): Check[] {
  const { lost, leftTurns, holdsEnding } = facts.searched;
  return [
    judgePartitions(installation),
    failIf(
      facts.daemons === 0,
      'daemons',
      `No daemon is connected: nothing is delivered. Start one: ${startCommand}.`,
      `Daemons connected: ${facts.daemons}.`,
    ),
    judgeVersions(facts.daemonVersions, version),
    judgeHousekeeping(installation.housekeeping, now),
    judgeFailover(installation.failover, now),
    warnIf(
      facts.deadPools > 0,
      'dead workers',
      `Jobs are locked by ${facts.deadPools} worker pools whose process has gone. A running daemon frees them within about ten seconds; look again then, and at its log.`,
      'No dead process has jobs locked.',
    ),
    warnIf(
      isFound(lost),
      'sweepers',
      `Overdue deliveries without a job: ${found(lost)}. A running daemon finds them within two minutes (with 100,000 overdue ones within about an hour); look again then.`,
      'Every overdue delivery has a job.',
    ),
    warnIf(
      isFound(leftTurns),
      'ordering',
      `Ordering keys whose next delivery was not woken: ${found(leftTurns)}. A running daemon wakes them within a minute (with 100,000 keys within about an hour), or when an application commits its emits; look again then.`,
      'Every ordering key has a delivery whose turn it is.',
    ),
    judgeScheduled(installation, facts),
    judgeBacklog(installation, facts),
    warnIf(
      isFound(holdsEnding),
      'held',
      `Held deliveries: ${count(installation.held)}; those of ${found(holdsEnding)} webhooks are canceled soon, within a day at most (HOLD_HOURS). Have their owners enable them.`,
      `Held deliveries: ${count(installation.held)}; none is canceled soon.`,
    ),
    judgeLimits(facts),
    judgeOwnWebhooks(facts),
    judgeQuarantine(facts),
    judgeFutureTimes(facts),
    judgeFilters(facts),
    ...judgeWebhooks(installation, facts),
  ];
}

function judgeFutureTimes({ futureTimes: others, searched: { unexplained } }: DeliveryFacts): Check {
  const futureTimes = others + unexplained.found.length;
  return failIf(
    futureTimes > 0,
    'future times',
    `${futureTimes === 1 ? '1 time is' : `${futureTimes} times are`} too far in the future. The clock of Postgres was ahead. Nothing happens before then. Set the clock right, then run: ${thisProgram} doctor --repair`,
    'No time was left by a wrong clock of Postgres.',
  );
}

function judgeFilters({ searched: { filters, formerFilters, filterTenants } }: DeliveryFacts): Check {
  const ignored = [filters, formerFilters, filterTenants].reduce((sum, { found: faults }) => sum + faults.length, 0);
  return failIf(
    ignored > 0,
    'filters',
    `Webhooks and tenants whose filters may be ignored: ${ignored}. Options of webhooks were changed in the database while triggers were disabled. Enable them, then run: ${thisProgram} doctor --repair`,
    'No filter is ignored.',
  );
}

/** No warning: an operator has set them. Who looks for a backlog learns of them. */
const judgeLimits = ({ limitedTenants }: DeliveryFacts): Check =>
  check(
    'limits',
    'ok',
    limitedTenants === 0
      ? 'No tenant has limits of its own.'
      : `Tenants with limits of their own: ${upTo(LIMITED_COUNTED)(limitedTenants)}. Their deliveries may wait, and their emits be refused (docs/tenant-limits.md).`,
  );

/** No warnings: owners enable their webhooks, prove their endpoints and replace their certificates. */
function judgeWebhooks(
  { activeWebhooks, disabledWebhooks, certificatesEnding: ending }: Installation,
  { unverified }: DeliveryFacts,
): Check[] {
  const notVerified = unverified === 0 ? '' : `; not verified: ${upTo(UNVERIFIED_COUNTED)(unverified)}`;
  const certificates =
    ending === 0
      ? 'No certificate of a webhook ends within 14 days.'
      : `Webhooks with a certificate that ends within 14 days, or has ended: ${upTo(CERTIFICATES_LOOKED)(ending)}. Their owners hear of it by webhook.certificate_ending and notices.`;
  return [
    check(
      'webhooks',
      'ok',
      `Active: ${about(activeWebhooks)}; disabled because their receivers failed: ${about(disabledWebhooks)}${notVerified}.`,
    ),
    check('certificates', 'ok', certificates),
  ];
}

const judgeOwnWebhooks = ({ ownDisabled }: DeliveryFacts): Check =>
  warnIf(
    ownDisabled > 0,
    'operator webhooks',
    `Webhooks of the installation that failures have disabled: ${ownDisabled}. Enable them in the console, under Webhooks: what they are to get is held for HOLD_HOURS only.`,
    'No webhook of the installation is disabled.',
  );

function judgeScheduled({ scheduledLateSeconds }: Installation, { scheduledStand }: DeliveryFacts): Check {
  return warnIf(
    scheduledStand,
    'scheduled',
    `The oldest scheduled event is ${durationText(scheduledLateSeconds)} late, and cannot be emitted, or no event is. A daemon of this version emits them; its log says why it does not.`,
    'No scheduled event stands still.',
  );
}

function judgeQuarantine({ quarantined }: DeliveryFacts): Check {
  return warnIf(
    quarantined > 0,
    'quarantine',
    `Jobs in quarantine: ${quarantined}. They were fetched again and again without being finished. The daemon's log says why, and names deliveries: "put aside".`,
    'No job is in quarantine.',
  );
}

function judgePartitions({ partitionDaysAhead }: Installation): Check {
  const status = statusOf(partitionDaysAhead < 1, partitionDaysAhead < PARTITION_DAYS_WARN);
  const text = `There are partitions for the next ${partitionDaysAhead} days.`;
  return check(
    'partitions',
    status,
    status === 'ok'
      ? text
      : `${text} A daemon's housekeeping makes them, every hour at :07: see "Housekeeping does not run" in docs/troubleshoot.md.`,
  );
}

function judgeBacklog(installation: Installation, { closed }: DeliveryFacts): Check {
  const { due, scheduled, oldestDueSeconds, oldestLateSeconds } = installation;
  const dueText = due === 0 ? 'Nothing is due' : `Due: ${count(due)}, the oldest for ${durationText(oldestDueSeconds)}`;
  const closedText = closed.webhooks < CLOSED_COUNTED ? count(closed.due) : `${closed.due} or more`;
  const waits = closed.due === 0 ? '' : `; of these, ${closedText} wait for a pause that their receivers asked for`;
  // A pause that a receiver asked for is its own choice, and a rate its owner's.
  const isLate = oldestLateSeconds > DUE_WARN_SECONDS;
  const rated =
    isLate || closed.due > 0 || oldestDueSeconds <= DUE_WARN_SECONDS
      ? ''
      : '; the oldest wait for the rate of their webhook, or for the next probe of an endpoint that fails';
  const text = `${dueText}${waits}${rated}; retries that wait: ${count(scheduled)}.`;
  return warnIf(
    isLate,
    'backlog',
    `${text} One slow receiver is enough: see "The backlog grows" in docs/troubleshoot.md.`,
    text,
  );
}

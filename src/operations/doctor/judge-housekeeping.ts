import type { HousekeepingRuns } from '../installation/read-installation.js';
import { type Check, type CheckStatus, check, durationText } from './check.js';

const LATE_SECONDS = 3 * 3_600;
/** A run that takes longer did not end. */
const RUN_SECONDS_MAX = 600;
const PAGE = 'See "Housekeeping does not run" in docs/troubleshoot.md.';

/** Whether the hourly housekeeping is started, and done. */
export function judgeHousekeeping({ startedAt, succeededAt, failure }: HousekeepingRuns, now: Date): Check {
  const secondsSince = (time: Date) => (now.getTime() - time.getTime()) / 1_000;
  const ago = (time: Date) => `${durationText(Math.max(0, secondsSince(time)))} ago`;
  const verdict = (status: CheckStatus, text: string) => check('housekeeping', status, text);

  const startedSeconds = startedAt === null ? 0 : secondsSince(startedAt);
  const lastDone = succeededAt === null ? 'never' : ago(succeededAt);
  if (failure !== null) {
    return verdict(
      'warn',
      `Housekeeping failed ${ago(failure.at)} (${failure.error}); last done: ${lastDone}. ${PAGE}`,
    );
  }
  if (startedAt === null) {
    return verdict('ok', 'Housekeeping has not run yet; it does, every hour at :07.');
  }
  if (startedSeconds > LATE_SECONDS) {
    return verdict('warn', `Housekeeping was last started ${ago(startedAt)}, and should be every hour. ${PAGE}`);
  }
  const isDone = succeededAt === null ? startedSeconds <= RUN_SECONDS_MAX : secondsSince(succeededAt) <= LATE_SECONDS;
  const text = `Housekeeping was last started ${ago(startedAt)}; last done: ${lastDone}.`;
  return isDone ? verdict('ok', text) : verdict('warn', `${text} ${PAGE}`);
}

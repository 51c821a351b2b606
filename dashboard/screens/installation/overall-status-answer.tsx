import { Plural, Trans } from '@lingui/react/macro';
import type { InstallationNowQuery } from '../../api/generated/graphql';
import { buttonLook } from '../../parts/button';
import { Answer } from '../../parts/page';
import { Pauses } from '../../parts/pauses';
import { Link } from '../../parts/place';
import { Time, useClock } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { countUpTo, duration } from '../../text/numbers';
import { closedMaxOf, lagOf, type Problem, problemsOf } from './overall-status';
import { useFindingWords } from './use-finding-words';

type Installation = NonNullable<InstallationNowQuery['installation']>;

const STEP_MS = 10_000;

/** Whether the service is healthy; else what is wrong, the worst first, and what to do about each. */
export function OverallStatusAnswer({ installation }: { installation: Installation }) {
  const { backlog, closed, daemons, jobsPutAside } = installation;
  // Said in steps, since readers hear the sentence again whenever it changes.
  const now = useClock((ms) => ms - (ms % STEP_MS));
  const lag = useClock((ms) => duration(STEP_MS * Math.max(1, Math.ceil(lagOf(closed, ms) / STEP_MS))));
  const problems = problemsOf({ ...installation, jobsPutAside: jobsPutAside.length }, now);
  const [first, ...others] = problems;
  return (
    <Answer
      tone={first === undefined ? 'good' : first.level === 'FAIL' ? 'bad' : 'warn'}
      actions={
        problems.some(({ kind }) => kind === 'LATE') && (
          <Link to="/worst" search={{ by: 'BACKLOG' }} className={buttonLook('plain')}>
            <Trans>Show the longest backlog</Trans>
          </Link>
        )
      }
    >
      <div className="font-medium">
        {first === undefined ? (
          <Trans>
            The service is healthy: <Plural value={daemons.length} one="# daemon delivers" other="# daemons deliver" />,
            and nothing waits for it longer than {lag}.
          </Trans>
        ) : (
          <Sentence problem={first} countMax={backlog.countMax} />
        )}
      </div>
      {others.length > 0 && (
        <ul className="mt-1.5 flex list-disc flex-col gap-1 ps-4 text-sm">
          {others.map((problem) => (
            <li key={`${problem.kind} ${problem.kind === 'FINDING' ? problem.name : ''}`}>
              <Sentence problem={problem} countMax={backlog.countMax} />
            </li>
          ))}
        </ul>
      )}
      {closed.due > 0 && (
        <p className="mt-1 text-sm text-soft">
          <Pauses closed={closed} countMax={closedMaxOf(closed, backlog)} />
        </p>
      )}
    </Answer>
  );
}

function Sentence({ problem, countMax }: { problem: Problem; countMax: number }) {
  const wordsOf = useFindingWords();
  switch (problem.kind) {
    case 'NO_DAEMON':
      return problem.since === undefined ? (
        <Trans>No daemon is running, so nothing is delivered. Start one and check its log.</Trans>
      ) : (
        <Trans>
          Nothing is delivered: the last daemon reported <Time value={problem.since} />. Start one and check the log of
          the last one.
        </Trans>
      );
    case 'SILENT_DAEMONS':
      return (
        <Trans>
          The daemon on <Untrusted text={problem.hosts.join(', ')} /> has been silent for 30 seconds. It has stopped, or
          lost the database. The others continue.
        </Trans>
      );
    case 'LATE':
      return (
        <Trans>
          {countUpTo(problem.due, countMax)} deliveries are due; the oldest has waited {duration(problem.oldestMs)}. One
          slow endpoint can cause this. If all wait, run another daemon.
        </Trans>
      );
    case 'JOBS_ASIDE':
      return (
        <Plural
          value={problem.jobs}
          one="# job did not finish and was put aside. The daemon's log says why."
          other="# jobs did not finish and were put aside. The daemon's log says why."
        />
      );
    case 'FINDING':
      return <Untrusted text={wordsOf(problem).text} />;
  }
}

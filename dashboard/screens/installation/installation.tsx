import { useLingui } from '@lingui/react/macro';
import { useQuery } from 'urql';
import { AttemptCharts } from '../../parts/attempt-charts';
import { AttemptFigures } from '../../parts/attempt-figures';
import { Failure, PageHead } from '../../parts/page';
import { RangePicker, useRange } from '../../parts/range';
import { useRefresh } from '../../parts/refresh';
import { Daemons } from './daemons';
import { ATTEMPTS, KEPT, NOW } from './documents';
import { FailingNow } from './failing-now';
import { FailureCodes } from './failure-codes';
import { Findings } from './findings';
import { FirstSteps } from './first-steps';
import { Housekeeping } from './housekeeping';
import { JobsAside } from './jobs-aside';
import { NowFigures } from './now-figures';
import { StandingAnswer } from './standing-answer';
import { Storage } from './storage';

const NOW_EVERY_MS = 5_000;
const ATTEMPTS_EVERY_MS = 60_000;

/** The installation at a glance: first whether all is well, then what it does, then what it keeps. */
export default function InstallationPage() {
  const { t } = useLingui();
  const range = useRange();
  const { since, until } = range;
  const [now, readNow] = useQuery({ query: NOW });
  const [attempts, readAttempts] = useQuery({ query: ATTEMPTS, variables: { since, until: until ?? null } });
  const [kept, readKept] = useQuery({ query: KEPT });
  useRefresh(readNow, NOW_EVERY_MS);
  useRefresh(readAttempts, ATTEMPTS_EVERY_MS);
  const standing = now.data?.installation;
  const stats = attempts.data?.installation?.stats;
  const failures = attempts.data?.installation?.failures;
  const error = now.error ?? attempts.error ?? kept.error;
  const readAgain = () => {
    for (const read of [readNow, readAttempts, readKept]) {
      read();
    }
  };
  return (
    <>
      <PageHead title={t`Installation`} actions={<RangePicker />} />
      <div className="flex flex-col gap-4">
        {error && <Failure error={error} retry={readAgain} />}
        {standing && <StandingAnswer installation={standing} />}
        <FirstSteps />
        <FailingNow />
        {standing && <NowFigures installation={standing} />}
        {stats && (
          <>
            <AttemptFigures stats={stats} backlog={standing?.backlog} range={range} />
            <AttemptCharts buckets={stats.buckets} />
          </>
        )}
        {standing && standing.jobsPutAside.length > 0 && <JobsAside jobs={standing.jobsPutAside} />}
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <div className="flex min-w-0 flex-col gap-4">
            {standing && <Daemons daemons={standing.daemons} />}
            {kept.data?.installation && <Storage kept={kept.data.installation} />}
            {kept.data?.installation && <Housekeeping kept={kept.data.installation} />}
          </div>
          {failures && <FailureCodes failures={failures} />}
        </div>
        {standing && <Findings findings={standing.findings} examinedAt={standing.examinedAt} />}
      </div>
    </>
  );
}

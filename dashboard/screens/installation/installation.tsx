import { useLingui } from '@lingui/react/macro';
import { useQuery } from 'urql';
import type { InstallationKeptQuery, InstallationNowQuery } from '../../api/generated/graphql';
import { AttemptCharts } from '../../parts/attempt-charts';
import { Failure, PageHead } from '../../parts/page';
import { RangePicker, useRange } from '../../parts/range';
import { useRefresh } from '../../parts/refresh';
import { Skeleton } from '../../parts/skeleton';
import { Ages } from './ages';
import { Daemons } from './daemons';
import { ATTEMPTS, FAILING, KEPT, NOW } from './documents';
import { FailingNow } from './failing-now';
import { FailureCodes } from './failure-codes';
import { Findings } from './findings';
import { FirstSteps } from './first-steps';
import { Housekeeping } from './housekeeping';
import { InstallationFigures } from './installation-figures';
import { JobsAside } from './jobs-aside';
import { StandingAnswer } from './standing-answer';
import { Storage } from './storage';
import { useReadAt } from './use-read-at';

const NOW_EVERY_MS = 5_000;
const ATTEMPTS_EVERY_MS = 60_000;
const FAILING_EVERY_MS = 15_000;

/** The installation at a glance: first whether all is well, then what it does, then what it keeps. */
export default function InstallationPage() {
  const { t } = useLingui();
  const range = useRange();
  const { since, until } = range;
  const [now, readNow] = useQuery({ query: NOW });
  const [attempts, readAttempts] = useQuery({ query: ATTEMPTS, variables: { since, until: until ?? null } });
  const [kept, readKept] = useQuery({ query: KEPT });
  const [failing, readFailing] = useQuery({ query: FAILING });
  useRefresh(readNow, NOW_EVERY_MS);
  useRefresh(readAttempts, ATTEMPTS_EVERY_MS);
  useRefresh(readFailing, FAILING_EVERY_MS);
  const readAt = { now: useReadAt(now), attempts: useReadAt(attempts) };
  // The list of what fails has any height: nothing below it is shown before it.
  const isRead = failing.data !== undefined || failing.error !== undefined;
  const standing = isRead ? now.data?.installation : undefined;
  const stats = isRead ? attempts.data?.installation?.stats : undefined;
  const failures = failing.data?.installation?.failures;
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
        {/* The verdict on figures that cannot be read again would be wrong: how old they are stands below. */}
        {error ? <Failure error={error} retry={readAgain} /> : standing && <StandingAnswer installation={standing} />}
        <FirstSteps />
        <FailingNow state={failing} readAgain={readFailing} />
        {standing && <InstallationFigures now={standing} stats={stats ?? undefined} range={range} />}
        {standing && <Ages {...readAt} findings={standing.examinedAt} />}
        {!standing && !error && <Skeleton heights={['h-11.5', 'h-33.5', 'h-4']} />}
        {stats ? <AttemptCharts buckets={stats.buckets} /> : !error && <Skeleton heights={['h-68.5']} />}
        {isRead && <Rest now={standing} kept={kept.data?.installation} failures={failures} />}
      </div>
    </>
  );
}

/** What the installation consists of, and keeps. */
function Rest({
  now,
  kept,
  failures,
}: {
  now: InstallationNowQuery['installation'] | undefined;
  kept: InstallationKeptQuery['installation'] | undefined;
  failures: Parameters<typeof FailureCodes>[0]['failures'] | undefined;
}) {
  return (
    <>
      {now && now.jobsPutAside.length > 0 && <JobsAside jobs={now.jobsPutAside} />}
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          {now && <Daemons daemons={now.daemons} />}
          {kept && <Storage kept={kept} />}
          {kept && <Housekeeping kept={kept} />}
        </div>
        {failures && <FailureCodes failures={failures} />}
      </div>
      {now && <Findings findings={now.findings} examinedAt={now.examinedAt} />}
    </>
  );
}

import type { InstallationKeptQuery, InstallationNowQuery } from '../../api/generated/graphql';
import { Daemons } from './daemons';
import { FailureCodes } from './failure-codes';
import { Findings } from './findings';
import { Housekeeping } from './housekeeping';
import { JobsAside } from './jobs-aside';
import { Storage } from './storage';

export interface PartsProps {
  now: InstallationNowQuery['installation'] | undefined;
  kept: InstallationKeptQuery['installation'] | undefined;
  failures: Parameters<typeof FailureCodes>[0]['failures'] | undefined;
}

/** What the installation consists of, and keeps. */
export default function Parts({ now, kept, failures }: PartsProps) {
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

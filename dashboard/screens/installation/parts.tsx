import type { InstallationKeptQuery, InstallationNowQuery } from '../../api/generated/graphql';
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
      {failures && <FailureCodes failures={failures} />}
      {kept && <Storage kept={kept} />}
      {kept && <Housekeeping kept={kept} />}
      {now && <Findings findings={now.findings} examinedAt={now.examinedAt} />}
    </>
  );
}

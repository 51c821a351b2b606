import { Trans, useLingui } from '@lingui/react/macro';
import type { InstallationNowQuery } from '../../api/generated/graphql';
import { Figure, Figures } from '../../parts/page';
import { useClock } from '../../parts/time';
import { count, countUpTo, duration } from '../../text/numbers';
import { lagOf } from './standing';

/** How the installation is doing at this moment. */
export function NowFigures({
  installation: { backlog, daemons, jobsPutAside },
}: {
  installation: NonNullable<InstallationNowQuery['installation']>;
}) {
  const { t } = useLingui();
  const lag = useClock((now) => duration(lagOf(backlog, now)));
  const sum = (field: 'slots' | 'inFlight') => daemons.reduce((total, daemon) => total + daemon[field], 0);
  return (
    <Figures>
      <Figure name={<Trans>Longest wait</Trans>} value={lag} remark={t`of due deliveries`} />
      <Figure
        name={<Trans>Due</Trans>}
        value={countUpTo(backlog.due, backlog.countMax)}
        remark={t`in flight, or next`}
      />
      <Figure
        name={<Trans>Scheduled for later</Trans>}
        value={countUpTo(backlog.scheduled, backlog.countMax)}
        remark={t`retries`}
      />
      <Figure
        name={<Trans>Requests in flight</Trans>}
        value={count(sum('inFlight'))}
        remark={<Trans>of {count(sum('slots'))} slots</Trans>}
      />
      <Figure
        name={<Trans>Daemons</Trans>}
        value={count(daemons.length)}
        tone={daemons.length === 0 ? 'bad' : undefined}
        remark={t`of the last 10 minutes`}
      />
      <Figure
        name={<Trans>Jobs put aside</Trans>}
        value={count(jobsPutAside.length)}
        tone={jobsPutAside.length > 0 ? 'warn' : undefined}
        remark={t`not finished`}
      />
    </Figures>
  );
}

import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { InstallationAttemptsQuery, InstallationNowQuery } from '../../api/generated/graphql';
import { Figure, Figures } from '../../parts/page';
import type { Range } from '../../parts/range';
import { RANGE_WORDS } from '../../parts/range-words';
import { useClock } from '../../parts/time';
import { count, countUpTo, duration, percent } from '../../text/numbers';
import { closedMaxOf, lagOf } from './overall-status';

type Now = NonNullable<InstallationNowQuery['installation']>;
type Stats = NonNullable<NonNullable<InstallationAttemptsQuery['installation']>['stats']>;

/** The four figures that tell most about the installation, and the others in a line below. */
export function InstallationFigures({ now, stats, range }: { now: Now; stats: Stats | undefined; range: Range }) {
  const { i18n } = useLingui();
  const { backlog, closed } = now;
  const wait = useClock((ms) => duration(lagOf(closed, ms)));
  const when = i18n._(RANGE_WORDS[range.name]);
  return (
    <div className="flex flex-col gap-2">
      <Figures>
        <Figure
          name={<Trans>Longest wait</Trans>}
          value={wait}
          remark={<Trans>now, pauses and rates left out</Trans>}
        />
        <Figure
          name={<Trans>Due</Trans>}
          value={countUpTo(backlog.due, backlog.countMax)}
          remark={
            closed.due > 0 ? (
              <Trans>{countUpTo(closed.due, closedMaxOf(closed, backlog))} wait for a pause</Trans>
            ) : (
              <Trans>in flight, or next</Trans>
            )
          }
        />
        <Figure name={<Trans>Delivered</Trans>} value={stats ? count(stats.total.successes) : '–'} remark={when} />
        <Figure name={<Trans>Success</Trans>} value={percent(stats?.total.successRate)} remark={when} />
      </Figures>
      <Others now={now} total={stats?.total} />
    </div>
  );
}

function Others({ now, total }: { now: Now; total: Stats['total'] | undefined }) {
  const { backlog, daemons, jobsPutAside } = now;
  const sum = (field: 'slots' | 'inFlight') => daemons.reduce((all, daemon) => all + daemon[field], 0);
  return (
    <dl className="figures grid grid-cols-[repeat(auto-fill,minmax(15rem,1fr))] gap-x-4 gap-y-1 px-1 text-sm">
      <Other name={<Trans>Scheduled for later</Trans>}>{countUpTo(backlog.scheduled, backlog.countMax)}</Other>
      <Other name={<Trans>Held</Trans>}>{countUpTo(backlog.held, backlog.countMax)}</Other>
      <Other name={<Trans>Requests in flight</Trans>}>
        <Trans>
          {count(sum('inFlight'))} of {count(sum('slots'))} slots
        </Trans>
      </Other>
      <Other name={<Trans>Daemons</Trans>}>{count(daemons.length)}</Other>
      <Other name={<Trans>Jobs put aside</Trans>}>{count(jobsPutAside.length)}</Other>
      <Other name={<Trans>Failed attempts</Trans>}>
        {total ? (
          <Trans>
            {count(total.failures)} of {count(total.attempts)}
          </Trans>
        ) : (
          '–'
        )}
      </Other>
      <Other name={<Trans>p50, p95, p99</Trans>}>
        {[total?.p50Ms, total?.p95Ms, total?.p99Ms].map(duration).join(' · ')}
      </Other>
    </dl>
  );
}

function Other({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <div className="flex items-baseline gap-1.5">
      <dt className="text-soft">{name}</dt>
      <dd className="font-medium">{children}</dd>
    </div>
  );
}

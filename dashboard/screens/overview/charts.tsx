import { useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import type { OverviewQuery } from '../../api/generated/graphql';
import { Chart } from '../../parts/chart';
import { useAddress } from '../../parts/place';
import { compact, duration } from '../../text/numbers';

type Bucket = NonNullable<OverviewQuery['stats']>['buckets'][number];

/** How many attempts succeeded and failed, over time. Dragging chooses a range. */
export function AttemptsChart({ buckets }: { buckets: readonly Bucket[] }) {
  const { t } = useLingui();
  const times = useTimes(buckets);
  const series = useMemo(
    () => [
      { name: t`Succeeded`, colour: 'good', values: buckets.map(({ successes }) => successes) },
      { name: t`Failed`, colour: 'bad', values: buckets.map(({ failures }) => failures) },
    ],
    [buckets, t],
  );
  const onRange = useChosenRange();
  return (
    <Chart
      label={t`Attempts over time`}
      times={times}
      series={series}
      shape="bars"
      format={compact}
      onRange={onRange}
    />
  );
}

/** How long attempts took, over time. */
export function DurationsChart({ buckets }: { buckets: readonly Bucket[] }) {
  const { t } = useLingui();
  const times = useTimes(buckets);
  const series = useMemo(
    () => [
      { name: 'p50', colour: 'good', values: buckets.map(({ p50Ms }) => p50Ms ?? null) },
      { name: 'p95', colour: 'info', values: buckets.map(({ p95Ms }) => p95Ms ?? null) },
      { name: 'p99', colour: 'warn', values: buckets.map(({ p99Ms }) => p99Ms ?? null) },
    ],
    [buckets],
  );
  const onRange = useChosenRange();
  return (
    <Chart
      label={t`Duration of an attempt over time`}
      times={times}
      series={series}
      shape="lines"
      format={duration}
      onRange={onRange}
    />
  );
}

const useTimes = (buckets: readonly Bucket[]) =>
  useMemo(() => buckets.map(({ start }) => Date.parse(start)), [buckets]);

function useChosenRange(): (since: Date, until: Date) => void {
  const [, setAddress] = useAddress();
  return (since, until) =>
    setAddress({ range: undefined, since: since.toISOString(), until: until.toISOString() });
}

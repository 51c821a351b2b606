import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import { compact, duration } from '../../text/numbers';
import { Chart } from '../chart';
import { Card } from '../page';
import { useChooseRange } from '../range';

/** The attempts of a part of the range, as the API has them. */
export interface AttemptBucket {
  start: string;
  successes: number;
  failures: number;
  p50Ms?: number | null;
  p95Ms?: number | null;
  p99Ms?: number | null;
}

/**
 * How many attempts succeeded and failed over time, and how long they took. Dragging chooses a range.
 *
 * @param buckets none while they are being read
 */
export function AttemptCharts({ buckets }: { buckets: readonly AttemptBucket[] }) {
  const { t } = useLingui();
  const onRange = useChooseRange();
  const { times, outcomes, durations } = useMemo(
    () => ({
      times: buckets.map(({ start }) => Date.parse(start)),
      outcomes: [
        { name: t`Succeeded`, colour: 'good', values: buckets.map(({ successes }) => successes) },
        { name: t`Failed`, colour: 'bad', values: buckets.map(({ failures }) => failures) },
      ],
      durations: [
        { name: 'p50', colour: 'good', values: buckets.map(({ p50Ms }) => p50Ms ?? null) },
        { name: 'p95', colour: 'info', values: buckets.map(({ p95Ms }) => p95Ms ?? null) },
        { name: 'p99', colour: 'warn', values: buckets.map(({ p99Ms }) => p99Ms ?? null) },
      ],
    }),
    [buckets, t],
  );
  const shared = { times, onRange };
  return (
    <>
      <Card title={<Trans>Attempts</Trans>}>
        <Chart {...shared} label={t`Attempts over time`} series={outcomes} shape="bars" format={compact} />
      </Card>
      <Card title={<Trans>Duration of an attempt</Trans>}>
        <Chart
          {...shared}
          label={t`Duration of an attempt over time`}
          series={durations}
          shape="lines"
          format={duration}
        />
      </Card>
    </>
  );
}

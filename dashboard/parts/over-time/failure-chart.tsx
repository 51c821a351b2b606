import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import type { OverTimeQuery } from '../../api/generated/graphql';
import { compact, count } from '../../text/numbers';
import { Chart } from '../chart';
import { Card } from '../page';
import { type Search, useGo } from '../place';
import { type Range, rangeSearch, useChooseRange } from '../range';
import { RANGE_WORDS } from '../range-words';
import { EmptyChart } from './empty-chart';
import { listOfReason, reasonWords } from './reasons';

type Failures = NonNullable<OverTimeQuery['failureStats']>;

const BUCKET_MS = { MINUTE: 60_000, HOUR: 3_600_000, DAY: 86_400_000 } as const;
/** Names of colours in styles.css, the most frequent reason first. */
const COLOURS = ['bad', 'warn', 'info', 'mark-1', 'mark-2', 'mark-3', 'mark-4', 'mark-5', 'faint'];

/**
 * Failed attempts by reason over time. A reason, or a part of a bar, leads to its deliveries; dragging chooses a range.
 *
 * @param list the filters of the deliveries that these are attempts of; null: no list has them.
 */
export function FailureChart({
  failures: { since, resolution, reasons },
  range,
  list,
}: {
  failures: Failures;
  range: Range;
  list: Search | null;
}) {
  const { t, i18n } = useLingui();
  const go = useGo();
  const chooseRange = useChooseRange();
  const { times, series, total } = useMemo(() => {
    const start = Date.parse(since);
    return {
      times: (reasons[0]?.buckets ?? []).map((_, at) => start + at * BUCKET_MS[resolution]),
      series: reasons.map(({ reason, buckets }, at) => ({
        name: reasonWords(i18n, reason),
        colour: COLOURS[at] ?? 'faint',
        values: buckets,
        list: list === null ? undefined : { ...list, ...listOfReason(reason), ...rangeSearch(range) },
      })),
      total: reasons.reduce((sum, one) => sum + one.failures, 0),
    };
  }, [since, resolution, reasons, list, range, i18n]);
  const when = i18n._(RANGE_WORDS[range.name]);
  return (
    <Card
      title={<Trans>Failures by reason</Trans>}
      actions={total > 0 && <span className="figures text-xs text-soft">{count(total)}</span>}
    >
      {reasons.length === 0 ? (
        <EmptyChart title={<Trans>No attempt failed {when}.</Trans>} />
      ) : (
        <Chart
          label={t`Failures by reason over time`}
          times={times}
          series={series}
          shape="bars"
          format={compact}
          onRange={chooseRange}
          onPick={(picked, at) => {
            const from = times[at];
            if (picked.list !== undefined && from !== undefined) {
              const bucket = { since: iso(from), until: iso(from + BUCKET_MS[resolution]), range: undefined };
              go('/deliveries', { ...picked.list, ...bucket });
            }
          }}
        />
      )}
    </Card>
  );
}

const iso = (ms: number) => new Date(ms).toISOString();

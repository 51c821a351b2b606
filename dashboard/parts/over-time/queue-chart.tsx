import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import type { OverTimeQuery } from '../../api/generated/graphql';
import { compact, count, duration } from '../../text/numbers';
import { Chart } from '../chart';
import { Card } from '../page';
import { type Range, useChooseRange } from '../range';
import { RANGE_WORDS } from '../range-words';
import { EmptyChart } from './empty-chart';

type Queue = NonNullable<OverTimeQuery['queueStats']>;

/** How many deliveries were due and held over time, and how long the oldest had waited. Dragging chooses a range. */
export function QueueChart({ queue: { buckets, resolution }, range }: { queue: Queue; range: Range }) {
  const { t, i18n } = useLingui();
  const chooseRange = useChooseRange();
  const { most, ...figures } = useFigures(buckets);
  const more = (at: number | undefined) => (at !== undefined && buckets[at]?.isMore ? '+' : '');
  const when = i18n._(RANGE_WORDS[range.name]);
  const gaps = buckets.slice(0, -1).some(({ due }) => due == null) && <Trans>Part of this time was not counted.</Trans>;
  return (
    <Card title={<Trans>Queue</Trans>} actions={most.queued > 0 && <Most {...most} />}>
      {most.queued === 0 ? (
        <EmptyChart title={<Trans>Nothing was queued {when}.</Trans>}>{gaps}</EmptyChart>
      ) : (
        <>
          <Chart
            {...figures}
            label={resolution === 'MINUTE' ? t`Queue over time` : t`Queue over time, the most of any minute`}
            shape="bars"
            format={(value, at) => `${compact(value)}${more(at)}`}
            onRange={chooseRange}
          />
          {gaps && <p className="px-1 text-xs text-faint">{gaps}</p>}
        </>
      )}
    </Card>
  );
}

function useFigures(buckets: Queue['buckets']) {
  const { t } = useLingui();
  return useMemo(() => {
    const longest = Math.max(0, ...buckets.map(({ oldestSeconds }) => oldestSeconds ?? 0));
    return {
      times: buckets.map(({ start }) => Date.parse(start)),
      series: [
        { name: t`Due`, colour: 'info', values: buckets.map(({ due }) => due ?? null) },
        { name: t`Held`, colour: 'warn', values: buckets.map(({ held }) => held ?? null) },
      ],
      beside: [
        {
          name: t`Longest wait`,
          texts: buckets.map(({ oldestSeconds }) => (oldestSeconds ? wait(oldestSeconds) : null)),
        },
      ],
      most: {
        queued: Math.max(0, ...buckets.map(({ due, held }) => (due ?? 0) + (held ?? 0))),
        isMore: buckets.some(({ isMore }) => isMore),
        longest: longest > 0 ? wait(longest) : null,
      },
    };
  }, [buckets, t]);
}

function Most({ queued, isMore, longest }: ReturnType<typeof useFigures>['most']) {
  const peak = `${count(queued)}${isMore ? '+' : ''}`;
  return (
    <span className="figures text-xs text-soft">
      <Trans>Peak {peak}</Trans>
      {longest !== null && (
        <>
          {' · '}
          <Trans>longest wait {longest}</Trans>
        </>
      )}
    </span>
  );
}

const wait = (seconds: number) => duration(seconds * 1_000);

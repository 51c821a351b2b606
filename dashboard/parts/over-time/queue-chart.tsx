import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import type { OverTimeQuery } from '../../api/generated/graphql';
import { compact, count, duration } from '../../text/numbers';
import { Chart } from '../chart';
import { Card } from '../page';
import { useAddress } from '../place';
import type { Range } from '../range';
import { RANGE_WORDS } from '../range-words';
import { EmptyChart } from './empty-chart';

type Queue = NonNullable<OverTimeQuery['queueStats']>;

/** How many deliveries were due and held over time, and how long the oldest had waited. Dragging chooses a range. */
export function QueueChart({ queue: { buckets, resolution }, range }: { queue: Queue; range: Range }) {
  const { t, i18n } = useLingui();
  const [, setAddress] = useAddress();
  const { times, series, beside, most } = useMemo(() => {
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
        wait: longest > 0 ? wait(longest) : null,
      },
    };
  }, [buckets, t]);
  const more = (at: number | undefined) => (at !== undefined && buckets[at]?.isMore ? '+' : '');
  const atMost = `${count(most.queued)}${buckets.some(({ isMore }) => isMore) ? '+' : ''}`;
  const longest = most.wait;
  const when = i18n._(RANGE_WORDS[range.name]);
  const hasGaps = buckets.slice(0, -1).some(({ due }) => due == null);
  return (
    <Card
      title={<Trans>Queue</Trans>}
      actions={
        most.queued > 0 && (
          <span className="figures text-xs text-soft">
            <Trans>At most {atMost}</Trans>
            {longest !== null && (
              <>
                {' · '}
                <Trans>longest wait {longest}</Trans>
              </>
            )}
          </span>
        )
      }
    >
      {most.queued === 0 ? (
        <EmptyChart title={<Trans>Nothing was queued {when}.</Trans>}>
          {hasGaps && <Trans>Part of this time was not counted.</Trans>}
        </EmptyChart>
      ) : (
        <>
          <Chart
            label={resolution === 'MINUTE' ? t`Queue over time` : t`Queue over time, the most of any minute`}
            times={times}
            series={series}
            beside={beside}
            shape="bars"
            format={(value, at) => `${compact(value)}${more(at)}`}
            onRange={(since, until) =>
              setAddress({ range: undefined, since: since.toISOString(), until: until.toISOString() })
            }
          />
          {hasGaps && (
            <p className="px-1 text-xs text-faint">
              <Trans>Part of this time was not counted.</Trans>
            </p>
          )}
        </>
      )}
    </Card>
  );
}

const wait = (seconds: number) => duration(seconds * 1_000);

import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import { HELD_SHOWN_MAX } from '../../../../src/domain/deliveries/health-limits';
import type { EndpointRowFragment, EndpointsQuery } from '../../../api/generated/graphql';
import { EndpointLink, TimeOrNever } from '../../../parts/cells';
import { type Column, NoValue } from '../../../parts/list';
import { DaySparkline, sumsOf } from '../../../parts/sparkline';
import { isClosed, WebhookBadge } from '../../../parts/status';
import { shortly, Time } from '../../../parts/time';
import { count, countUpTo, duration, percent } from '../../../text/numbers';

/** An endpoint of the list, with its last 24 hours. */
export type EndpointEntry = NonNullable<EndpointsQuery['webhooks']>['edges'][number]['node'];

export function useEndpointColumns(): Column<EndpointEntry>[] {
  const { t } = useLingui();
  return useMemo(
    () => [
      { name: t`Endpoint`, wide: true, render: (row) => <EndpointLink webhook={row} /> },
      { name: t`State`, card: 'unnamed', render: (endpoint) => <State endpoint={endpoint} /> },
      {
        name: t`Last 24 hours`,
        from: 'md',
        card: 'unnamed',
        render: ({ lastDay }) => <DaySparkline buckets={lastDay} />,
      },
      {
        name: t`Attempts`,
        figures: true,
        from: 'lg',
        card: 'none',
        render: ({ lastDay }) => count(sumsOf(lastDay).attempts),
      },
      {
        name: t`Success`,
        figures: true,
        from: 'sm',
        render: ({ lastDay }) => {
          const { attempts, failures } = sumsOf(lastDay);
          return attempts === 0 ? <NoValue /> : percent(1 - failures / attempts);
        },
      },
      {
        name: t`p95 lately`,
        figures: true,
        from: 'lg',
        card: 'none',
        render: ({ lastDay }) => {
          const latest = lastDay?.findLast(({ attempts }) => attempts > 0);
          return latest ? duration(latest.p95Ms) : <NoValue />;
        },
      },
      { name: t`Last success`, from: 'md', render: ({ lastSuccessAt }) => <TimeOrNever value={lastSuccessAt} /> },
      {
        name: t`Held`,
        figures: true,
        from: 'sm',
        render: ({ heldCount }) =>
          heldCount === 0 ? (
            <NoValue>0</NoValue>
          ) : (
            <span className="font-medium text-warn">{countUpTo(heldCount, HELD_SHOWN_MAX)}</span>
          ),
      },
    ],
    [t],
  );
}

/** The state and, where there is room, why or since when. */
function State({ endpoint }: { endpoint: EndpointRowFragment }) {
  return (
    <span className="inline-flex items-center gap-2">
      <WebhookBadge webhook={endpoint} />
      <span className="text-xs text-soft cards:max-md:hidden">
        <Reason endpoint={endpoint} />
      </span>
    </span>
  );
}

function Reason({ endpoint }: { endpoint: EndpointRowFragment }) {
  const { active, disabledReason, disabledAt, closedUntil, consecutiveFailures } = endpoint;
  if (!active) {
    const since = disabledAt ? <Time value={disabledAt} /> : null;
    switch (disabledReason) {
      case 'GONE':
        return <Trans>answered 410, {since}</Trans>;
      case 'PAUSED':
      case 'UNVERIFIED':
        return since;
      default:
        return <Trans>ten failures in a row, {since}</Trans>;
    }
  }
  if (closedUntil && isClosed(endpoint)) {
    return <Trans>until {shortly(closedUntil)}</Trans>;
  }
  return consecutiveFailures > 0 ? (
    <Plural value={consecutiveFailures} one="# failure" other="# failures in a row" />
  ) : null;
}

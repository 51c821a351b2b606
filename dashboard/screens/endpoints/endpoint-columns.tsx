import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import type { EndpointRowFragment } from '../../api/generated/graphql';
import type { Column } from '../../parts/list';
import { Link } from '../../parts/place';
import { Sparkline } from '../../parts/sparkline';
import { isClosed, WebhookBadge } from '../../parts/status';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { count, countUpTo, duration, percent } from '../../text/numbers';
import type { Day } from './endpoint-days';

/** An endpoint with its last 24 hours, once they are read. */
export interface EndpointEntry {
  endpoint: EndpointRowFragment;
  day: Day | undefined;
}

export function useEndpointColumns(): Column<EndpointEntry>[] {
  const { t } = useLingui();
  return useMemo(
    () => [
      {
        name: t`Endpoint`,
        wide: true,
        render: ({ endpoint: { databaseId, url } }) => (
          <Link to={`/endpoints/${databaseId}`} className="font-medium text-ink no-underline hover:underline">
            <Untrusted text={url.replace(/^https:\/\//, '')} />
          </Link>
        ),
      },
      { name: t`State`, render: ({ endpoint }) => <State endpoint={endpoint} /> },
      {
        name: t`Last 24 hours`,
        from: 'md',
        render: ({ day }) =>
          day && (
            <Sparkline
              buckets={day.buckets}
              label={t`${count(day.total.attempts)} attempts, ${count(day.total.failures)} failed`}
            />
          ),
      },
      {
        name: t`Attempts`,
        figures: true,
        from: 'lg',
        render: ({ day }) => day && count(day.total.attempts),
      },
      {
        name: t`Success`,
        figures: true,
        from: 'sm',
        render: ({ day }) => day && percent(day.total.successRate),
      },
      { name: t`p95`, figures: true, from: 'lg', render: ({ day }) => day && duration(day.total.p95Ms) },
      {
        name: t`Last success`,
        from: 'md',
        render: ({ endpoint: { lastSuccessAt } }) =>
          lastSuccessAt ? <Time value={lastSuccessAt} /> : <span className="text-faint">{t`never`}</span>,
      },
      {
        name: t`Held`,
        figures: true,
        from: 'sm',
        render: ({ endpoint: { heldCount } }) =>
          heldCount === 0 ? (
            <span className="text-faint">0</span>
          ) : (
            <span className="font-medium text-warn">{countUpTo(heldCount, 1_000)}</span>
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
      <span className="text-xs text-soft max-md:hidden">
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
        return since;
      default:
        return <Trans>ten failures in a row, {since}</Trans>;
    }
  }
  if (closedUntil && isClosed(endpoint)) {
    return <Time value={closedUntil} />;
  }
  return consecutiveFailures > 0 ? (
    <Plural value={consecutiveFailures} one="# in a row" other="# in a row" />
  ) : null;
}

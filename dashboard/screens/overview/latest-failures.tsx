import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import type { DeliveryRowFragment } from '../../api/generated/graphql';
import { DeliveryLink, EndpointLink } from '../../parts/cells';
import { type Column, List } from '../../parts/list';
import { Card } from '../../parts/page';
import { Link, useGo } from '../../parts/place';
import { type Range, rangeSearch } from '../../parts/range';
import { RANGE_WORDS } from '../../parts/range-words';
import { Time } from '../../parts/time';
import { remedyFor } from '../../text/remedies';

/** The deliveries of the range that have failed for good, the newest first. */
export function LatestFailures({ rows, range }: { rows: readonly DeliveryRowFragment[]; range: Range }) {
  const { t, i18n } = useLingui();
  const go = useGo();
  const columns = useColumns();
  const when = i18n._(RANGE_WORDS[range.name]);
  return (
    <Card
      flush
      title={<Trans>Latest failures</Trans>}
      actions={
        rows.length > 0 && (
          <Link
            to="/deliveries"
            search={{ status: 'FAILED', ...rangeSearch(range) }}
            className="text-sm text-accent no-underline hover:underline"
          >
            <Trans>All failed deliveries</Trans>
          </Link>
        )
      }
    >
      <List
        label={t`Latest failures`}
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        onOpen={({ databaseId }) => go(`/deliveries/${databaseId}`)}
        empty={
          <p className="px-3.5 py-6 text-center text-sm text-soft">
            <Trans>No delivery ran out of retries {when}.</Trans>
          </p>
        }
      />
    </Card>
  );
}

function useColumns(): Column<DeliveryRowFragment>[] {
  const { t, i18n } = useLingui();
  return useMemo(
    () => [
      {
        name: t`Event type`,
        render: (row) => <DeliveryLink delivery={row} />,
      },
      {
        name: t`Endpoint`,
        wide: true,
        from: 'sm',
        render: ({ webhook }) => <EndpointLink webhook={webhook} secondary />,
      },
      {
        name: t`Reason`,
        from: 'lg',
        card: 'line',
        render: ({ lastErrorCode }) => lastErrorCode && i18n._(remedyFor(lastErrorCode).why),
      },
      {
        name: t`Error`,
        card: 'unnamed',
        render: ({ lastErrorCode }) => <code className="font-mono text-xs text-bad">{lastErrorCode}</code>,
      },
      {
        name: t`When`,
        figures: true,
        card: 'corner',
        render: ({ finishedAt, createdAt }) => <Time value={finishedAt ?? createdAt} />,
      },
    ],
    [t, i18n],
  );
}

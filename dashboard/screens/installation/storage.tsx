import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import type { InstallationKeptQuery } from '../../api/generated/graphql';
import { type Column, List, NoValue } from '../../parts/list';
import { Card } from '../../parts/page';
import { Time } from '../../parts/time';
import { bytes, compact, count } from '../../text/numbers';
import { type Stored, storedByTable } from './stored';

/** How much is stored, since when, and what is kept for how long. */
export function Storage({
  kept: { partitions, retention },
}: {
  kept: NonNullable<InstallationKeptQuery['installation']>;
}) {
  const { t } = useLingui();
  const rows = useMemo(() => storedByTable(partitions, Date.now()), [partitions]);
  const columns = useMemo<Column<Stored>[]>(
    () => [
      {
        name: t`Table`,
        wide: true,
        render: ({ table }) => <code className="font-mono text-xs">{table}</code>,
      },
      { name: t`Rows`, figures: true, render: ({ rows }) => (rows === 0 ? <NoValue /> : t`about ${compact(rows)}`) },
      { name: t`Size`, figures: true, render: ({ bytes: size }) => bytes(size) },
      { name: t`Oldest day`, figures: true, from: 'sm', render: ({ since }) => <Time value={since} /> },
      { name: t`Days ahead`, figures: true, render: ({ daysAhead }) => count(daysAhead) },
    ],
    [t],
  );
  return (
    <Card flush title={<Trans>Stored data</Trans>}>
      <List label={t`Stored data`} columns={columns} rows={rows} keyOf={({ table }) => table} />
      <p className="border-t border-line px-3.5 py-2 text-xs text-soft">
        <Trans>
          Deliveries and attempts are kept for {retention.deliveryDays} days, events for {retention.eventDays}.
          Deliveries of inactive endpoints are held for {retention.holdHours} hours.
        </Trans>
      </p>
    </Card>
  );
}

import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import type { InstallationNowQuery } from '../../api/generated/graphql';
import { type Column, List } from '../../parts/list';
import { Card } from '../../parts/page';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { count } from '../../text/numbers';

type Job = NonNullable<InstallationNowQuery['installation']>['jobsPutAside'][number];

/** Jobs that are out of the way of the others, because they did not come to their end. */
export function JobsAside({ jobs }: { jobs: readonly Job[] }) {
  const { t } = useLingui();
  const columns = useMemo<Column<Job>[]>(
    () => [
      { name: t`Job`, render: ({ task }) => <code className="font-mono text-xs">{task}</code> },
      {
        name: t`Last error`,
        wide: true,
        render: ({ lastError }) =>
          lastError == null ? (
            <span className="text-soft">{t`its process died`}</span>
          ) : (
            <span title={lastError}>
              <Untrusted text={lastError} />
            </span>
          ),
      },
      {
        name: t`Delivery`,
        from: 'sm',
        render: ({ deliveryId }) => <code className="font-mono text-xs">{deliveryId ?? '–'}</code>,
      },
      { name: t`Attempts`, figures: true, render: ({ tries }) => count(tries) },
      {
        name: t`Again`,
        figures: true,
        render: ({ triedAgainAt }) => (triedAgainAt == null ? t`never` : <Time value={triedAgainAt} />),
      },
    ],
    [t],
  );
  return (
    <Card flush title={<Trans>Jobs put aside</Trans>}>
      <List label={t`Jobs put aside`} columns={columns} rows={jobs} keyOf={({ jobKey }) => jobKey} />
    </Card>
  );
}

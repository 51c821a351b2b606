import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import type { InstallationNowQuery } from '../../api/generated/graphql';
import { type Column, List } from '../../parts/list';
import { Card, Empty } from '../../parts/page';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { count } from '../../text/numbers';

type Daemon = NonNullable<InstallationNowQuery['installation']>['daemons'][number];

/** The processes that deliver: how busy each one is, and whether it lives. */
export default function Daemons({ daemons }: { daemons: readonly Daemon[] }) {
  const { t } = useLingui();
  const columns = useMemo<Column<Daemon>[]>(
    () => [
      {
        name: t`Machine`,
        wide: true,
        render: ({ host, pid }) => (
          <>
            <Untrusted text={host} /> <span className="figures text-faint">{pid}</span>
          </>
        ),
      },
      { name: t`Version`, from: 'sm', render: ({ version }) => <Untrusted text={version} /> },
      {
        name: t`In flight`,
        figures: true,
        render: ({ inFlight, slots }) => (
          <>
            {count(inFlight)} <span className="text-faint">/ {count(slots)}</span>
          </>
        ),
      },
      { name: t`Started`, figures: true, from: 'sm', render: ({ startedAt }) => <Time value={startedAt} /> },
      { name: t`Last seen`, figures: true, render: ({ lastSeenAt }) => <Time value={lastSeenAt} /> },
    ],
    [t],
  );
  return (
    <Card flush title={<Trans>Daemons</Trans>}>
      <List
        label={t`Daemons`}
        columns={columns}
        rows={daemons}
        keyOf={({ workerId }) => workerId}
        empty={
          <Empty title={<Trans>No daemon is running</Trans>}>
            <Trans>Nothing is delivered until one runs.</Trans>
          </Empty>
        }
      />
    </Card>
  );
}

import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { OverviewQuery } from '../../api/generated/graphql';
import { Card } from '../../parts/page';
import { Pauses } from '../../parts/pauses';
import { Link } from '../../parts/place';
import { Time } from '../../parts/time';
import { countUpTo } from '../../text/numbers';

/** The deliveries still to be sent, and their age. Each line leads to the list that counts the same. */
export function BacklogCard({
  backlog,
  closed,
  retrying,
}: {
  backlog: NonNullable<OverviewQuery['backlog']>;
  closed: OverviewQuery['closedBacklog'];
  /** Null where counting takes too long; undefined for who cannot read deliveries. */
  retrying: number | null | undefined;
}) {
  const { due, scheduled, held, waiting, oldestDueAt, countMax } = backlog;
  return (
    <Card title={<Trans>Still to be sent</Trans>}>
      <dl className="grid gap-x-8 gap-y-2.5 text-sm sm:grid-cols-2 lg:auto-cols-fr lg:grid-flow-col lg:grid-cols-none">
        <Line name={<Trans>Pending</Trans>} status="PENDING" value={countUpTo(due + scheduled, countMax)}>
          <Due dueNow={countUpTo(due, countMax)} oldestDueAt={oldestDueAt} closed={closed} />
          {closed && closed.due > 0 && (
            <span className="block">
              <Pauses closed={closed} countMax={countMax} />
            </span>
          )}
        </Line>
        {retrying !== undefined && (
          <Line
            name={<Trans>Retrying</Trans>}
            status="RETRYING"
            value={retrying === null ? '–' : countUpTo(retrying, countMax)}
          >
            <Trans>pending after a failed attempt</Trans>
          </Line>
        )}
        {waiting > 0 && (
          <Line name={<Trans>Waiting</Trans>} status="WAITING" value={countUpTo(waiting, countMax)}>
            <Trans>for earlier deliveries of their keys</Trans>
          </Line>
        )}
        <Line name={<Trans>Held</Trans>} status="HELD" value={countUpTo(held, countMax)}>
          <Trans>for endpoints that are paused, disabled or not verified</Trans>
        </Line>
      </dl>
    </Card>
  );
}

/** The age says nothing about deliveries that wait for a pause. */
function Due({
  dueNow,
  oldestDueAt,
  closed,
}: {
  dueNow: string;
  oldestDueAt: string | null | undefined;
  closed: OverviewQuery['closedBacklog'];
}) {
  if (!oldestDueAt) {
    return <Trans>none is due now</Trans>;
  }
  if (!closed || closed.due === 0) {
    return (
      <Trans>
        {dueNow} due now; the oldest was due <Time value={oldestDueAt} />
      </Trans>
    );
  }
  return closed.oldestOtherDueAt ? (
    <Trans>
      {dueNow} due now; the oldest that waits for no pause was due <Time value={closed.oldestOtherDueAt} />
    </Trans>
  ) : (
    <Trans>{dueNow} due now</Trans>
  );
}

function Line({
  name,
  status,
  value,
  children,
}: {
  name: ReactNode;
  status: string;
  value: string;
  children: ReactNode;
}) {
  return (
    <div className="flex items-baseline justify-between gap-3">
      <dt className="min-w-0">
        <Link to="/deliveries" search={{ status }} className="font-medium text-ink no-underline hover:underline">
          {name}
        </Link>
        <span className="block text-xs text-soft">{children}</span>
      </dt>
      <dd className="figures text-lg font-semibold">{value}</dd>
    </div>
  );
}

import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo, useRef, useState } from 'react';
import type { DeliveryRowFragment } from '../../../api/generated/graphql';
import { buttonLook } from '../../../parts/button';
import { AnswerCode, DeliveryLink } from '../../../parts/cells';
import { type Column, List, NoValue } from '../../../parts/list';
import { useLooking } from '../../../parts/looking';
import { Card, Empty } from '../../../parts/page';
import { Link, useGo } from '../../../parts/place';
import { DeliveryBadge } from '../../../parts/status';
import { Time } from '../../../parts/time';
import { useAllowed } from '../../../parts/viewer';
import type { ShownEndpoint } from '../use-endpoint';

/** The latest deliveries of an endpoint. They stand still while the pointer is among them. */
export function LatestDeliveries({ endpoint }: { endpoint: ShownEndpoint }) {
  const { t } = useLingui();
  const go = useGo();
  const mayRead = useAllowed('deliveries:read');
  const [still, setStill] = useState(false);
  const [pointer] = useLooking(setStill);
  const latest = endpoint.latest?.edges.map(({ node }) => node) ?? [];
  const shown = useRef(latest);
  if (!still) {
    shown.current = latest;
  }
  const waiting = latest.findIndex(({ id }) => id === shown.current[0]?.id);
  const columns = useLatestColumns();
  if (!mayRead) {
    return null;
  }
  return (
    <Card
      title={
        <>
          <Trans>Latest deliveries</Trans>{' '}
          {still && waiting > 0 && (
            <span className="figures ms-1 text-xs font-normal text-accent">
              <Trans>{waiting} new</Trans>
            </span>
          )}
        </>
      }
      flush
      actions={
        <Link to="/deliveries" search={{ endpoint: String(endpoint.databaseId) }} className={buttonLook('quiet')}>
          <Trans>Show all</Trans>
        </Link>
      }
    >
      {latest.length === 0 ? (
        <Empty title={<Trans>No deliveries</Trans>}>
          <Trans>Its events and tests appear here as they are sent.</Trans>
        </Empty>
      ) : (
        <div {...pointer}>
          <List
            label={t`Latest deliveries`}
            columns={columns}
            rows={shown.current}
            keyOf={({ id }) => id}
            onOpen={({ databaseId }) => go(`/deliveries/${databaseId}`)}
          />
        </div>
      )}
    </Card>
  );
}

function useLatestColumns(): Column<DeliveryRowFragment>[] {
  const { t } = useLingui();
  return useMemo(
    () => [
      {
        name: t`State`,
        card: 'unnamed',
        render: ({ status, attemptCount }) => <DeliveryBadge status={status} attemptCount={attemptCount} />,
      },
      {
        name: t`Event type`,
        wide: true,
        card: 'title',
        render: (row) => <DeliveryLink delivery={row} />,
      },
      {
        name: t`Answer`,
        from: 'sm',
        card: 'unnamed',
        render: (row) => <AnswerCode delivery={row} />,
      },
      {
        name: t`Next attempt`,
        from: 'md',
        render: ({ nextAttemptAt }) => (nextAttemptAt ? <Time value={nextAttemptAt} next /> : <NoValue />),
      },
      { name: t`Created`, figures: true, card: 'corner', render: ({ createdAt }) => <Time value={createdAt} /> },
    ],
    [t],
  );
}

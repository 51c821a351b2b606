import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import { useQuery } from 'urql';
import type { ScheduledEventStatus, ScheduledRowFragment } from '../../api/generated/graphql';
import { AddressSelect } from '../../parts/address-select';
import { Button } from '../../parts/button';
import { FilterRow } from '../../parts/field';
import { type Column, List, More, NoValue, usePage } from '../../parts/list';
import { Card, Empty, Failure, PageHead } from '../../parts/page';
import { useAddress } from '../../parts/place';
import { useRefresh } from '../../parts/refresh';
import { TableSkeleton } from '../../parts/skeleton';
import { StateBadge } from '../../parts/status';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { EventTypeSelect } from '../events/event-type-select';
import { SCHEDULED_EVENTS } from './documents';
import { HowToSchedule } from './how-to-schedule';
import { ScheduledDialog } from './scheduled-dialog';
import { SCHEDULED_STATES } from './states';

const REFRESH_MS = 10_000;
const STATES = Object.keys(SCHEDULED_STATES) as ScheduledEventStatus[];

/** The scheduled events of a tenant, the newest first. */
export default function Scheduled() {
  const { t } = useLingui();
  const [address, setAddress] = useAddress();
  const filter = filterIn(address);
  const [after, setAfter] = usePage(filter);
  const [{ data, error, fetching }, again] = useQuery({ query: SCHEDULED_EVENTS, variables: { filter, after } });
  useRefresh(again, after === null ? REFRESH_MS : undefined);
  const columns = useColumns();
  const rows = data?.scheduledEvents?.edges.map(({ node }) => node) ?? [];
  const filtered = Object.keys(filter).length > 0;
  return (
    <>
      <PageHead title={t`Scheduled`} />
      <Filters />
      {error && <Failure error={error} retry={again} />}
      {data === undefined && error === undefined && <TableSkeleton />}
      {data?.scheduledEvents && (
        <Card flush>
          <List
            label={t`Scheduled`}
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            onOpen={({ databaseId }) => setAddress({ open: String(databaseId) })}
            empty={
              <Empty
                title={filtered ? <Trans>No matching events</Trans> : <Trans>No scheduled events</Trans>}
                action={
                  filtered ? (
                    <Button onClick={() => setAddress({ status: undefined, type: undefined })}>
                      <Trans>Show all events</Trans>
                    </Button>
                  ) : (
                    <HowToSchedule />
                  )
                }
              >
                <Trans>Events that are emitted later appear here until 30 days after their time.</Trans>
              </Empty>
            }
            more={<More shown={rows.length} page={data.scheduledEvents.pageInfo} busy={fetching} onMore={setAfter} />}
          />
        </Card>
      )}
      <ScheduledDialog number={address['open']} onClose={() => setAddress({ open: undefined })} />
    </>
  );
}

function filterIn(address: Readonly<Record<string, string | undefined>>) {
  const status = STATES.find((one) => one === address['status']);
  const eventType = address['type'];
  return { ...(status === undefined ? {} : { status }), ...(eventType === undefined ? {} : { eventType }) };
}

function Filters() {
  const { t, i18n } = useLingui();
  return (
    <FilterRow>
      <AddressSelect
        name="status"
        label={t`State`}
        any={t`Any state`}
        options={STATES.map((value) => ({ value, name: i18n._(SCHEDULED_STATES[value].name) }))}
      />
      <EventTypeSelect />
    </FilterRow>
  );
}

function useColumns(): Column<ScheduledRowFragment>[] {
  const { t } = useLingui();
  const [, setAddress] = useAddress();
  return useMemo(
    () => [
      {
        name: t`Event type`,
        wide: true,
        card: 'title',
        render: ({ databaseId, eventType }) => (
          <button
            type="button"
            onClick={() => setAddress({ open: String(databaseId) })}
            className="max-w-full truncate rounded-xs font-medium hover:underline"
          >
            <Untrusted text={eventType} />
          </button>
        ),
      },
      { name: t`State`, card: 'unnamed', render: ({ status }) => <StateBadge state={SCHEDULED_STATES[status]} /> },
      {
        name: t`Idempotency key`,
        from: 'lg',
        render: ({ idempotencyKey }) =>
          idempotencyKey == null ? (
            <NoValue />
          ) : (
            <span className="block max-w-60 truncate font-mono text-xs">
              <Untrusted text={idempotencyKey} />
            </span>
          ),
      },
      {
        name: t`Scheduled at`,
        figures: true,
        from: 'md',
        card: 'none',
        render: ({ createdAt }) => <Time value={createdAt} />,
      },
      { name: t`Due`, figures: true, card: 'corner', render: ({ deliverAt }) => <Time value={deliverAt} /> },
    ],
    [t, setAddress],
  );
}

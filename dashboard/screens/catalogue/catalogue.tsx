import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import { useQuery } from 'urql';
import type { EventTypeRowFragment } from '../../api/generated/graphql';
import { Button } from '../../parts/button';
import { type Column, List } from '../../parts/list';
import { Card, Empty, Failure, PageHead } from '../../parts/page';
import { Link, useAddress, useGo } from '../../parts/place';
import { SearchBox } from '../../parts/search-box';
import { TableSkeleton } from '../../parts/skeleton';
import { Untrusted } from '../../parts/untrusted';
import { offeredTypes } from '../endpoints/form/event-type-tree';
import { EVENT_TYPES } from '../event-types/documents';
import { EventTypeBadge } from '../event-types/event-type-badge';
import { TypeDescription } from '../event-types/type-description';
import { SUBSCRIPTIONS } from './documents';
import { HowToRegister } from './how-to-register';

/** The event types that endpoints can subscribe to, by name. */
export default function Catalogue() {
  const { t } = useLingui();
  const go = useGo();
  const [{ text = '' }, setAddress] = useAddress();
  const [{ data, error }, read] = useQuery({ query: EVENT_TYPES });
  const types = data?.eventTypes ?? [];
  const [subscriptions] = useQuery({
    query: SUBSCRIPTIONS,
    pause: types.every(({ deprecatedAt }) => deprecatedAt == null),
  });
  const subscribed = subscriptions.data?.webhooks?.edges.flatMap(({ node }) => node.eventTypes) ?? [];
  // A search finds deprecated types too.
  const found = text === '' ? offeredTypes(types, subscribed) : types.filter((type) => fits(type, text));
  const columns = useColumns();
  return (
    <>
      <PageHead title={t`Event catalogue`} actions={<SearchBox name="text" label={t`Find an event type`} />} />
      {error && <Failure error={error} retry={read} />}
      {data === undefined && error === undefined && <TableSkeleton />}
      {data?.eventTypes && (
        <Card flush>
          {found.length === 0 ? (
            <Empty
              title={<Trans>No matching event types</Trans>}
              action={
                text !== '' && (
                  <Button onClick={() => setAddress({ text: undefined })}>
                    <Trans>Show all event types</Trans>
                  </Button>
                )
              }
            >
              <HowToRegister />
            </Empty>
          ) : (
            <List
              label={t`Event types`}
              columns={columns}
              rows={found}
              keyOf={({ id }) => id}
              onOpen={({ name }) => go(`/catalogue/${name}`)}
            />
          )}
        </Card>
      )}
    </>
  );
}

/** Whether each word of a search is in the name or the description. */
function fits({ name, description }: EventTypeRowFragment, search: string): boolean {
  const text = `${name} ${description}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function useColumns(): Column<EventTypeRowFragment>[] {
  const { t } = useLingui();
  return useMemo(
    () => [
      {
        name: t`Event type`,
        render: ({ name }) => (
          <Link
            to={`/catalogue/${name}`}
            className="block w-56 truncate font-medium text-ink no-underline hover:underline max-sm:w-44 max-cards:w-auto"
            title={name}
          >
            <Untrusted text={name} />
          </Link>
        ),
      },
      {
        name: t`When it happens`,
        wide: true,
        from: 'sm',
        render: ({ name, description }) => (
          <span className="text-soft" title={description}>
            <TypeDescription name={name} description={description} />
          </span>
        ),
      },
      { name: t`Version`, figures: true, from: 'md', render: ({ version }) => version },
      { name: t`State`, card: 'unnamed', render: (type) => <EventTypeBadge {...type} /> },
    ],
    [t],
  );
}

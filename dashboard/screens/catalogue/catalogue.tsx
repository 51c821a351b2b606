import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import { useQuery } from 'urql';
import type { EventTypeRowFragment } from '../../api/generated/graphql';
import { Button } from '../../parts/button';
import { type Column, List } from '../../parts/list';
import { Card, Empty, Failure, PageHead } from '../../parts/page';
import { Link, useAddress, useGo } from '../../parts/place';
import { SearchBox } from '../../parts/search-box';
import { Untrusted } from '../../parts/untrusted';
import { EVENT_TYPES } from '../event-types/documents';
import { EventTypeBadge } from '../event-types/event-type-badge';

/** The event types that endpoints can subscribe to, in groups by the first part of their names. */
export default function Catalogue() {
  const { t } = useLingui();
  const [{ text = '' }, setAddress] = useAddress();
  const [{ data, error }, read] = useQuery({ query: EVENT_TYPES });
  const found = (data?.eventTypes ?? []).filter((type) => fits(type, text));
  const groups = Map.groupBy(found, ({ name }) => name.split('.', 1)[0] ?? name);
  return (
    <>
      <PageHead
        title={t`Event catalogue`}
        actions={<SearchBox name="text" label={t`Find an event type`} />}
      />
      {error && <Failure error={error} retry={read} />}
      {data?.eventTypes && found.length === 0 && (
        <Card flush>
          <Empty
            title={<Trans>There is no such event type.</Trans>}
            action={
              text !== '' && (
                <Button onClick={() => setAddress({ text: undefined })}>
                  <Trans>Show all event types</Trans>
                </Button>
              )
            }
          >
            <Trans>Event types are registered by the operator of this service.</Trans>
          </Empty>
        </Card>
      )}
      <div className="flex flex-col gap-4">
        {[...groups].map(([group, types]) => (
          <Group key={group} name={group} types={types} />
        ))}
      </div>
    </>
  );
}

/** Whether each word of a search stands in the name or the description. */
function fits({ name, description }: EventTypeRowFragment, search: string): boolean {
  const text = `${name} ${description}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function Group({ name, types }: { name: string; types: readonly EventTypeRowFragment[] }) {
  const { t } = useLingui();
  const go = useGo();
  const columns = useColumns();
  return (
    <Card flush title={<code className="font-mono">{name}</code>}>
      <List
        label={t`Event types of ${name}`}
        columns={columns}
        rows={types}
        keyOf={({ id }) => id}
        onOpen={(type) => go(`/catalogue/${type.name}`)}
      />
    </Card>
  );
}

function useColumns(): Column<EventTypeRowFragment>[] {
  const { t } = useLingui();
  return useMemo(
    () => [
      {
        name: t`Name`,
        render: ({ name }) => (
          <Link
            to={`/catalogue/${name}`}
            className="block w-56 truncate font-medium text-ink no-underline hover:underline max-sm:w-44"
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
        render: ({ description }) => (
          <span className="text-soft" title={description}>
            <Untrusted text={description} />
          </span>
        ),
      },
      { name: t`Version`, figures: true, from: 'md', render: ({ version }) => version },
      { name: t`State`, render: (type) => <EventTypeBadge {...type} /> },
    ],
    [t],
  );
}

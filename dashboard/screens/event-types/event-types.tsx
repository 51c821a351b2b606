import { Trans, useLingui } from '@lingui/react/macro';
import { Plus } from 'lucide-react';
import { useMemo } from 'react';
import { useQuery } from 'urql';
import type { EventTypeRowFragment } from '../../api/generated/graphql';
import { AddressSelect } from '../../parts/address-select';
import { buttonLook } from '../../parts/button';
import { SubjectLink } from '../../parts/cells';
import { type Column, List } from '../../parts/list';
import { Card, Empty, Failure, PageHead } from '../../parts/page';
import { Link, useAddress, useGo } from '../../parts/place';
import { SearchBox } from '../../parts/search-box';
import { TableSkeleton } from '../../parts/skeleton';
import { Untrusted } from '../../parts/untrusted';
import { useAllowed } from '../../parts/viewer';
import { count } from '../../text/numbers';
import { EVENT_TYPES } from './documents';
import { EventTypeBadge } from './event-type-badge';
import { NewRelease } from './new-release';

/** The event types of the installation, which all tenants share. */
export default function EventTypes() {
  const { t } = useLingui();
  const go = useGo();
  const [address] = useAddress();
  const [{ data, error }, again] = useQuery({ query: EVENT_TYPES });
  const mayRegister = useAllowed('platform:admin');
  const columns = useColumns();
  const rows = (data?.eventTypes ?? []).filter((type) => fits(type, address['text'] ?? '', address['state']));
  return (
    <>
      <PageHead
        title={t`Event types`}
        actions={
          <>
            <SearchBox name="text" label={t`Name or description`} />
            <AddressSelect
              name="state"
              label={t`State`}
              any={t`Any state`}
              options={[
                { value: 'current', name: t`Current` },
                { value: 'deprecated', name: t`Deprecated` },
                { value: 'hidden', name: t`Hidden` },
                { value: 'reserved', name: t`Built in` },
              ]}
            />
            {mayRegister && <NewRelease />}
            {mayRegister && (
              <Link to="/event-types/new" className={buttonLook('primary')}>
                <Plus aria-hidden />
                <Trans>Register a type</Trans>
              </Link>
            )}
          </>
        }
      />
      <div className="flex flex-col gap-4">
        {error && <Failure error={error} retry={again} />}
        {data === undefined && error === undefined && <TableSkeleton />}
        {data?.eventTypes && (
          <Card flush>
            <List
              label={t`Event types`}
              columns={columns}
              rows={rows}
              keyOf={({ id }) => id}
              onOpen={({ name }) => go(`/event-types/${name}`)}
              empty={
                <Empty title={<Trans>No matching event types</Trans>}>
                  <Trans>Use a shorter search text or choose another state.</Trans>
                </Empty>
              }
            />
          </Card>
        )}
      </div>
    </>
  );
}

function fits(type: EventTypeRowFragment, text: string, state: string | undefined): boolean {
  const { name, description, reserved, deprecatedAt, hiddenAt } = type;
  const states = {
    current: !reserved && deprecatedAt == null && hiddenAt == null,
    deprecated: deprecatedAt != null,
    hidden: hiddenAt != null,
    reserved,
  };
  return (
    `${name} ${description}`.toLowerCase().includes(text.toLowerCase()) &&
    (state === undefined || states[state as keyof typeof states] !== false)
  );
}

function useColumns(): Column<EventTypeRowFragment>[] {
  const { t } = useLingui();
  return useMemo(
    () => [
      {
        name: t`Event type`,
        render: ({ name }) => (
          <SubjectLink to={`/event-types/${name}`}>
            <Untrusted text={name} />
          </SubjectLink>
        ),
      },
      {
        name: t`When it happens`,
        wide: true,
        from: 'md',
        render: ({ description }) => (
          <span className="text-soft">
            <Untrusted text={description} />
          </span>
        ),
      },
      { name: t`Version`, figures: true, from: 'sm', render: ({ version }) => count(version) },
      { name: t`State`, card: 'unnamed', render: (type) => <EventTypeBadge {...type} /> },
    ],
    [t],
  );
}

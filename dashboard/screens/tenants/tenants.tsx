import { Trans, useLingui } from '@lingui/react/macro';
import { Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useQuery } from 'urql';
import type { TenantsQuery } from '../../api/generated/graphql';
import { Button } from '../../parts/button';
import { type Column, List, More } from '../../parts/list';
import { Card, Empty, Failure, PageHead } from '../../parts/page';
import { Link, useAddress, useGo } from '../../parts/place';
import { SearchBox } from '../../parts/search-box';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { CreateTenant } from './create-tenant';
import { TENANTS } from './documents';

type Row = NonNullable<TenantsQuery['tenants']>['edges'][number]['node'];

/** All tenants of the installation, the newest first; each leads into its area. */
export default function Tenants() {
  const { t } = useLingui();
  const go = useGo();
  const [address] = useAddress();
  const [after, setAfter] = useState<{ name: string | undefined; cursor: string }>();
  const [adding, setAdding] = useState(false);
  const name = address['name'];
  const [{ data, error, fetching }, again] = useQuery({
    query: TENANTS,
    variables: {
      filter: name === undefined ? null : { name },
      // A cursor belongs to the search that it came with.
      after: after !== undefined && after.name === name ? after.cursor : null,
    },
  });
  const columns = useColumns();
  const rows = data?.tenants?.edges.map(({ node }) => node) ?? [];
  const endCursor = data?.tenants?.pageInfo.endCursor;
  const add = (
    <Button look="primary" icon={<Plus />} onClick={() => setAdding(true)}>
      <Trans>Add a tenant</Trans>
    </Button>
  );
  return (
    <>
      <PageHead
        title={t`Tenants`}
        actions={
          <>
            <SearchBox name="name" label={t`Name of a tenant`} />
            {add}
          </>
        }
      />
      <div className="flex flex-col gap-4">
        {error && <Failure error={error} retry={again} />}
        {data?.tenants && (
          <Card flush>
            {rows.length === 0 ? (
              <Empty
                title={
                  name === undefined ? (
                    <Trans>There is no tenant yet.</Trans>
                  ) : (
                    <Trans>
                      No tenant is called “
                      <Untrusted text={name} />
                      ”.
                    </Trans>
                  )
                }
                action={name === undefined && add}
              >
                {name === undefined && (
                  <Trans>A tenant is a customer of yours, with endpoints, events and keys of its own.</Trans>
                )}
              </Empty>
            ) : (
              <>
                <List
                  label={t`Tenants`}
                  columns={columns}
                  rows={rows}
                  keyOf={({ id }) => id}
                  onOpen={({ databaseId }) => go(`/tenants/${databaseId}`)}
                />
                <More
                  shown={rows.length}
                  more={data.tenants.pageInfo.hasNextPage}
                  busy={fetching}
                  onMore={() => endCursor && setAfter({ name, cursor: endCursor })}
                />
              </>
            )}
          </Card>
        )}
      </div>
      {adding && <CreateTenant open onClose={() => setAdding(false)} />}
    </>
  );
}

function useColumns(): Column<Row>[] {
  const { t } = useLingui();
  return useMemo(
    () => [
      {
        name: t`Tenant`,
        wide: true,
        render: ({ databaseId, name }) => (
          <Link to={`/tenants/${databaseId}`} className="font-medium text-ink no-underline hover:underline">
            <Untrusted text={name} />
          </Link>
        ),
      },
      {
        name: t`Id`,
        from: 'sm',
        render: ({ id }) => <code className="font-mono text-xs text-soft">{id}</code>,
      },
      { name: t`Made`, figures: true, render: ({ createdAt }) => <Time value={createdAt} /> },
    ],
    [t],
  );
}

import { Trans, useLingui } from '@lingui/react/macro';
import { Plus } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useQuery, useSubscription } from 'urql';
import { buttonLook } from '../../../parts/button';
import { List, More } from '../../../parts/list';
import { Card, Empty, Failure, PageHead } from '../../../parts/page';
import { Link, useAddress, useGo } from '../../../parts/place';
import { useRefresh, useThrottled } from '../../../parts/refresh';
import { TableSkeleton } from '../../../parts/skeleton';
import { useAllowed } from '../../../parts/viewer';
import { ENDPOINT_UPDATES, ENDPOINTS } from '../first-documents';
import { useEndpointColumns } from './endpoint-columns';
import { EndpointFilters, isFiltered, useWanted } from './endpoint-filters';
import { arrange } from './endpoint-list';

/** So many are read by themselves, so that those which need somebody are first; more on request. */
const READ_MAX = 500;
const READ_EVERY_MS = 15_000;

/** The endpoints of a tenant, those first that need somebody. */
export default function Endpoints() {
  const { t } = useLingui();
  const go = useGo();
  const [, setAddress] = useAddress();
  const mayCreate = useAllowed('webhooks:edit');
  const wanted = useWanted();
  const [after, setAfter] = useState<string>();
  const [{ data, error, fetching, stale }, again] = useQuery({
    query: ENDPOINTS,
    variables: { after: after ?? null },
  });
  const readAgain = useThrottled(again, 2_000);
  // Held deliveries are counted in another table, whose changes send no update.
  useRefresh(readAgain, READ_EVERY_MS);
  const endpoints = useMemo(() => data?.webhooks?.edges.map(({ node }) => node) ?? [], [data]);
  useSubscription({ query: ENDPOINT_UPDATES, variables: {} }, (_, update) => {
    const { webhook } = update.webhookUpdated;
    if (webhook && !endpoints.some(({ id }) => id === webhook.id)) {
      readAgain();
    }
    return update;
  });
  const page = data?.webhooks?.pageInfo;
  useEffect(() => {
    if (page?.hasNextPage && page.endCursor && endpoints.length < READ_MAX) {
      setAfter(page.endCursor);
    }
  }, [page, endpoints.length]);
  const rows = useMemo(() => arrange(endpoints, wanted, Date.now()), [endpoints, wanted]);
  const columns = useEndpointColumns();
  const add = mayCreate && (
    <Link to="/endpoints/new" className={buttonLook('primary')}>
      <Plus aria-hidden />
      <Trans>Add an endpoint</Trans>
    </Link>
  );
  return (
    <>
      <PageHead title={t`Endpoints`} actions={add} />
      {error && <Failure error={error} retry={again} />}
      {data === undefined && error === undefined && <TableSkeleton />}
      {endpoints.length > 0 && <EndpointFilters endpoints={endpoints} />}
      {data?.webhooks && (
        <Card flush>
          {rows.length > 0 ? (
            <>
              <List
                label={t`Endpoints`}
                columns={columns}
                rows={rows}
                keyOf={({ id }) => id}
                onOpen={({ databaseId }) => go(`/endpoints/${databaseId}`)}
              />
              <More shown={rows.length} page={data.webhooks.pageInfo} busy={fetching || stale} onMore={setAfter} />
            </>
          ) : isFiltered(wanted) ? (
            <Empty
              title={<Trans>No matching endpoints</Trans>}
              action={
                <button
                  type="button"
                  className={buttonLook()}
                  onClick={() => setAddress({ state: undefined, type: undefined, q: undefined })}
                >
                  <Trans>Show all endpoints</Trans>
                </button>
              }
            />
          ) : (
            <Empty title={<Trans>No endpoints</Trans>} action={add}>
              <Trans>An endpoint is your URL that receives events as they happen.</Trans>
            </Empty>
          )}
        </Card>
      )}
    </>
  );
}

import { Trans, useLingui } from '@lingui/react/macro';
import { lazy, Suspense } from 'react';
import { useQuery, useSubscription } from 'urql';
import type { OverviewQuery } from '../../api/generated/graphql';
import { laterScript } from '../../api/scripts';
import { AttemptFigures } from '../../parts/attempt-figures';
import { isFine, sortOut } from '../../parts/attention';
import { buttonLook } from '../../parts/button';
import { OverTime } from '../../parts/over-time/over-time';
import { Failure, PageHead } from '../../parts/page';
import { Link } from '../../parts/place';
import { type Range, RangePicker, rangeSearch, useRange } from '../../parts/range';
import { useReadAgain } from '../../parts/refresh';
import { Skeleton } from '../../parts/skeleton';
import { useClock } from '../../parts/time';
import { useAllowed } from '../../parts/viewer';
import { ENDPOINT_UPDATES } from '../endpoints/first-documents';
import { AttentionList } from './attention-list';
import { BacklogCard } from './backlog-card';
import { OVERVIEW } from './documents';
import { FirstSteps } from './first-steps';
import { LatestFailures } from './latest-failures';
import { useStopped } from './use-stopped';
import { RestingAnswer, VerdictAnswer } from './verdict-answer';

const LOADING = <Skeleton heights={['h-11.5', 'h-21', 'h-68']} />;
/** Few tenants are limited. The screen waits for its words, so that nothing moves when they come. */
const LimitNotice = lazy(laterScript(() => import('./limit-notice')));
/** Few have blocked keys. */
const StoppedAnswer = lazy(laterScript(() => import('./stopped-answer')));

/** How a tenant's webhooks are doing: the answer in a sentence, then the figures it is made from. */
export default function Overview() {
  const { t } = useLingui();
  const range = useRange();
  const seesDeliveries = useAllowed('deliveries:read');
  const [{ data, error }, readAgain] = useQuery({
    query: OVERVIEW,
    variables: { since: range.since, until: range.until ?? null, deliveries: seesDeliveries },
  });
  useSubscription({ query: ENDPOINT_UPDATES });
  useReadAgain(readAgain, seesDeliveries && range.until === undefined);
  const moment = useClock((now) => Math.ceil(now / 5_000) * 5_000);
  const tenant = data?.viewer.tenant;
  const endpoints = data?.webhooks?.edges.map(({ node }) => node) ?? [];
  const inactive = data?.inactive?.edges.map(({ node }) => node) ?? [];
  const known = [...endpoints, ...inactive];
  const { pressing, resting } = sortOut(known, moment);
  const stopped = useStopped(endpoints);
  const started = data?.any === undefined || (data.any?.edges.length ?? 0) > 0;
  const isFirstRun = data?.webhooks != null && (endpoints.length === 0 || !started);
  return (
    <>
      <PageHead title={t`Overview`} actions={!isFirstRun && <OverviewActions />} />
      <div className="flex flex-col gap-4">
        <Suspense fallback={LOADING}>
          {tenant?.limitedSince && <LimitNotice limits={tenant.limits} since={tenant.limitedSince} />}
          {error && <Failure error={error} retry={readAgain} />}
          {data === undefined && error === undefined && LOADING}
          {isFirstRun && <FirstSteps endpoint={endpoints[0]} onSent={readAgain} />}
          {data?.webhooks && !isFirstRun && (
            <>
              {error === undefined && (
                <VerdictAnswer
                  pressing={pressing}
                  allFine={stopped.length === 0 && known.every((endpoint) => isFine(endpoint, moment))}
                  endpoints={endpoints.length}
                  more={data.webhooks.pageInfo.hasNextPage}
                  total={data.stats?.total}
                  oldestDueAt={data.closedBacklog?.oldestOtherDueAt}
                  range={range}
                />
              )}
              {stopped.length > 0 && <StoppedAnswer endpoints={stopped} />}
              {pressing.length > 0 && <AttentionList pressing={pressing} />}
              <RestingAnswer resting={resting} />
              <Figures data={data} range={range} />
            </>
          )}
        </Suspense>
      </div>
    </>
  );
}

function OverviewActions() {
  const mayCreate = useAllowed('webhooks:edit');
  return (
    <>
      {mayCreate && (
        <Link to="/endpoints/new" className={buttonLook()}>
          <Trans>Add an endpoint</Trans>
        </Link>
      )}
      <RangePicker />
    </>
  );
}

function Figures({ data, range }: { data: OverviewQuery; range: Range }) {
  return (
    <>
      {data.stats && (
        <AttemptFigures
          stats={data.stats}
          backlog={data.backlog}
          range={range}
          counts={data.inRange}
          list={(status) => ({ status, ...rangeSearch(range) })}
        />
      )}
      {data.stats && <OverTime wanted buckets={data.stats.buckets} range={range} />}
      {data.backlog && <BacklogCard backlog={data.backlog} closed={data.closedBacklog} retrying={data.now?.retrying} />}
      {data.failed && <LatestFailures rows={data.failed.edges.map(({ node }) => node)} range={range} />}
    </>
  );
}

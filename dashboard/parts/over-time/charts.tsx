import { useQuery } from 'urql';
import { Charts } from '../charts';
import { Failure } from '../page';
import type { Range } from '../range';
import { useRefresh } from '../refresh';
import { Skeleton } from '../skeleton';
import { type AttemptBucket, AttemptCharts } from './attempt-charts';
import { INSTALLATION_OVER_TIME, OVER_TIME } from './documents';
import { FailureChart } from './failure-chart';
import { QueueChart } from './queue-chart';

export interface OverTimeProps {
  /** Attempts over time; empty while they are being read. */
  buckets: readonly AttemptBucket[];
  range: Range;
  endpoint: { id: string; databaseId: number } | undefined;
  installation: boolean;
}

/** The queue is counted once a minute. */
const READ_EVERY_MS = 30_000;

export default function OverTimeCharts({ buckets, range, endpoint, installation }: OverTimeProps) {
  const times = { since: range.since, until: range.until ?? null };
  const [own, readOwn] = useQuery({
    query: OVER_TIME,
    variables: { ...times, webhookId: endpoint?.id ?? null },
    pause: installation,
  });
  const [all, readAll] = useQuery({ query: INSTALLATION_OVER_TIME, variables: times, pause: !installation });
  const read = installation ? readAll : readOwn;
  useRefresh(read, range.until === undefined ? READ_EVERY_MS : undefined);
  const data = installation ? all.data?.installation : own.data;
  const error = installation ? all.error : own.error;
  // Lists of deliveries are those of a tenant.
  const list = installation ? null : endpoint === undefined ? {} : { endpoint: String(endpoint.databaseId) };
  return (
    <Charts>
      <AttemptCharts buckets={buckets} />
      {error && !data?.queueStats ? (
        <Failure error={error} retry={read} />
      ) : (
        <>
          {data?.queueStats ? <QueueChart queue={data.queueStats} range={range} /> : <Skeleton heights={['h-68.5']} />}
          {data?.failureStats ? (
            <FailureChart failures={data.failureStats} range={range} list={list} />
          ) : (
            <Skeleton heights={['h-68.5']} />
          )}
        </>
      )}
    </Charts>
  );
}

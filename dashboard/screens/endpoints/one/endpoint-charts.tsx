import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect, useRef } from 'react';
import { useQuery } from 'urql';
import { HELD_SHOWN_MAX } from '../../../../src/domain/health-limits';
import { AttemptCharts } from '../../../parts/attempt-charts';
import { AttemptFigures } from '../../../parts/attempt-figures';
import { Select } from '../../../parts/field';
import { Failure } from '../../../parts/page';
import { useAddress } from '../../../parts/place';
import { RangePicker, useRange } from '../../../parts/range';
import { useRefresh, useThrottled } from '../../../parts/refresh';
import { Skeleton } from '../../../parts/skeleton';
import { ENDPOINT_STATS, EVENT_TYPES } from '../documents';
import type { ShownEndpoint } from '../use-endpoint';

const ANY = 'any';
const READ_EVERY_MS = 20_000;
const NONE: readonly never[] = [];
const READ_SOON_MS = 3_000;

/** An endpoint's statistics in the chosen time: figures, attempts by outcome, and their duration. */
export function EndpointCharts({ endpoint }: { endpoint: ShownEndpoint }) {
  const { t } = useLingui();
  const [address, setAddress] = useAddress();
  const range = useRange();
  const [types] = useQuery({ query: EVENT_TYPES });
  const eventType = address['type'];
  const [{ data, error }, read] = useQuery({
    query: ENDPOINT_STATS,
    variables: {
      id: endpoint.id,
      since: range.since,
      until: range.until ?? null,
      eventType: eventType ?? null,
    },
  });
  useRefresh(read, READ_EVERY_MS);
  // The answer above them counts the same attempts: they must not contradict it.
  const readSoon = useThrottled(read, READ_SOON_MS);
  const attempts = endpoint.lastDay?.reduce((sum, part) => sum + part.attempts, 0);
  const known = useRef(attempts);
  useEffect(() => {
    if (known.current !== attempts) {
      known.current = attempts;
      readSoon();
    }
  }, [attempts, readSoon]);
  const stats = data?.webhook?.stats;
  const names = (types.data?.eventTypes ?? []).map(({ name }) => ({ value: name, name }));
  return (
    <section className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="me-auto text-sm font-semibold">
          <Trans>Activity</Trans>
        </h2>
        <Select
          label={t`Event type`}
          value={eventType ?? ANY}
          onChange={(type) => setAddress({ type: type === ANY ? undefined : type })}
          options={[{ value: ANY, name: t`Any event type` }, ...names]}
        />
        <RangePicker />
      </div>
      {error && <Failure error={error} retry={read} />}
      {stats && (
        <AttemptFigures stats={stats} backlog={{ held: endpoint.heldCount, countMax: HELD_SHOWN_MAX }} range={range} />
      )}
      {!stats && !error && <Skeleton heights={['h-21']} />}
      <AttemptCharts buckets={stats?.buckets ?? NONE} />
    </section>
  );
}

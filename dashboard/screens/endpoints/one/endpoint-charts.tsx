import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect, useRef } from 'react';
import { useQuery } from 'urql';
import { HELD_SHOWN_MAX } from '../../../../src/domain/deliveries/health-limits';
import { AddressSelect } from '../../../parts/address-select';
import { AttemptFigures } from '../../../parts/attempt-figures';
import { OverTime } from '../../../parts/over-time/over-time';
import { Failure } from '../../../parts/page';
import { useAddress } from '../../../parts/place';
import { RangePicker, useRange } from '../../../parts/range';
import { useRefresh, useThrottled } from '../../../parts/refresh';
import { Skeleton } from '../../../parts/skeleton';
import { ENDPOINT_STATS } from '../documents';
import { EVENT_TYPES } from '../first-documents';
import type { ShownEndpoint } from '../use-endpoint';

const READ_EVERY_MS = 20_000;
const READ_SOON_MS = 3_000;

/** An endpoint's statistics in the chosen time: figures, attempts by outcome, and their duration. */
export function EndpointCharts({ endpoint }: { endpoint: ShownEndpoint }) {
  const { t } = useLingui();
  const [{ type: eventType = null }] = useAddress();
  const range = useRange();
  const [types] = useQuery({ query: EVENT_TYPES });
  const [{ data, error }, read] = useQuery({
    query: ENDPOINT_STATS,
    variables: { id: endpoint.id, since: range.since, until: range.until ?? null, eventType },
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
      <div className="flex flex-wrap items-center gap-2 max-cards:flex-nowrap max-cards:justify-between">
        <h2 className="me-auto text-sm font-semibold max-cards:sr-only">
          <Trans>Activity</Trans>
        </h2>
        <AddressSelect name="type" label={t`Event type`} any={t`Any event type`} options={names} />
        <RangePicker />
      </div>
      {error && <Failure error={error} retry={read} />}
      {stats && (
        <AttemptFigures stats={stats} backlog={{ held: endpoint.heldCount, countMax: HELD_SHOWN_MAX }} range={range} />
      )}
      {!stats && !error && <Skeleton heights={['h-21']} />}
      <OverTime wanted={stats != null} buckets={stats?.buckets} range={range} endpoint={endpoint} />
    </section>
  );
}

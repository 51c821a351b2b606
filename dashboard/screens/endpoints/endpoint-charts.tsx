import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import { useQuery } from 'urql';
import { Chart } from '../../parts/chart';
import { Select } from '../../parts/field';
import { Card, Failure, Figure, Figures } from '../../parts/page';
import { useAddress } from '../../parts/place';
import { RangePicker, useRange } from '../../parts/range';
import { useRefresh } from '../../parts/refresh';
import { count, duration, percent } from '../../text/numbers';
import { ENDPOINT_STATS, EVENT_TYPES } from './documents';
import { GOOD_RATE } from './endpoint-answer';
import type { ShownEndpoint } from './use-endpoint';

const ANY = 'any';
const READ_EVERY_MS = 20_000;

/** What an endpoint has done in the chosen time: figures, attempts by outcome, and how long they took. */
export function EndpointCharts({ endpoint }: { endpoint: ShownEndpoint }) {
  const { t } = useLingui();
  const [address, setAddress] = useAddress();
  const { since, until } = useRange();
  const [types] = useQuery({ query: EVENT_TYPES });
  const eventType = address['type'];
  const [{ data, error }, again] = useQuery({
    query: ENDPOINT_STATS,
    variables: { id: endpoint.id, since, until: until ?? null, eventType: eventType ?? null },
  });
  useRefresh(() => again({ requestPolicy: 'network-only' }), READ_EVERY_MS);
  const stats = data?.webhook?.stats;
  const { times, outcomes, durations } = useMemo(() => {
    const buckets = stats?.buckets ?? [];
    return {
      times: buckets.map(({ start }) => Date.parse(start)),
      outcomes: [
        { name: t`Delivered`, colour: 'good', values: buckets.map(({ successes }) => successes) },
        { name: t`Failed`, colour: 'bad', values: buckets.map(({ failures }) => failures) },
      ],
      durations: [
        { name: 'p50', colour: 'accent', values: buckets.map(({ p50Ms }) => p50Ms ?? null) },
        { name: 'p95', colour: 'warn', values: buckets.map(({ p95Ms }) => p95Ms ?? null) },
        { name: 'p99', colour: 'bad', values: buckets.map(({ p99Ms }) => p99Ms ?? null) },
      ],
    };
  }, [stats, t]);
  const zoom = (from: Date, to: Date) =>
    setAddress({ range: undefined, since: from.toISOString(), until: to.toISOString() });
  const names = (types.data?.eventTypes ?? []).map(({ name }) => ({ value: name, name }));
  return (
    <section className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="me-auto text-sm font-semibold">
          <Trans>Attempts</Trans>
        </h2>
        <Select
          label={t`Event type`}
          value={eventType ?? ANY}
          onChange={(type) => setAddress({ type: type === ANY ? undefined : type })}
          options={[{ value: ANY, name: t`Any event type` }, ...names]}
        />
        <RangePicker />
      </div>
      {error && <Failure error={error} retry={again} />}
      <Figures>
        <Figure name={t`Attempts`} value={stats ? count(stats.total.attempts) : '–'} />
        <Figure name={t`Success`} value={percent(stats?.total.successRate)} />
        <Figure
          name={t`Failed`}
          value={stats ? count(stats.total.failures) : '–'}
          tone={(stats?.total.successRate ?? 1) < GOOD_RATE ? 'bad' : undefined}
        />
        <Figure name={t`p50`} value={duration(stats?.total.p50Ms)} />
        <Figure name={t`p95`} value={duration(stats?.total.p95Ms)} />
        <Figure name={t`p99`} value={duration(stats?.total.p99Ms)} />
      </Figures>
      <div className="grid gap-3 lg:grid-cols-2">
        <Card title={<Trans>By outcome</Trans>} flush>
          <div className="px-2 pt-2 pb-1">
            <Chart
              label={t`Attempts by outcome`}
              times={times}
              shape="bars"
              format={count}
              onRange={zoom}
              series={outcomes}
            />
          </div>
        </Card>
        <Card title={<Trans>How long they took</Trans>} flush>
          <div className="px-2 pt-2 pb-1">
            <Chart
              label={t`Durations of attempts`}
              times={times}
              shape="lines"
              format={duration}
              onRange={zoom}
              series={durations}
            />
          </div>
        </Card>
      </div>
    </section>
  );
}

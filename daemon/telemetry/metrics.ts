import type { Lane } from '../../src/domain/pacing/lanes.js';
import type { FinishedAttempt } from '../../src/operations/attempts/finished-attempt.js';
import type { RecordedStatus } from '../../src/operations/attempts/record-attempts.js';
import type { Slots } from '../../src/platform/concurrency/slots.js';
import { Meter } from '../../src/platform/telemetry/meter.js';
import type { Gate } from '../gate/gate.js';

/** The largest batch has 256. */
const BATCH_DELIVERIES = [1, 2, 5, 10, 20, 50, 100, 200, 256];
const SWEEPS = [
  'schedule',
  'held',
  'overdue',
  'bulk',
  'events',
  'recovery',
  'retention',
  'ordering',
  'challenges',
  'moves',
  'dead_workers',
] as const;
export type SweepName = (typeof SWEEPS)[number];
type Batch = 'load' | 'turn_away' | 'record' | 'put_off';

/** The label `outcome` by the delivery's new state. A held delivery is tried again when its webhook is enabled. */
const OUTCOMES = {
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  CANCELED: 'failed',
  PENDING: 'retried',
  HELD: 'retried',
  WAITING: 'retried', // never: only those whose turn it is are attempted
} as const satisfies Record<NonNullable<RecordedStatus>, string>;

/** The objects that gauges read. */
interface Watched {
  gate: Pick<Gate, 'states' | 'idleSlotSeconds' | 'behind' | 'limitedTenants'>;
  slots: Pick<Slots, 'inUse' | 'waitingCount'>;
  slotsMax: number;
  attempts: { readonly contentSeconds: number };
}

/** The metrics of a daemon. */
export class DaemonMetrics extends Meter {
  readonly putOffs = this.tally(
    'hookwright_put_offs_total',
    'Deliveries that were put off: their endpoint had no room, their tenant no time for contents, or a fault of our own kept them. By lane.',
    ['lane'],
  );
  readonly disabled = this.tally(
    'hookwright_webhooks_disabled_total',
    'Webhooks that this daemon disabled, by reason: FAILURES or GONE.',
    ['reason'],
  );
  readonly freedJobs = this.counter('hookwright_freed_jobs_total', 'Jobs of dead processes that this daemon freed.');
  readonly claimed = this.counter(
    'hookwright_claimed_deliveries_total',
    'Deliveries that an emit of the same process handed to this daemon, without a fetch and a load.',
  );
  readonly expired = this.counter(
    'hookwright_expired_deliveries_total',
    'Deliveries that this daemon canceled (EXPIRED): still pending or held when they or their event were to be dropped.',
  );
  readonly unknownOutcomes = this.counter(
    'hookwright_outcomes_unknown_total',
    'Outcomes that this daemon dropped, because their delivery is not in the tables: a failover has lost it.',
  );
  readonly #attempts = this.tally('hookwright_attempts_total', 'Requests to endpoints, by lane and verdict.', [
    'lane',
    'verdict',
  ]);
  readonly #deliveries = this.tally(
    'hookwright_deliveries_total',
    'Attempts whose outcome was recorded, by lane and state of the delivery: succeeded, failed, or retried later.',
    ['lane', 'outcome'],
  );
  readonly #durations = this.histogram(
    'hookwright_attempt_duration_seconds',
    'From the hand-over of a request to the last byte of its answer.',
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
  );
  readonly #lag = this.histogram(
    'hookwright_first_attempt_lag_seconds',
    'From the making of a delivery to its first attempt, if only the service itself delayed it.',
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  );
  readonly #batches = this.histogram(
    'hookwright_batch_deliveries',
    'Deliveries that shared a transaction, by work: load, turn_away, record or put_off.',
    BATCH_DELIVERIES,
    ['work'],
  );
  readonly #sweeps = this.tally(
    'hookwright_sweeps_total',
    'Sweeps that this daemon made, by sweep, also those that had nothing to look for.',
    ['sweep'],
    SWEEPS,
  );
  readonly #swept = this.tally(
    'hookwright_sweep_found_total',
    'Finds of sweeps: retries to schedule, webhooks to align, overdue deliveries without a job, bulk operations that ' +
      'stood still, operational events, endpoints to ask for a proof, dead worker pools.',
    ['sweep'],
    SWEEPS,
  );

  attempted(lane: Lane, { delivery, outcome, result, startedAt }: FinishedAttempt, madeAt: Date): void {
    this.#attempts.count(lane, outcome.verdict);
    this.#durations.observe(result.durationMs / 1_000);
    if (lane === 'FIRST' && delivery.attemptNumber === 1) {
      this.#lag.observe(Math.max(0, startedAt.getTime() - madeAt.getTime()) / 1_000);
    }
  }

  /** @param status the delivery's state after an attempt; null: the attempt was not recorded */
  recorded(lane: Lane, status: RecordedStatus): void {
    if (status !== null) {
      this.#deliveries.count(lane, OUTCOMES[status]);
    }
  }

  /** @returns a function for a GroupCommit to call with the number of items of each batch */
  batch(work: Batch): (items: number) => void {
    const child = this.#batches.labels(work);
    return (items) => child.observe(items);
  }

  sweep(sweep: SweepName, found: number): void {
    this.#sweeps.count(sweep);
    this.#swept.add(found, sweep);
  }

  watch({ gate, slots, slotsMax, attempts }: Watched): void {
    type State = ReturnType<Gate['states']>[number];
    const sums: [name: string, help: string, value: (state: State) => number][] = [
      ['hookwright_requests_in_flight', 'Requests to endpoints that are under way.', ({ inFlight }) => inFlight],
      [
        'hookwright_deliveries_waiting',
        'Deliveries that wait for a permit of their endpoint.',
        ({ waiting }) => waiting,
      ],
      ['hookwright_endpoints', 'Endpoints that the daemon knows.', () => 1],
      [
        'hookwright_endpoints_probed',
        'Endpoints whose window has shrunk to one request at a time.',
        ({ window }) => Number(window === 1),
      ],
      ['hookwright_window_permits', 'Permits in all windows together.', ({ window }) => window],
    ];
    for (const [name, help, value] of sums) {
      this.gauge(name, help, () => gate.states().reduce((total, state) => total + value(state), 0));
    }
    this.gauge(
      'hookwright_endpoints_behind',
      'Endpoints at which deliveries wait for more than a minute because of the rate of their webhook or tenant.',
      () => gate.behind,
    );
    this.gauge('hookwright_tenants_limited', 'Tenants whose requests the operator limits.', () => gate.limitedTenants);
    this.gauge('hookwright_slots_max', 'Deliveries that may be worked on at once.', () => slotsMax);
    this.total(
      'hookwright_slots_idle_seconds_total',
      'Seconds of slots without a request, beyond the reserve of a tenth, while deliveries waited for them.',
      () => gate.idleSlotSeconds,
    );
    this.total(
      'hookwright_content_seconds_total',
      'Seconds in which contents of deliveries were made. Each tenant has a fifth of the time for its own.',
      () => attempts.contentSeconds,
    );
    this.gauge('hookwright_slots_in_use', 'Deliveries that are worked on.', () => slots.inUse);
    this.gauge('hookwright_slots_waiting', 'Deliveries in hand that wait for a slot.', () => slots.waitingCount);
  }
}

import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Slots } from '../../src/concurrency/slots.js';
import type { Lane } from '../../src/domain/pacing/lanes.js';
import type { FinishedAttempt } from '../../src/operations/attempts/finished-attempt.js';
import type { RecordedStatus } from '../../src/operations/attempts/record-attempts.js';
import { Tally } from '../../src/telemetry/tally.js';
import type { Gate } from '../gate/gate.js';

/** The largest batch has 256. */
const BATCH_DELIVERIES = [1, 2, 5, 10, 20, 50, 100, 200, 256];
const SWEEPS = ['schedule', 'held', 'overdue', 'dead_workers'] as const;
type Sweep = (typeof SWEEPS)[number];
type Batch = 'load' | 'turn_away' | 'record' | 'put_off';

/** What became of a delivery by an attempt, by its state afterwards. What is held now goes on when its webhook does. */
const OUTCOMES = {
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  CANCELED: 'failed',
  PENDING: 'retried',
  HELD: 'retried',
} as const satisfies Record<NonNullable<RecordedStatus>, string>;

/** What the gauges look at whenever somebody asks. */
interface Watched {
  gate: Pick<Gate, 'states'>;
  slots: Pick<Slots, 'inUse' | 'waitingCount'>;
  slotsMax: number;
}

/** What a daemon tells Prometheus. Nothing is labelled by tenant or webhook: those are without number. */
export class DaemonMetrics {
  readonly #attempts: Tally<'lane' | 'verdict'>;
  readonly #deliveries: Tally<'lane' | 'outcome'>;
  readonly #durations: Histogram;
  readonly #lag: Histogram;
  readonly #putOffs: Tally<'lane'>;
  readonly #batches: Histogram<'work'>;
  readonly #disabled: Tally<'reason'>;
  readonly #sweeps: Tally<'sweep'>;
  readonly #swept: Tally<'sweep'>;
  readonly #freedJobs: Counter;
  readonly #claimed: Counter;
  readonly #expired: Counter;

  constructor(readonly registry = new Registry()) {
    const registers = [registry];
    this.#attempts = new Tally({
      name: 'hookwright_attempts_total',
      help: 'Requests to endpoints, by lane and verdict.',
      labels: ['lane', 'verdict'],
      registry,
    });
    this.#deliveries = new Tally({
      name: 'hookwright_deliveries_total',
      help: 'Attempts whose outcome was recorded, by lane and what became of the delivery: succeeded, failed, or retried later.',
      labels: ['lane', 'outcome'],
      registry,
    });
    this.#putOffs = new Tally({
      name: 'hookwright_put_offs_total',
      help: 'Deliveries that were put off, because their endpoint had no room or a fault of our own kept them, by lane.',
      labels: ['lane'],
      registry,
    });
    this.#disabled = new Tally({
      name: 'hookwright_webhooks_disabled_total',
      help: 'Webhooks that this daemon disabled, by reason: FAILURES or GONE.',
      labels: ['reason'],
      registry,
    });
    this.#freedJobs = new Counter({
      name: 'hookwright_freed_jobs_total',
      help: 'Jobs of dead processes that this daemon freed.',
      registers,
    });
    this.#claimed = new Counter({
      name: 'hookwright_claimed_deliveries_total',
      help: 'Deliveries that this daemon got from the transaction of an emit in its own process, without fetching and loading.',
      registers,
    });
    this.#expired = new Counter({
      name: 'hookwright_expired_deliveries_total',
      help: 'Deliveries that this daemon canceled (EXPIRED): they were pending or held still when they, or their event, were to be dropped.',
      registers,
    });
    this.#durations = new Histogram({
      name: 'hookwright_attempt_duration_seconds',
      help: 'From the hand-over of a request to the last byte of its answer.',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers,
    });
    this.#lag = new Histogram({
      name: 'hookwright_first_attempt_lag_seconds',
      help: 'From the making of a delivery to its first attempt, where nothing held it up but the service itself.',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
      registers,
    });
    this.#batches = new Histogram({
      name: 'hookwright_batch_deliveries',
      help: 'Deliveries that shared a transaction, by work: load, turn_away, record or put_off.',
      labelNames: ['work'],
      buckets: BATCH_DELIVERIES,
      registers,
    });
    this.#sweeps = new Tally({
      name: 'hookwright_sweeps_total',
      help: 'Sweeps that this daemon made, by sweep. Of several daemons one at a time makes each.',
      labels: ['sweep'],
      known: SWEEPS,
      registry,
    });
    this.#swept = new Tally({
      name: 'hookwright_sweep_found_total',
      help: 'What sweeps found: retries to schedule, webhooks whose held deliveries were to settle, overdue deliveries without a job, dead worker pools.',
      labels: ['sweep'],
      known: SWEEPS,
      registry,
    });
  }

  attempted(lane: Lane, { delivery, outcome, result, startedAt }: FinishedAttempt, madeAt: Date): void {
    this.#attempts.count(lane, outcome.verdict);
    this.#durations.observe(result.durationMs / 1_000);
    if (lane === 'FIRST' && delivery.attemptNumber === 1) {
      this.#lag.observe(Math.max(0, startedAt.getTime() - madeAt.getTime()) / 1_000);
    }
  }

  /** @param status of the delivery, now that an attempt was recorded; null: it was not */
  recorded(lane: Lane, status: RecordedStatus): void {
    if (status !== null) {
      this.#deliveries.count(lane, OUTCOMES[status]);
    }
  }

  putOff(lane: Lane): void {
    this.#putOffs.count(lane);
  }

  disabled(reason: string): void {
    this.#disabled.count(reason);
  }

  /** For a GroupCommit, to tell how many items each batch had. */
  batch(work: Batch): (items: number) => void {
    const child = this.#batches.labels(work);
    return (items) => child.observe(items);
  }

  sweep(sweep: Sweep, found: number): void {
    this.#sweeps.count(sweep);
    this.#swept.add(found, sweep);
  }

  claimed(deliveries: number): void {
    this.#claimed.inc(deliveries);
  }

  expired(deliveries: number): void {
    this.#expired.inc(deliveries);
  }

  freedJobs(jobs: number): void {
    this.#freedJobs.inc(jobs);
  }

  gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }

  watch({ gate, slots, slotsMax }: Watched): void {
    const sumOf = (value: (state: ReturnType<Gate['states']>[number]) => number) => () =>
      gate.states().reduce((total, state) => total + value(state), 0);
    this.gauge(
      'hookwright_requests_in_flight',
      'Requests to endpoints that are under way.',
      sumOf(({ inFlight }) => inFlight),
    );
    this.gauge(
      'hookwright_deliveries_waiting',
      'Deliveries that wait for a place in a window.',
      sumOf(({ waiting }) => waiting),
    );
    this.gauge(
      'hookwright_endpoints',
      'Endpoints that the daemon knows.',
      sumOf(() => 1),
    );
    this.gauge(
      'hookwright_endpoints_probed',
      'Endpoints whose window has shrunk to one request at a time.',
      sumOf(({ window }) => Number(window === 1)),
    );
    this.gauge(
      'hookwright_window_places',
      'Places in all windows together.',
      sumOf(({ window }) => window),
    );
    this.gauge('hookwright_slots_max', 'Deliveries that may be worked on at once.', () => slotsMax);
    this.gauge('hookwright_slots_in_use', 'Deliveries that are worked on.', () => slots.inUse);
    this.gauge('hookwright_slots_waiting', 'Deliveries in hand that wait for a slot.', () => slots.waitingCount);
  }
}

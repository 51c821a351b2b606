import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Lane } from '../src/domain/lanes.js';
import type { Outcome } from '../src/domain/outcome.js';
import type { Gate } from './gate.js';

/** What a daemon tells Prometheus. Nothing is labelled by tenant or webhook: those are without number. */
export class DaemonMetrics {
  readonly registry = new Registry();
  readonly #attempts = new Counter({
    name: 'hookwright_attempts_total',
    help: 'Requests to endpoints, by lane and verdict.',
    labelNames: ['lane', 'verdict'] as const,
    registers: [this.registry],
  });
  readonly #durations = new Histogram({
    name: 'hookwright_attempt_duration_seconds',
    help: 'From the hand-over of a request to the last byte of its answer.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers: [this.registry],
  });
  readonly #putOffs = new Counter({
    name: 'hookwright_put_offs_total',
    help: 'Deliveries that were put off because their endpoint had no room, by lane.',
    labelNames: ['lane'] as const,
    registers: [this.registry],
  });

  /** @param gate whose windows to tell of whenever somebody asks */
  constructor(gate: Pick<Gate, 'states'>) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    const gauge = (name: string, help: string, read: (states: ReturnType<Gate['states']>) => number) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read(gate.states()));
        },
      });
    const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
    gauge('hookwright_requests_in_flight', 'Requests to endpoints that are under way.', (states) =>
      sum(states.map(({ inFlight }) => inFlight)),
    );
    gauge('hookwright_deliveries_waiting', 'Deliveries that wait for a place in a window.', (states) =>
      sum(states.map(({ waiting }) => waiting)),
    );
    gauge('hookwright_endpoints', 'Endpoints that the daemon knows.', (states) => states.length);
    gauge(
      'hookwright_endpoints_probed',
      'Endpoints whose window has shrunk to one request at a time.',
      (states) => states.filter(({ window }) => window === 1).length,
    );
    gauge('hookwright_window_places', 'Places in all windows together.', (states) =>
      sum(states.map(({ window }) => window)),
    );
  }

  attempted(lane: Lane, { verdict }: Outcome, durationMs: number): void {
    this.#attempts.inc({ lane, verdict });
    this.#durations.observe(durationMs / 1_000);
  }

  putOff(lane: Lane): void {
    this.#putOffs.inc({ lane });
  }
}

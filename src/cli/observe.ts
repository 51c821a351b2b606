import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { Services } from '../api/context/context.js';
import { lackOf, missingMigrations } from '../operations/installation/check-readiness.js';
import type { Config } from '../platform/settings/config.js';
import { openTracing } from '../platform/telemetry/open-tracing.js';
import { ProcessMetrics } from '../platform/telemetry/process-metrics.js';
import { listen } from './listen.js';

/** Closes a part when the process ends; the last part first. In haste, requests in flight get a moment only. */
export type Closing = (inHaste: boolean) => Promise<unknown> | unknown;

/** Opens metrics and traces, which show from outside how the process is doing. */
export async function observe({ metrics, collector }: Config, log: Logger, closings: Closing[]) {
  const registry = new Registry();
  const tracing = await openTracing(log, {
    ...process.env,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.tracesUrl,
  });
  if (tracing !== null) {
    closings.push(() => tracing.close()); // opened first, so closed last: the end of the other parts is traced too
  }
  return { registry, tracing, process: new ProcessMetrics(registry, metrics.port !== 0) };
}

/** @param trouble why API or daemon of this process do not work; null: they do */
export async function startMetrics(
  { config, db, log }: Services,
  registry: Registry,
  trouble: () => string | null,
): Promise<Closing> {
  if (config.metrics.port === 0) {
    return () => {};
  }
  const notReady = async () => {
    const missing = await missingMigrations(db);
    return missing.length > 0 ? `${lackOf(missing)}.` : trouble();
  };
  const { startMetricsServer } = await import('../platform/telemetry/metrics-server.js');
  const server = await listen('METRICS_PORT', config.metrics, (address) =>
    startMetricsServer(registry, address, notReady),
  );
  log.info({ url: server.url }, 'Prometheus finds its figures there');
  return () => server.close();
}

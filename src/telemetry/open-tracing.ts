import type { Logger } from 'pino';
import type { Config } from '../settings/config.js';
import type { Tracing } from './tracing.js';

/** Loads and starts OpenTelemetry only when OTEL_EXPORTER_OTLP_ENDPOINT is set. */
export async function openTracing({ tracing }: Pick<Config, 'tracing'>, log: Logger): Promise<Tracing | null> {
  if (!tracing) {
    return null;
  }
  const { startOpenTelemetry } = await import('./opentelemetry.js');
  return startOpenTelemetry(process.env, log);
}

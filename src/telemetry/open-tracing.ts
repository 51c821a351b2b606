import type { Logger } from 'pino';
import type { Config } from '../settings/config.js';
import type { Tracing } from './tracing.js';

/** Loads OpenTelemetry and starts it, when OTEL_EXPORTER_OTLP_ENDPOINT says where to; else nothing of it is loaded. */
export async function openTracing({ tracing }: Pick<Config, 'tracing'>, log: Logger): Promise<Tracing | null> {
  if (!tracing) {
    return null;
  }
  const { startOpenTelemetry } = await import('./opentelemetry.js');
  return startOpenTelemetry(process.env, log);
}

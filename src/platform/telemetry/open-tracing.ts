import type { Logger } from 'pino';
import { endpointVariable, ignoredVariables, reasonForNoTraces } from './trace-variables.js';
import type { Tracing } from './tracing.js';

/** Loads and starts OpenTelemetry only where its variables ask for traces, and logs what it does with them. */
export async function openTracing(log: Logger, env: NodeJS.ProcessEnv = process.env): Promise<Tracing | null> {
  const reason = reasonForNoTraces(env);
  if (reason !== null) {
    if (endpointVariable(env) !== undefined || env['OTEL_TRACES_EXPORTER']?.includes('otlp')) {
      log.info(`no traces are sent: ${reason}`);
    }
    return null;
  }
  for (const sentence of ignoredVariables(env)) {
    log.warn(`OpenTelemetry: ${sentence}`);
  }
  const { startOpenTelemetry } = await import('./opentelemetry.js');
  const tracing = startOpenTelemetry(env, log);
  log.info(`traces are made, and sent to ${endpointVariable(env)}`);
  return tracing;
}

import { afterEach, expect, test, vi } from 'vitest';
import { openTracing } from '../../src/platform/telemetry/open-tracing.js';
import { startCollector } from '../support/collector.js';
import { eventually } from '../support/eventually.js';
import { watchedLog } from '../support/plaintext.js';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

test('a connection to the collector is used for a minute, and then made again', async () => {
  await using collector = await startCollector();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '10');
  const tracing = (await openTracing(watchedLog()))!;
  vi.useFakeTimers({ toFake: ['performance'] });
  const connections: number[] = [];
  for (let minute = 0; minute < 3; minute++) {
    for (let time = 0; time < 4; time++) {
      vi.advanceTimersByTime(15_500);
      tracing.start('deliver', 'CLIENT', undefined).end();
      await eventually(() => collector.spans.length === 4 * minute + time + 1);
      await new Promise(setImmediate);
    }
    connections.push(collector.connections);
  }
  // The one whose minute has passed ends after its request.
  expect(connections).toEqual([1, 2, 3]);
  await tracing.close();
});

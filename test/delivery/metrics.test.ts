import { expect, test } from 'vitest';
import { cancelDelivery } from '../../src/operations/deliveries/cancel-delivery.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { startMetricsServer } from '../../src/platform/telemetry/metrics-server.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { answer, holdAnswers } from '../support/receiver.js';

test('/metrics tells of attempts by lane and verdict, of windows, and of what was put off', async () => {
  await using stack = await DeliveryStack.open();
  await stack.endpoint();
  await stack.endpoint(() => {});
  const daemon = stack.startDaemon();
  const server = await startMetricsServer(daemon.registry, { host: '127.0.0.1', port: 0 });
  await stack.emits(30);

  await eventually(async () => {
    const response = await fetch(server.url);
    const text = await response.text();
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(text).toContain('hookwright_attempts_total{lane="FIRST",verdict="SUCCEEDED"} 30');
    expect(text).toContain('hookwright_put_offs_total{lane="FIRST"} 6');
    expect(text).toContain('hookwright_requests_in_flight 24');
    expect(text).toContain('hookwright_slots_in_use 24');
    expect(text).toContain('hookwright_deliveries_total{lane="FIRST",outcome="succeeded"} 30');
    expect(text).toContain('hookwright_due_deliveries ');
    return true;
  });
  expect((await fetch(new URL('/', server.url))).status).toBe(404);
  await server.close();
});

test('a failure of a delivery that was canceled meanwhile is not a retry', async () => {
  await using stack = await DeliveryStack.open();
  const receiver = await stack.endpoint();
  const arrived = holdAnswers(receiver, answer(500));
  const eventId = await stack.emit();
  const daemon = stack.startDaemon();
  const go = await arrived();
  const { id } = await stack.delivery(eventId);
  await cancelDelivery(stack.services.db, stack.tenantId, id, commandLine);
  go();
  await eventually(async () => {
    const text = await daemon.registry.getSingleMetricAsString('hookwright_deliveries_total');
    expect(text).toContain('{lane="FIRST",outcome="failed"} 1');
    expect(text).not.toContain('outcome="retried"} 1');
    return true;
  });
});

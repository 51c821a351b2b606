import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Daemon } from '../../daemon/daemon.js';
import { ApiOverSockets } from '../support/api-over-sockets.js';
import { AUTHORITY, LOCALHOST } from '../support/certificates.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { type HostileKind, hostileKinds } from '../support/hostile-kinds/index.js';
import { type HostileReceiver, startHostileReceiver } from '../support/hostile-receivers.js';
import { answer, type Receiver, startReceiver } from '../support/receiver.js';

const CONNECT_MS = 2000;
const KIB = 1024;
/** By which the event loop was late is not the attempt's doing; but more than this is forgiven to nobody. */
const LAG_MS_MAX = 2000;

interface AttemptRead {
  durationMs: number;
  statusCode: number | null;
  errorCode: string | null;
  responseTruncated: boolean;
  responseHeaders: Record<string, string | string[]> | null;
  responseBody: string | null;
  responseBodyBase64: string | null;
}
interface DeliveryRead {
  status: string;
  attempts: AttemptRead[];
}

const uncaught: unknown[] = [];
const note = (error: unknown) => uncaught.push(error);

beforeAll(() => {
  process.on('uncaughtExceptionMonitor', note);
  process.on('unhandledRejection', note);
  setDefaultCACertificates([AUTHORITY, LOCALHOST.cert]);
});
afterAll(() => {
  process.off('uncaughtExceptionMonitor', note);
  process.off('unhandledRejection', note);
});

test('there are at least a hundred kinds, each with a name of its own', () => {
  expect(hostileKinds.length).toBeGreaterThanOrEqual(100);
  expect(new Set(hostileKinds.map(({ what }) => what)).size).toBe(hostileKinds.length);
});

// Apart, so that the time that some take up is short, and what the others do never depends on the time.
describe.each([
  { which: 'that end by themselves', lasting: false, totalMs: 20_000 },
  { which: 'that end when the time is over', lasting: true, totalMs: 4_000 },
])('receivers $which', ({ lasting, totalMs }) => {
  const kinds = hostileKinds.filter(({ lasts = false }) => lasts === lasting);
  const lag = monitorEventLoopDelay({ resolution: 10 });
  const receivers = new Map<HostileKind, HostileReceiver>();
  /** What the tenant reads of each kind's deliveries, in the order of the events. */
  const read = new Map<HostileKind, DeliveryRead[]>();
  let stack: DeliveryStack;
  let daemon: Daemon;
  let api: ApiOverSockets;
  let healthy: Receiver;
  let healthyId: number;

  // All at once in one daemon, twice: nothing that one does may reach another, or its own next delivery.
  beforeAll(async () => {
    stack = await DeliveryStack.open({
      ATTEMPT_TIMEOUT_MS: String(totalMs),
      CONNECT_TIMEOUT_MS: String(CONNECT_MS),
      MAX_RETRIES: '0',
    });
    api = await ApiOverSockets.open(stack.services, stack.tenantId);
    healthy = await startReceiver(answer(200, {}, 'well'));
    const webhookIds = new Map<HostileKind, number>();
    for (const kind of kinds) {
      const { misbehave, options, start = () => startHostileReceiver(misbehave, options) } = kind;
      const receiver = await start();
      receivers.set(kind, receiver);
      // Not all: what the service tells of failing webhooks would come too.
      const types = kind.wantsNoMore ? ['coupon.applied'] : ['coupon.applied', 'booking.canceled'];
      webhookIds.set(kind, (await stack.webhook(receiver.url, types)).id);
    }
    healthyId = (await stack.webhook(healthy.url, ['coupon.applied', 'booking.canceled', 'voucher.emitted'])).id;
    daemon = stack.startDaemon();
    lag.enable();
    await stack.emit('coupon.applied');
    await allFinished();
    await stack.emit('booking.canceled', { booking_code: 'B', canceled_at: 'now' });
    await allFinished();
    lag.disable();
    for (const [kind, id] of webhookIds) {
      read.set(kind, await deliveriesOf(id));
    }
  }, 180_000);

  afterAll(async () => {
    await api?.[Symbol.asyncDispose]();
    await stack?.[Symbol.asyncDispose]();
    await Promise.all([...receivers.values(), healthy].map((receiver) => receiver?.close()));
  });

  function allFinished(): Promise<unknown> {
    const open = `status not in ('SUCCEEDED', 'FAILED')`;
    return eventually(async () => (await stack.deliveries(open)).length === 0, 60_000);
  }

  async function deliveriesOf(webhookId: number): Promise<DeliveryRead[]> {
    const { status, body } = await api.graphql(
      `query ($id: ID!) { deliveries(filter: {webhookId: $id}, first: 10) { edges { node { status attempts {
         durationMs statusCode errorCode responseTruncated responseHeaders responseBody responseBodyBase64 } } } } }`,
      { id: String(webhookId) },
    );
    expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
    return body.data.deliveries.edges.map(({ node }: { node: DeliveryRead }) => node).reverse();
  }

  test.each(kinds)('a receiver that $what', (kind) => {
    const { statusCode, errorCode, body, headers, responseTruncated } = kind.reads;
    const deliveries = read.get(kind) ?? [];
    expect(deliveries).toHaveLength(kind.wantsNoMore ? 1 : 2);
    for (const { status, attempts } of deliveries) {
      expect(attempts).toHaveLength(1);
      const [attempt] = attempts;
      expect(attempt).toMatchObject({ statusCode, errorCode });
      expect(status).toBe(errorCode === null ? 'SUCCEEDED' : 'FAILED');
      if (kind.lasts) {
        expect(attempt!.durationMs).toBeGreaterThanOrEqual(totalMs - 50);
      } else {
        expect(attempt!.durationMs).toBeLessThan(totalMs);
      }
      const forgiven = Math.min(lag.max / 1e6, LAG_MS_MAX);
      expect(attempt!.durationMs).toBeLessThanOrEqual(totalMs + 500 + forgiven);
      const bytes = attempt!.responseBodyBase64 && Buffer.from(attempt!.responseBodyBase64, 'base64');
      expect(bytes === null).toBe(statusCode === null);
      if (body !== undefined) {
        expect(Buffer.from(bytes ?? '').toString('latin1')).toBe(body);
      }
      if (responseTruncated !== undefined) {
        expect(attempt!.responseTruncated).toBe(responseTruncated);
      }
      // Not toMatchObject, which would take a header called __proto__ for something else.
      const got = Object.entries(attempt!.responseHeaders ?? {});
      expect(got).toEqual(expect.arrayContaining(Object.entries(headers ?? {})));
    }
  });

  test('what is kept of an answer is at most 16 KiB of body and 16 KiB of headers', async () => {
    const [largest] = await stack.rows<{ body: number; headers: number }>(
      `select max(octet_length(response_body)) as body, max(octet_length(response_headers)) as headers
       from hookwright.attempts`,
    );
    expect(largest!.body).toBeLessThanOrEqual(16 * KIB);
    expect(largest!.headers).toBeLessThanOrEqual(16 * KIB);
  });

  test('a receiver that is well is delivered to beside them and after them, and nothing was uncaught', async () => {
    await stack.emit('voucher.emitted', { booking_code: 'B', voucher_number: '1' });
    await eventually(() => healthy.received.length === 3, 60_000);
    await allFinished();
    const deliveries = await deliveriesOf(healthyId);
    expect(deliveries.map(({ status, attempts }) => [status, attempts.length])).toEqual(
      Array(3).fill(['SUCCEEDED', 1]),
    );
    expect(uncaught).toEqual([]);
  });

  test('no connection stays open to one that did not end its answer, nor to any when the daemon has stopped', async () => {
    const openTo = (some: readonly HostileKind[]) =>
      some.filter((kind) => receivers.get(kind)!.open > 0).map(({ what }) => what);
    const broken = kinds.filter(({ reads }) => reads.statusCode === null || reads.responseTruncated);
    expect(broken.length).toBeGreaterThan(10);
    await eventually(() => openTo(broken).length === 0);
    await daemon.stop();
    await eventually(() => openTo(kinds).length === 0);
  });
});

import pg from 'pg';
import { afterAll, expect, test, vi } from 'vitest';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { couponEmit } from '../support/factories.js';
import { sentDuring } from '../support/statements.js';

/**
 * A statement without a name is parsed and planned each time, which takes longer than most of them run. Only sweeps
 * that may find something, and what a person asks for, are rare enough for that (`Statement`).
 */

const stack = await DeliveryStack.open();
afterAll(() => stack[Symbol.asyncDispose]());

/** They begin or end transactions and sessions, and have no plan. */
const WITHOUT_PLAN = /^(begin|commit|rollback|set local|select pg_is_in_recovery)/;
/** Once in some seconds if at all, and planned as jobs and deliveries are then; rolled-up statistics once a minute. */
const SWEEPS =
  /^(with (soon|fresh|part) as materialized|with (recursive )?queue_|delete from hookwright\.(delivery|failure|queue)_)/;
/** The test looks for jobs. */
const TEST = /as "inSeconds"/;

/** Duties that begin by themselves. The third needs a busy daemon. */
const REGULAR = ['worth_doing', 'report_endpoint_states', 'raise_waiting_jobs', 'emit_scheduled', 'report_daemon'];

test('statements that run for each event and delivery, or every few seconds, have names', async () => {
  const { emitter } = stack.services;
  await stack.endpoint();
  await stack.endpoint((_, response) => void response.writeHead(500).end(), ['coupon.applied']);
  // A daemon that begins, and each 15 s, reports the whole installation.
  const begun = await sentDuring(async () => {
    emitter.claimFor(stack.startDaemon().claims);
    await eventually(async () => (await stack.rows('select from hookwright.installation_report')).length > 0);
  });
  const ofReports = new Set(begun.map(({ text }) => text));
  const sent = await sentDuring(async () => {
    const one = couponEmit(stack.tenantId, {});
    await emitter.emit([{ ...one, idempotencyKey: 'key' }]);
    await emitter.emit([{ ...one, orderingKey: 'key' }, one]);
    await emitter.emitAllOrNothing([one]);
    await emitter.emit([{ ...one, traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }]);
    await stack.emits(300);
    await stack.noDeliveryJobs();
    const { calls } = vi.mocked(pg.Client.prototype.query).mock as unknown as { calls: [{ name?: string }][] };
    const isSent = (name: string) => calls.some(([statement]) => statement.name === name);
    await eventually(() => REGULAR.every(isSent));
  });
  const unnamed = sent
    .filter(({ name, text }) => name === undefined && !ofReports.has(text))
    .map(({ text }) => text.replaceAll(/\s+/g, ' ').trim());
  const isRare = (text: string) => [WITHOUT_PLAN, SWEEPS, TEST].some((rare) => rare.test(text));
  expect(unnamed.filter((text) => !isRare(text))).toEqual([]);
}, 60_000);

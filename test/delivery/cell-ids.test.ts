import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBulkOperation } from '../../src/operations/bulk/bulk-operations.js';
import { enableCell } from '../../src/operations/installation/enable-cell.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { onServer } from '../support/on-server.js';

const BEFORE = 30;
const AFTER = 60;

/** Ids of a cell say a time that is up to 256 ms earlier or later than when they were made. */
let stack: DeliveryStack;
beforeAll(async () => {
  stack = await DeliveryStack.open();
  await onServer(stack.databaseUrl, (client) => enableCell(client, { number: null, of: 16 }));
});
afterAll(() => stack[Symbol.asyncDispose]());

/**
 * After the next 40 ids the sequence begins its window again, so that those made later may be lower. What was skipped
 * would have taken longer than a window: without waiting for that, a second turn would repeat the ids of the first.
 */
const turnSequence = () =>
  stack.rows(`
    select setval('hookwright.id_sequence', (last_value | 65535) + 65496), pg_sleep(0.3)
    from hookwright.id_sequence`);

describe.each(['DISCARD', 'KEEP'] as const)('enabling with held: %s in a cell', (held) => {
  test('concerns what was made before, and nothing that is made a moment later', async () => {
    const { id } = await stack.webhook(`https://${held.toLowerCase()}.example.com/`);
    await stack.emits(BEFORE);
    await stack.change(id, { active: false });
    await turnSequence();
    await stack.emits(BEFORE);
    await stack.change(id, { active: true, held });
    const after = new Set(await stack.emits(AFTER));
    await stack.align(id);
    const ended = held === 'DISCARD' ? 'CANCELED' : 'HELD';
    const rows = await stack.rows<{ event_id: number; status: string }>(
      `select event_id, status from hookwright.deliveries where webhook_id = ${id}`,
    );
    expect(rows).toHaveLength(2 * BEFORE + AFTER);
    const statuses = (which: (event: number) => boolean) =>
      new Set(rows.filter(({ event_id }) => which(event_id)).map(({ status }) => status));
    expect(statuses((event) => !after.has(event))).toEqual(new Set([ended]));
    expect(statuses((event) => after.has(event))).toEqual(new Set(['PENDING']));
  });
});

test('a bulk operation in a cell leaves what is emitted after its start', async () => {
  const { id } = await stack.webhook('https://bulk.example.com/');
  await turnSequence();
  await stack.emits(BEFORE);
  const { operation } = await startBulkOperation(
    stack.services.db,
    stack.tenantId,
    { kind: 'CANCEL_DELIVERIES', webhookId: id, filter: {}, since: null, until: null, dryRun: false },
    commandLine,
  );
  await stack.emits(AFTER);
  const rows = await stack.deliveries(`webhook_id = ${id} and id < ${operation!.toId}`);
  expect(rows.length).toBeLessThanOrEqual(BEFORE);
});

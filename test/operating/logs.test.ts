import { type Logger, pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Daemon } from '../../daemon/daemon.js';
import { SCOPES } from '../../src/domain/api-key.js';
import { buildServer } from '../../src/server.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { makeKey } from '../support/factories.js';
import { answer, type Receiver, startReceiver } from '../support/receiver.js';

interface Line {
  level: number;
  msg: string;
  [field: string]: unknown;
}

const DEBUG = 20;
const INFO = 30;

/** A log of this level, and its lines. */
function keptLog(level: string): { log: Logger; lines: Line[] } {
  const lines: Line[] = [];
  return { lines, log: pino({ level }, { write: (line: string) => lines.push(JSON.parse(line)) }) };
}

let stack: DeliveryStack;
let receiver: Receiver;
beforeAll(async () => {
  stack = await DeliveryStack.open();
  receiver = await startReceiver(answer(410));
});
afterAll(async () => {
  await receiver.close();
  await stack[Symbol.asyncDispose]();
});

describe('a daemon', () => {
  test.each(['info', 'debug'])(
    'at %s names delivery, webhook and tenant; attempts are for debug',
    async (level) => {
      const { log, lines } = keptLog(level);
      const daemon = new Daemon({ ...stack.services, log });
      try {
        const { id: webhookId } = await stack.webhook(receiver.url);
        const delivery = await stack.delivery(await stack.emit());
        const { tenantId } = stack;
        await eventually(() => lines.some(({ msg }) => msg === 'a webhook was disabled'));
        expect(lines.find(({ msg }) => msg === 'a webhook was disabled')).toMatchObject({
          level: INFO,
          webhookId,
          tenantId,
          reason: 'GONE',
        });
        const attempt = await eventually(
          () => level === 'info' || lines.find(({ msg }) => msg === 'attempt'),
        );
        if (level === 'info') {
          expect(lines.filter(({ msg }) => msg === 'attempt')).toEqual([]);
        } else {
          const ids = { deliveryId: delivery.id, attempt: 1, webhookId, tenantId };
          expect(attempt).toMatchObject({ level: DEBUG, ...ids, recorded: true });
        }
      } finally {
        await daemon.stop();
      }
    },
  );
});

describe('the API', () => {
  test('names request, tenant and key in the line of a request that went wrong, and writes none for a good one', async () => {
    const { log, lines } = keptLog('info');
    const { key, id: keyId } = await makeKey(stack.services, stack.tenantId, SCOPES);
    const server = await buildServer({ ...stack.services, log });
    const ask = (url: string) =>
      server.inject({ url, headers: { authorization: `Bearer ${key}`, 'x-request-id': 'mine' } });
    await ask('/api/v1/webhooks');
    await ask('/api/v1/webhooks/999999?token=x');
    await server.close();
    expect(lines).toEqual([
      expect.objectContaining({
        level: INFO,
        msg: 'request answered',
        requestId: 'mine',
        tenantId: stack.tenantId,
        keyId,
        status: 422,
        path: '/api/v1/webhooks/999999',
      }),
    ]);
  });
});

import { execFileSync } from 'node:child_process';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Daemon } from '../../daemon/daemon.js';
import { buildServer } from '../../src/api/server.js';
import { formatApiKey } from '../../src/domain/keys/api-key.js';
import { SCOPES } from '../../src/domain/keys/scopes.js';
import { apiMetrics } from '../../src/platform/telemetry/api-metrics.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { makeKey, openTestServices } from '../support/factories.js';
import { keptLog } from '../support/kept-log.js';
import { answer, type Receiver, startReceiver } from '../support/receiver.js';

const DEBUG = 20;
const INFO = 30;
const WARN = 40;
const ERROR = 50;

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
  test.each(['info', 'debug'])('at %s names delivery, webhook and tenant; attempts are for debug', async (level) => {
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
      const attempt = await eventually(() => level === 'info' || lines.find(({ msg }) => msg === 'attempt'));
      if (level === 'info') {
        expect(lines.filter(({ msg }) => msg === 'attempt')).toEqual([]);
      } else {
        const ids = { deliveryId: delivery.id, attempt: 1, webhookId, tenantId };
        expect(attempt).toMatchObject({ level: DEBUG, ...ids, recorded: true });
      }
    } finally {
      await daemon.stop();
    }
  });
});

test.each([
  ['pino', 'level', 'msg', [10, 20, 30, 40, 50, 60]],
  ['severity', 'severity', 'message', ['DEBUG', 'DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL']],
])('LOG_FORMAT=%s names level and text of a line as %s and %s', (logFormat, level, text, values) => {
  const names = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];
  const code = `
    import { openLog } from './dist/src/cli/open-log.js';
    const log = openLog({ logLevel: 'trace', logFormat: '${logFormat}' });
    for (const name of ${JSON.stringify(names)}) log.child({ name })[name]({ err: new Error('inner') }, 'a ' + name);`;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' });
  const lines = output
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  // The line of level fatal overtakes others in pino.
  const sorted = lines.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
  expect(sorted).toEqual(
    names.map((name, index) => ({
      [level]: values[index],
      [text]: `a ${name}`,
      name,
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      err: expect.objectContaining({ message: 'inner' }),
    })),
  );
});

test('a line of a connection that Postgres refused says what to do', () => {
  const code = `
    import { openLog } from './dist/src/cli/open-log.js';
    const err = Object.assign(new Error('sorry, too many clients already'), { code: '53300' });
    openLog({ logLevel: 'info', logFormat: 'pino' }).warn({ err }, 'refused');`;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' });
  expect(JSON.parse(output).err.advice).toBe('Raise max_connections, lower DATABASE_POOL_MAX, or run fewer processes.');
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

  test('has a line, and metrics a figure, also of a request whose path cannot be read', async () => {
    const { log, lines } = keptLog('info');
    const registry = new Registry();
    const server = await buildServer({ ...stack.services, log, metrics: apiMetrics(registry) });
    await server.inject({ url: '/%zz?token=x', headers: { 'x-request-id': 'mine' } });
    await server.close();
    const answered = { level: INFO, msg: 'request answered', requestId: 'mine', status: 404, path: '/%25zz' };
    expect(lines).toEqual([expect.objectContaining(answered)]);
    expect(await registry.metrics()).toMatch(
      /^hookwright_http_requests_total\{method="GET",route="none",status="404"\} 1$/m,
    );
  });

  /** Asks a server of its own, and says what its log has but the line of the answer. */
  async function faultsOf(
    query: string,
    databaseUrl = stack.databaseUrl,
  ): Promise<{ errors: { message: string }[]; faults: object[] }> {
    const { log, lines } = keptLog('info');
    const { key } = await makeKey(stack.services, stack.tenantId, SCOPES);
    const services = await openTestServices(databaseUrl);
    const server = await buildServer({ ...services, log });
    try {
      const headers = { authorization: `Bearer ${key}`, 'x-request-id': 'mine' };
      const answered = await server.inject({ method: 'POST', url: '/graphql', headers, payload: { query } });
      const faults = lines.filter(({ msg }) => msg !== 'request answered');
      return { errors: answered.json().errors, faults };
    } finally {
      await server.close();
      await services.db.close();
    }
  }

  test('tells once why fields of GraphQL failed, with the cause and the id of the request', async () => {
    const { id } = await stack.webhook(receiver.url);
    await stack.rows('alter table hookwright.webhooks rename column url to address');
    const { errors, faults } = await faultsOf(
      `{ a: webhook(id: "${id}") { url } b: webhook(id: "${id}") { url } }`,
    ).finally(() => stack.rows('alter table hookwright.webhooks rename column address to url'));
    expect(errors).toHaveLength(2);
    expect(faults).toEqual([
      expect.objectContaining({
        level: ERROR,
        msg: 'a request failed',
        requestId: 'mine',
        err: expect.objectContaining({ message: expect.stringContaining('url') }),
      }),
    ]);
  });

  test('says in a few lines that nothing works, however many requests are refused', async () => {
    const { log, lines } = keptLog('info');
    const services = await openTestServices('postgres://postgres@127.0.0.1:1/none');
    const server = await buildServer({ ...services, log });
    const authorization = `Bearer ${formatApiKey(1, Buffer.alloc(32))}`;
    try {
      for (let n = 0; n < 50; n++) {
        const url = n % 2 === 0 ? '/graphql' : '/api/v1/webhooks';
        const { statusCode } = await server.inject({ method: 'GET', url, headers: { authorization } });
        expect(statusCode).toBe(503);
      }
    } finally {
      await server.close();
      await services.db.close();
    }
    expect(lines.length).toBeLessThan(20);
    expect(lines.map(({ msg }) => msg)).toContain('a request was refused: the database is away');
    expect(lines.map(({ msg }) => msg)).toContain('request answered');
  });

  test('tells why the database could not do what a field asked for', async () => {
    const { id } = await stack.webhook(receiver.url);
    const readOnly = new URL(stack.databaseUrl);
    readOnly.searchParams.set('options', '-c default_transaction_read_only=on');
    const { errors, faults } = await faultsOf(
      `mutation { deleteWebhook(input: {id: "${id}"}) { deletedWebhookId } }`,
      readOnly.href.replaceAll('+', '%20'),
    );
    expect(errors[0]?.message).toBe('The database takes no changes at the moment; try again.');
    expect(faults).toContainEqual(
      expect.objectContaining({
        level: WARN,
        msg: 'a request was refused: the database is away',
        requestId: 'mine',
        err: expect.objectContaining({ code: '25006' }),
      }),
    );
  });
});

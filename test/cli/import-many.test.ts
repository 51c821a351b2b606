import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ApiOverSockets } from '../support/api-over-sockets.js';
import { runHere } from '../support/command.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { makeKey } from '../support/factories.js';
import { isFuzz } from '../support/properties.js';

const WEBHOOKS = 10_000;
const PER_TENANT = 40;

test.runIf(isFuzz)('10,000 webhooks move in within five minutes, by the default limits of requests', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookwright-import-'));
  await using stack = await DeliveryStack.open({ MANAGEMENT_RATE_MAX: '100', MANAGEMENT_BURST_MAX: '200' });
  await using api = await ApiOverSockets.open(stack.services, stack.tenantId);
  const { key } = await makeKey(stack.services, null, ['platform:admin']);
  const file = join(folder, 'many.jsonl');
  const lines = Array.from({ length: WEBHOOKS }, (_, at) => ({
    ...{ v: 1, from: `own:${at}`, tenant: { externalId: `cust_${Math.floor(at / PER_TENANT)}` }, externalId: `${at}` },
    ...{ url: `https://hooks.acme.com/${at}`, events: ['*'], secret: `invented secret of ${at}`, compat: 'svix' },
  }));
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
  const write = () =>
    runHere(['import', 'write', file, '--url', `http://127.0.0.1:${api.port}`], { HOOKWRIGHT_API_KEY: key });
  const startedAt = performance.now();
  const first = await write();
  const seconds = (performance.now() - startedAt) / 1_000;
  expect(first).toMatchObject({ code: 0, output: expect.stringContaining(`Webhooks: ${WEBHOOKS} made, at`) });
  const again = performance.now();
  expect((await write()).output).toContain(`Webhooks: ${WEBHOOKS} there already, at`);
  const secondRun = (performance.now() - again) / 1_000;
  process.stderr.write(`${WEBHOOKS} webhooks in ${seconds.toFixed(0)} s, again in ${secondRun.toFixed(0)} s\n`);
  expect(seconds).toBeLessThan(300);
  rmSync(folder, { recursive: true });
});

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandLine } from '../../src/operations/rows/audit.js';
import { rotateSecret } from '../../src/operations/webhooks/rotate-secret.js';
import {
  compatibilityFolder,
  requireCompatibilityInstalled,
  skipsCompatibilityTests,
} from '../support/compatibility.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import type { Received } from '../support/receiver.js';

/** A request, and a secret that its receiver may have. */
interface Case {
  secret: string;
  headers: Record<string, string>;
  body: string;
}

const isCi = process.env['CI'] === 'true';
const python = join(compatibilityFolder, 'python');
const goFolder = join(compatibilityFolder, 'svix-go');

const PYTHON = `
import json, sys
from svix.webhooks import Webhook, WebhookVerificationError
for line in sys.stdin:
    case = json.loads(line)
    try:
        Webhook(case["secret"]).verify(case["body"].encode(), case["headers"])
        print("true")
    except WebhookVerificationError:
        print("false")
`;

/** Gives a program the cases as lines. @returns its words */
function asked([command = '', ...args]: string[], cases: readonly Case[], cwd = compatibilityFolder): boolean[] {
  const { stdout, stderr, status } = spawnSync(command, args, {
    cwd,
    input: cases.map((one) => `${JSON.stringify(one)}\n`).join(''),
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: python, PYTHONDONTWRITEBYTECODE: '1' },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.any(String) });
  return stdout
    .trim()
    .split('\n')
    .map((word) => word === 'true');
}

/** Whether the module of Go has been downloaded. */
const hasModule = () =>
  spawnSync('go', ['list', '-deps', '.'], { cwd: goFolder, env: { ...process.env, GOPROXY: 'off' } }).status === 0;

const libraries: Record<string, { isThere: () => boolean; verify: (cases: readonly Case[]) => boolean[] }> = {
  'the package of npm': {
    isThere: () => !skipsCompatibilityTests(),
    verify(cases) {
      requireCompatibilityInstalled();
      const { Webhook } = createRequire(join(compatibilityFolder, 'package.json'))('svix');
      return cases.map(({ secret, headers, body }) => {
        try {
          new Webhook(secret).verify(body, headers);
          return true;
        } catch {
          return false;
        }
      });
    },
  },
  'the package of PyPI': {
    isThere: () => isCi || existsSync(join(python, 'svix')),
    verify: (cases) => asked(['python3', '-c', PYTHON], cases),
  },
  'the module of Go': {
    isThere: () => isCi || hasModule(),
    verify: (cases) => asked(['go', 'run', '.'], cases, goFolder),
  },
};

describe('deliveries with the form svix', () => {
  let stack: DeliveryStack;
  beforeAll(async () => {
    stack = await DeliveryStack.open();
    stack.startDaemon();
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  test.each(Object.entries(libraries).filter(([, { isThere }]) => isThere()))(
    'are verified by %s with one secret, and with each of two during a rotation',
    // The first build of Go's module takes two minutes.
    { timeout: 300_000 },
    async (_, { verify }) => {
      const endpoint = await stack.endpoint();
      const { webhookId, received } = endpoint;
      await stack.change(webhookId, { compat: 'svix' });
      const deliver = async (): Promise<Received> => {
        const before = received.length;
        await stack.emit('coupon.applied', { code: 'é🎫/</>', discount_type: 'fixed' });
        return await eventually(() => received[before]);
      };
      const { db, vault, random } = stack.services;
      const rotate = async (overlapHours: number) =>
        (await rotateSecret(db, vault, random, stack.tenantId, { webhookId, overlapHours, by: commandLine })).secret;
      const before = await deliver();
      const second = await rotate(24);
      const during = await deliver();
      const third = await rotate(0);
      const after = await deliver();
      const cases = [
        { request: before, secret: endpoint.secret, verifies: true },
        { request: before, secret: second, verifies: false },
        { request: during, secret: endpoint.secret, verifies: true },
        { request: during, secret: second, verifies: true },
        { request: during, secret: third, verifies: false },
        { request: after, secret: third, verifies: true },
        { request: after, secret: second, verifies: false },
      ];
      const found = verify(cases.map(({ request, secret }) => ({ secret, ...svixPartOf(request) })));
      expect(found).toEqual(cases.map(({ verifies }) => verifies));
    },
  );
});

/** Its own headers alone: the libraries would take those of Standard Webhooks too. */
const svixPartOf = ({ headers, body }: Received): Pick<Case, 'headers' | 'body'> => ({
  headers: Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (name.startsWith('svix-') ? [[name, String(value)]] : [])),
  ),
  body: body.toString(),
});

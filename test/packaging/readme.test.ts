import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocksOf, CleanClone } from '../support/clean-clone.js';
import { createTestDatabase } from '../support/database.js';
import { isOffline } from '../support/registry.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const SLOW = 900_000;
/** `npm test` is asked for these alone: with all of them it would take as long as all of them. */
const SOME_TESTS = 'test/domain/retry-policy test/delivery/installation.test';

const commandsOf = (block = '') => block.trim().split(/(?<!\\)\n/);
const [first, webhook = '', receiver = '', trigger = '', production] = blocksOf('README.md', 'sh');
const [start = '', tests = ''] = commandsOf(first);

test('the receiver of README.md is the example that it names', () => {
  const file = readFileSync('examples/express.mjs', 'utf8');
  expect(blocksOf('README.md', 'js')).toEqual([file.replace(/^\/\/.*\n/, '')]);
});

describe.skipIf(!CleanClone.exists)('in a clean clone', () => {
  let clone: CleanClone;
  let service: ReturnType<CleanClone['type']>;
  let isSkipped = false;
  const withSecret = (command: string, answer: string) => command.replace('whsec_…', /whsec_[\w+/=]+/.exec(answer)![0]);

  beforeAll(async () => {
    clone = await CleanClone.make();
    service = clone.type(start);
    await service.shows(/^Hookwright is ready at/m).catch((error) => {
      isSkipped = isOffline(String(error)) && !service.text.includes('Building');
      if (!isSkipped) {
        throw error;
      }
    });
  }, SLOW);
  afterAll(() => clone?.[Symbol.dispose]());

  test('the first command of README.md installs, shows what it builds, and starts', (context) => {
    context.skip(isSkipped, 'the registry cannot be reached');
    expect(service.text).toMatch(/^Building service, .*\n( {2}\d of 3: \w+, [\d.]+ s\n){3}/m);
    expect(service.text).not.toMatch(/EBADENGINE|npm warn/i);
  });

  test('by the next ones a verified receiver gets an event', { timeout: SLOW }, async (context) => {
    context.skip(isSkipped, 'the registry cannot be reached');
    const made = await clone.type(webhook).ends();
    const express = clone.type(withSecret(receiver, made));
    await express.listensAt(clone.ports.receiver);
    expect(await clone.type(trigger).ends()).toMatch(/✓ .* answered 200/);
    await express.shows(/^Booked \S+$/m);
    await express.interrupt();
  });

  test('docs/receive.md makes an application from nothing', { timeout: SLOW }, async (context) => {
    context.skip(isSkipped, 'the registry cannot be reached');
    const page = ['docs/receive.md', 'sh', '## An Express app from nothing'] as const;
    const [install = '', webhook = '', serve = '', sendTest = ''] = blocksOf(...page);
    await clone.type(install).ends();
    const shop = join(clone.folder, '../shop');
    writeFileSync(
      join(shop, 'server.mjs'),
      blocksOf(page[0], 'js', page[2])[0]!.replace('4000', `${clone.ports.receiver}`),
    );
    const made = await clone.type(webhook).ends();
    const server = clone.type(withSecret(serve, made), { cwd: shop });
    await server.listensAt(clone.ports.receiver);
    const [, id = ''] = /"id": ?(\d+)/.exec(made) ?? [];
    await clone.type(sendTest.replace('<id>', id)).ends();
    await server.shows(/^\w.*$/m);
    await server.interrupt();
  });

  test('nothing of ours comes from the registry', (context) => {
    context.skip(isSkipped, 'the registry cannot be reached');
    const logs = readdirSync(clone.logs).map((file) => readFileSync(join(clone.logs, file), 'utf8'));
    expect(logs.join('')).toContain('argv "ci"');
    expect(logs.join('')).not.toMatch(/http (fetch|cache).*hookwright/);
    for (const name of ['receiver', 'client']) {
      expect(lstatSync(join(clone.folder, 'node_modules/@hookwright', name)).isSymbolicLink()).toBe(true);
    }
  });

  test('Ctrl-C ends it, and the next start builds nothing', { timeout: SLOW }, async (context) => {
    context.skip(isSkipped, 'the registry cannot be reached');
    await service.interrupt();
    expect(service.text).toMatch(/"msg":"ended"/);
    const next = clone.type('npm start');
    await next.shows(/^Hookwright is ready at/m);
    expect(next.text).not.toContain('Building');
    await next.interrupt();
  });

  test('the second command runs the tests', { timeout: SLOW }, async (context) => {
    context.skip(isSkipped, 'the registry cannot be reached');
    // What was installed just now is not installed again.
    const said = await clone.type(`${tests.replace('npm ci && ', '')} -- ${SOME_TESTS}`).ends();
    expect(said).toMatch(/Test Files .*2 passed/);
  });

  test('the others run it in production', { timeout: SLOW }, async (context) => {
    context.skip(isSkipped, 'the registry cannot be reached');
    const { url, drop } = await createTestDatabase();
    const set = { HOME: temporaryFolder() };
    const [build, ...commands] = commandsOf(production?.replace('postgres://…', url));
    expect(build).toBe('npm ci && npm run build'); // the first command has done that
    const daemonCommand = commands.pop()!;
    const api = clone.type(commands.join('\n'), { set });
    await api.shows(/the API is listening at/);
    expect(api.text).toContain('A key for it: ./hookwright key create <name> --tenant 1\n');
    const settings = commands.find((command) => command.startsWith('export '));
    const daemon = clone.type(`${settings}\n${daemonCommand}`, { set });
    await daemon.shows(/the delivery daemon is running/);
    await Promise.all([api.interrupt(), daemon.interrupt()]);
    await drop();
  });
});

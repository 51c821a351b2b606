import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { examine } from '../../src/cli/doctor.js';
import { encryptionKeyFile, encryptionKeysOf } from '../../src/cli/encryption-keys.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { SecretVault } from '../../src/operations/secrets/secret-vault.js';
import { createTenant } from '../../src/operations/tenants/create-tenant.js';
import { readConfig } from '../../src/platform/settings/config.js';
import { runHere } from '../support/command.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { heard, runProgram, startProgram } from '../support/program.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** The all-in-one mode's rules, over a database that is there already. */
describe('the encryption key in the data folder', () => {
  let stack: DeliveryStack;
  let dataDir: string;
  beforeEach(async () => {
    stack = await DeliveryStack.open();
    await stack.rows('delete from hookwright.audit_log');
    await stack.rows('delete from hookwright.tenants');
    dataDir = temporaryFolder();
  });
  afterEach(() => stack[Symbol.asyncDispose]());

  const keysOf = (env: Record<string, string> = {}) =>
    encryptionKeysOf(readConfig({ DATA_DIR: dataDir, ...env }), stack.services.db);
  const file = () => encryptionKeyFile(readConfig({ DATA_DIR: dataDir }));

  async function makeTenantWith(keys: Awaited<ReturnType<typeof keysOf>>, name: string): Promise<void> {
    await createTenant(stack.services.db, new SecretVault(stack.services.db, keys), name, commandLine);
  }

  test('is made for its owner alone while there is no tenant, and is the same one from then on', async () => {
    const made = await keysOf();
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    // A start that was interrupted here has made no tenant yet.
    expect(await keysOf()).toEqual(made);
    await makeTenantWith(made, 'first');
    expect(await keysOf()).toEqual(made);
  });

  test('is one and the same for two first starts at the same moment', async () => {
    const [one, two] = await Promise.all([keysOf(), keysOf()]);
    expect(one).toEqual(two);
  });

  test('that is lost is not replaced: the error names the file to restore', async () => {
    const made = await keysOf();
    await makeTenantWith(made, 'first');
    rmSync(file());
    await expect(keysOf()).rejects.toThrow(
      `The file ${file()} is missing. It has the encryption key local, which protects the signing secrets of all webhooks (tenants: 1): restore it from your backup`,
    );
    expect(existsSync(file())).toBe(false);
    writeFileSync(file(), `${made[0]?.key.toString('base64')}\n`);
    expect(await keysOf()).toEqual(made);
  });

  test('that was lost before there was any tenant is made again', async () => {
    const made = await keysOf();
    rmSync(file());
    expect(await keysOf()).not.toEqual(made);
  });

  test('that was replaced by another one is refused', async () => {
    await makeTenantWith(await keysOf(), 'first');
    writeFileSync(file(), `${randomBytes(32).toString('base64')}\n`);
    await expect(keysOf()).rejects.toThrow(
      `The encryption key local in ${file()} is another one than the key that protects secrets under this name (tenants: 1)`,
    );
  });

  test('that is damaged is refused', async () => {
    writeFileSync(file(), 'c2hvcnQ=\n');
    await expect(keysOf()).rejects.toThrow(`${file()} is damaged: it must have the base64 of 32 bytes.`);
  });

  test('can be rotated away: it is in ENCRYPTION_KEYS beside the new one, and is needed while it is in use', async () => {
    const [local] = await keysOf();
    await makeTenantWith([local!], 'first');
    const next = `k1:${randomBytes(32).toString('base64')}`;
    const both = `${next},local:${local!.key.toString('base64')}`;
    expect((await keysOf({ ENCRYPTION_KEYS: both })).map(({ kid }) => kid)).toEqual(['k1', 'local']);
    await expect(keysOf({ ENCRYPTION_KEYS: next })).rejects.toThrow(
      'ENCRYPTION_KEYS lacks the key local, which protects secrets (tenants: 1)',
    );
    await makeTenantWith(await keysOf({ ENCRYPTION_KEYS: both }), 'second');
    await expect(keysOf()).rejects.toThrow(
      'ENCRYPTION_KEYS (not set) lacks the key k1, which protects secrets (tenants: 1)',
    );
  });
});

/** The program itself, with a Postgres of its own. */
describe('hookwright start', () => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) {
      child.kill('SIGTERM'); // does nothing to one that has ended
    }
  });

  test('and its commands do not work with a lost key, the doctor says so, and the right one mends it', async () => {
    const dataDir = join(temporaryFolder(), 'data');
    const set = { DATA_DIR: dataDir, PORT: '0' };
    const ends = async (...args: string[]) => {
      const { code, output, errors } = await (args[0] === 'start' ? runProgram : runHere)(args, set);
      return { code, said: output + errors };
    };
    const startAndStop = async () => {
      const child = startProgram(['start'], set);
      children.push(child);
      const said = heard(child);
      await eventually(() => said.errors.includes('Hookwright is ready'), 90_000);
      child.kill('SIGTERM');
      await once(child, 'close');
    };
    await startAndStop();
    const file = join(dataDir, 'encryption-key');
    const key = readFileSync(file);
    const keyCheck = async () => (await examine({ DATA_DIR: dataDir })).find(({ name }) => name === 'encryption keys');

    rmSync(file);
    const refused = await ends('start');
    expect(refused.said).toContain(`The file ${file} is missing.`);
    expect(refused.code).toBe(1);
    expect(existsSync(file)).toBe(false);
    expect((await ends('key', 'list')).code).toBe(0); // needs no secret
    expect(await keyCheck()).toMatchObject({ status: 'fail', text: expect.stringContaining('is missing.') });

    writeFileSync(file, `${randomBytes(32).toString('base64')}\n`);
    expect(await keyCheck()).toMatchObject({ status: 'fail', text: expect.stringContaining('is another one') });
    writeFileSync(file, 'c2hvcnQ=');
    expect(await keyCheck()).toMatchObject({ status: 'fail', text: expect.stringContaining('is damaged') });

    writeFileSync(file, key);
    expect(await keyCheck()).toMatchObject({ status: 'ok' });

    writeFileSync(file, 'c2hvcnQ=');
    const damaged = await ends('keys', 'give-up', 'local', '--for-good');
    expect(damaged.said).toContain('Where there is none, give the file another name: then the key counts as lost.');
    expect(readFileSync(file, 'utf8')).toBe('c2hvcnQ=');

    rmSync(file);
    expect((await ends('keys', 'give-up', 'local', '--for-good')).code).toBe(0);
    expect(await keyCheck()).toMatchObject({ status: 'ok' });
    await startAndStop();
  }, 300_000);
});

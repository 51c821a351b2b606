import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FormUnknown } from '../../daemon/delivery/options.js';
import { OwnFaults } from '../../daemon/delivery/own-faults.js';
import { TlsUnusable } from '../../daemon/sending/tls-identity.js';
import { SecretUnreadable } from '../../src/operations/secrets/secret-vault.js';

const unreadable = new SecretUnreadable('The envelope cannot be opened');
const whose = (tenantId: number) => ({ tenantId, webhookId: 7 });

afterEach(() => {
  vi.restoreAllMocks();
});

let lines: Record<string, unknown>[];
let ownFaults: OwnFaults;
beforeEach(() => {
  lines = [];
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) });
  ownFaults = new OwnFaults(log);
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});

test('a delivery whose secret does not open waits for minutes, and the log names its tenant and webhook, once', async () => {
  expect(await ownFaults.notNow(unreadable, whose(3))).toEqual({ putOffMs: 240_000 });
  expect(await ownFaults.notNow(unreadable, whose(4))).toEqual({ putOffMs: 240_000 });
  expect(lines).toMatchObject([{ tenantId: 3, webhookId: 7 }]);
});

test('a delivery whose signature form this daemon lacks waits for minutes, and the log names the form, once', async () => {
  expect(await ownFaults.notNow(new FormUnknown('acme'), whose(3))).toEqual({ putOffMs: 240_000 });
  expect(await ownFaults.notNow(new FormUnknown('acme'), whose(4))).toEqual({ putOffMs: 240_000 });
  expect(await ownFaults.notNow(new FormUnknown('other'), whose(4))).toEqual({ putOffMs: 240_000 });
  expect(lines).toMatchObject([
    { tenantId: 3, webhookId: 7, msg: expect.stringMatching(/^the signature form acme is not known here/) },
    { tenantId: 4, msg: expect.stringMatching(/^the signature form other/) },
  ]);
});

test('a delivery whose TLS OpenSSL refuses waits for minutes, and the log names its tenant and webhook, once', async () => {
  const unusable = new TlsUnusable('OpenSSL refuses the key.');
  expect(await ownFaults.notNow(unusable, whose(3))).toEqual({ putOffMs: 240_000 });
  expect(await ownFaults.notNow(unusable, whose(4))).toEqual({ putOffMs: 240_000 });
  expect(lines).toMatchObject([{ tenantId: 3, webhookId: 7, msg: expect.stringMatching(/^the TLS of an endpoint/) }]);
});

test('what is none of these faults is thrown', async () => {
  const error = new Error('the database is away');
  await expect(ownFaults.notNow(error, whose(3))).rejects.toBe(error);
  expect(lines).toEqual([]);
});

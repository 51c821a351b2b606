import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { expect, test } from 'vitest';
import { formatApiKey } from '../../src/domain/keys/api-key.js';
import { formatSecret, SECRET_BYTES } from '../../src/domain/signing/secret.js';
import { createTestDatabase } from '../support/database.js';
import { watchedLog } from '../support/plaintext.js';

/** Every file of tests ends with a search for secrets in the clear. These make sure that it would find them. */

const secret = formatSecret(randomBytes(SECRET_BYTES));
const key = formatApiKey(7, randomBytes(32));

async function afterwards(sql: string, values: unknown[]): Promise<string> {
  const { url, drop } = await createTestDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql, values);
  await client.end();
  return drop().then(
    () => 'nothing was found',
    (error: Error) => error.message,
  );
}

const attempt = (column: string, value: string) =>
  `insert into hookwright.attempts (delivery_id, number, tenant_id, url, started_at, duration_ms, request_headers, ${column})
   values (hookwright.next_id(), 1, 1, '', now(), 1, '{}', ${value})`;

test.each<[string, string, unknown[]]>([
  ['in a text', attempt('response_headers', '$1'), [JSON.stringify({ echo: `a ${secret}` })]],
  ['in bytes', attempt('response_body', '$1'), [Buffer.from(`x${secret}y`)]],
  [
    'in the payload of a job',
    `select hookwright_jobs.add_job('deliver', json_build_object('secret', $1::text))`,
    [secret],
  ],
])('a secret %s is found, and not repeated', async (_where, sql, values) => {
  const said = await afterwards(sql, values);
  expect(said).toContain('Secrets or keys are in the clear');
  expect(said).not.toContain(secret);
});

test('an API key is found', async () => {
  expect(await afterwards(attempt('error_code', '$1'), [key])).toContain('hookwright.attempts');
});

test('a key in a log line is found, however it got there', async () => {
  watchedLog().debug({ headers: { 'x-forwarded-authorization': `Bearer ${key}` } }, 'a request');
  expect(await afterwards('select 1', [])).toContain('log: ');
});

test('a database without any is silent', async () => {
  expect(await afterwards(attempt('error_code', '$1'), ['whsec_ is how secrets begin'])).toBe('nothing was found');
});

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { retriesOf } from '../../src/cli/developer/import/read/convoy-retries.js';
import { readFilter } from '../../src/domain/content/read-filter.js';
import { readConfig } from '../../src/platform/settings/config.js';
import { runHere } from '../support/command.js';
import { createTestDatabase } from '../support/database.js';
import { type FormerSystem, serveRecorded } from '../support/former-system.js';
import { issueCertificate } from '../support/issue-certificate.js';

const folder = mkdtempSync(join(tmpdir(), 'hookwright-import-'));
afterAll(() => rmSync(folder, { recursive: true }));

let made = 0;
const VARIABLES = { svix: 'SVIX_AUTH_TOKEN', convoy: 'CONVOY_API_KEY', outpost: 'OUTPOST_API_KEY' } as const;
type Name = keyof typeof VARIABLES;

// biome-ignore lint/suspicious/noExplicitAny: lines of several forms
type Line = any;

async function read(name: Name, { url, key }: FormerSystem, ...options: string[]) {
  const out = join(folder, `${++made}.jsonl`);
  const project = name === 'convoy' ? ['--project', '01HPROJ'] : [];
  const args = ['import', 'read', name, '--from', url, '--out', out, ...project, ...options];
  return { ...(await runHere(args, { [VARIABLES[name]]: key })), out };
}

function linesOf(file: string): { webhooks: Record<string, Line>; types: Line[] } {
  const lines: Line[] = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return {
    webhooks: Object.fromEntries(lines.filter(({ url }) => url).map((line) => [line.externalId, line])),
    types: lines.flatMap(({ eventType }) => eventType ?? []),
  };
}

/** The secrets of a recording: none may be said. */
const secretsIn = (name: Name) =>
  readFileSync(new URL(`../fixtures/import/${name}.json`, import.meta.url), 'utf8').match(
    /(whsec_|invented[- ])[^"]+|([0-9a-f]{2}){32}/g,
  )!;

describe('import read', () => {
  test('writes the endpoints of Svix, of all pages, with their secrets, headers and event types', async () => {
    await using svix = await serveRecorded('svix');
    const { code, output, out } = await read('svix', svix);
    const { webhooks, types } = linesOf(out);
    expect(webhooks['main']).toMatchObject({
      v: 1,
      from: 'svix:app_2q1/ep_2q1',
      tenant: { externalId: 'cust_42', name: 'Acme' },
      url: 'https://hooks.acme.com/svix',
      events: ['invoice.paid'],
      secret: expect.stringMatching(/^whsec_.{32}$/),
      compat: 'svix',
      active: false,
      description: 'Invoices for the ledger',
      metadata: { team: 'billing' },
      headers: {
        'X-Env': { value: 'prod', secret: false },
        'X-Acme-Key': { value: 'invented-api-key-1', secret: true },
      },
      ratePerSecond: 50,
      notes: ['paused: its secret headers are not readable: x-api-key; set them here, and enable it'],
    });
    expect(webhooks['ep_2q2']).toMatchObject({
      events: ['*'],
      active: false,
      notes: [expect.stringMatching(/channels/)],
    });
    expect(webhooks['ep_2q3']).toMatchObject({ active: false, ratePerSecond: 5, tenant: { externalId: 'app_2q2' } });
    expect(webhooks['ep_2q4']).toMatchObject({ secret: null, active: false });
    expect(types).toEqual([
      expect.objectContaining({ name: 'invoice.paid', schema: expect.objectContaining({ required: ['id'] }) }),
      expect.objectContaining({ name: 'invoice.sent' }),
    ]);
    expect(output).toContain('svix:app_2q2/ep_2q3: may be refused: url must begin with https:// (');
    expect(output).toContain('svix:app_2q1/ep_2q1: paused: its secret headers are not readable: x-api-key; ');
    expect(output).toContain(
      `${out} has 4 webhooks of 2 tenants, and 2 event types.\nSecrets are in it, in the clear.`,
    );
    expect(code).toBe(1);
  });

  test('writes the endpoints of Convoy, with what all their subscriptions say as one webhook', async () => {
    await using convoy = await serveRecorded('convoy');
    const { code, output, out } = await read('convoy', convoy);
    const { webhooks, types } = linesOf(out);
    expect(webhooks['E1']).toMatchObject({
      from: 'convoy:01HPROJ/E1',
      tenant: { externalId: 'cust_42' },
      events: ['invoice.paid', 'invoice.sent'],
      secret: 'invented convoy secret two',
      previousSecret: 'invented convoy secret one',
      previousSecretExpiresAt: '2099-01-01T00:00:00Z',
      compat: 'convoy',
      active: true,
      name: 'Ledger E1',
      auth: { apiKey: { header: 'X-Acme-Key', value: 'invented-api-key-2' } },
      ratePerSecond: 5,
      timeoutMs: 10_000,
      retryDelaysSeconds: [10, 10, 10],
    });
    const field = (path: string, op: string, value: unknown) => ({ field: { path, op, value } });
    expect(webhooks['E1'].filter).toEqual({
      any: [
        {
          all: [
            field('@type', 'IN', ['invoice.paid']),
            field('total', 'GE', 100),
            field('customer.tier', 'EQ', 'gold'),
          ],
        },
        {
          all: [
            field('@type', 'IN', ['invoice.sent']),
            { any: [field('lines.sku', 'EQ', 'A1'), field('country', 'IN', ['DE', 'AT'])] },
          ],
        },
      ],
    });
    expect(readFilter(webhooks['E1'].filter)).toHaveProperty('filter');
    expect(webhooks['E2']).toMatchObject({
      tenant: { externalId: '01HPROJ', name: 'Billing' },
      compat: 'convoy-simple',
      active: false,
      auth: { basic: { username: 'acme', password: 'invented-password-1' } },
      timeoutMs: 15_000,
      retryDelaysSeconds: [60, 120, 240, 480, 960, 1_920, 3_840, ...Array(13).fill(7_200)],
      notes: ['it was sent again 25 times: here it is 20 times', expect.stringMatching(/to a chat/)],
    });
    expect(webhooks['E7']).toMatchObject({
      active: true,
      auth: {
        oauth2: {
          ...{
            tokenUrl: 'https://id.acme.com/token',
            clientId: 'acme-hooks',
            clientSecret: 'invented-client-secret-1',
          },
          ...{ scope: 'hooks.write', audience: null, clientAuth: 'BODY' },
        },
      },
      notes: [],
    });
    for (const [id, why] of [
      ['E3', /filter of headers/],
      ['E4', /transform function/],
      ['E4', /OAuth 2/],
      ['E6', /\$regex/],
      ['E6', /mTLS/],
      ['E6', /hides the password of acme/],
      ['E3', /x-www-form-urlencoded/],
      ['E8', /the proof client_assertion, other names in the answers/],
      ['E9', /hides parts of its OAuth 2/],
    ] as const) {
      expect(webhooks[id], id).toMatchObject({ active: false, filter: null });
      expect(webhooks[id].notes.join('\n')).toMatch(why);
    }
    expect(types.map(({ name }) => name)).toEqual(['invoice.paid']);
    expect(output).toContain('convoy:01HPROJ/E5: left out: it has no subscription, so it gets nothing\n');
    expect(output).toContain('convoy:01HPROJ/E6: may be refused: url must name a host on the public internet');
    expect(code).toBe(1);
  });

  test('brings a client certificate along where Convoy shows its key, which nothing prints', async () => {
    const { certificate: client_cert, key: client_key } = issueCertificate({ subject: 'acme' });
    await using convoy = await serveRecorded('convoy', (text) =>
      text.replace(
        '"mtls_client_cert": {',
        `"mtls_client_cert": ${JSON.stringify({ client_cert, client_key })}, "was": {`,
      ),
    );
    const { output, errors, out } = await read('convoy', convoy);
    const { tls, notes } = linesOf(out).webhooks['E6'];
    expect(tls).toEqual({ clientCertificatePem: client_cert, clientKeyPem: client_key });
    expect(notes.join('\n')).not.toMatch(/mTLS/);
    expect(output + errors).not.toContain(client_key.split('\n')[1]);
  });

  test('writes a signature form for a project of Convoy whose header or hash is its own', async () => {
    await using convoy = await serveRecorded('convoy');
    const signature = { header: 'X-Acme-Signature', versions: [{ uid: 'v', hash: 'SHA512', encoding: 'base64' }] };
    convoy.answerAt('/api/v1/projects/01HPROJ', { data: { uid: '01HPROJ', name: 'Billing', config: { signature } } });
    const { output, out } = await read('convoy', convoy);
    const { webhooks } = linesOf(out);
    expect(webhooks['E1'].compat).toBe('convoy-01hproj');
    expect(webhooks['E2'].compat).toBe('convoy-simple-01hproj');
    const [, forms = ''] = output.split('Put this into the file of SIGNATURE_FORMS before the import:\n');
    const file = join(folder, 'forms.json');
    writeFileSync(file, forms);
    const { signatureForms } = readConfig({ SIGNATURE_FORMS: file }).delivery;
    const own = { header: 'X-Acme-Signature', algorithm: 'sha512', encoding: 'base64' };
    expect(signatureForms.get('convoy-01hproj')?.planned).toMatchObject({ ...own, prefix: ['t=', '{timestamp}', ','] });
    expect(signatureForms.get('convoy-simple-01hproj')?.planned).toMatchObject({ ...own, value: ['{signature}'] });
  });

  test('writes the webhooks of Outpost, and lists what is none or cannot be said here', async () => {
    await using outpost = await serveRecorded('outpost');
    const { code, output, out } = await read('outpost', outpost);
    const { webhooks } = linesOf(out);
    expect(webhooks['des_1']).toMatchObject({
      from: 'outpost:cust_42/des_1',
      tenant: { externalId: 'cust_42', name: null },
      events: ['invoice.paid'],
      secret: 'invented outpost secret two',
      previousSecret: 'invented outpost secret one',
      compat: 'outpost',
      active: true,
      headers: { 'x-api-key': { value: 'invented-api-key-3', secret: true } },
      metadata: { team: 'billing' },
      notes: [],
    });
    const field = (path: string, op: string, value?: unknown) => ({
      field: { path, op, ...(value === undefined ? {} : { value }) },
    });
    expect(webhooks['des_1'].filter).toEqual({
      all: [
        ...[field('total', 'GE', 100), field('total', 'LT', 500), field('customer.tier', 'EQ', 'gold')],
        {
          any: [
            field('country', 'IN', ['DE', 'AT']),
            field('@type', 'EQ', 'invoice.sent'),
            field('deleted_at', 'MISSING'),
          ],
        },
      ],
    });
    for (const [id, why] of [
      ['des_3', /\$endsWith/],
      ['des_4', /metadata of an event/],
      ['des_7', /\$in in a text/],
    ] as const) {
      expect(webhooks[id], id).toMatchObject({ active: false, filter: null, notes: [expect.stringMatching(why)] });
    }
    expect(webhooks['des_6']).toMatchObject({
      tenant: { externalId: 'cust 43' },
      active: false,
      secret: /^[0-9a-f]{64}$/,
    });
    expect(output).toContain('outpost:cust_42/des_2: left out: it is no webhook, but aws_sqs\n');
    expect(output).toContain('outpost:cust 43/des_5: left out: it subscribes to patterns (invoice.*)');
    expect(output).toContain('outpost:cust 43/des_7: would be refused: url must use port 443');
    expect(code).toBe(1);
  });

  test('reads an Outpost that cannot list its tenants, or has older paths, by the tenants that are named', async () => {
    await using outpost = await serveRecorded('outpost');
    outpost.answerAt('/api/v1/cust_44/destinations', []);
    outpost.refuseNext(501);
    const refused = await read('outpost', outpost);
    expect(refused).toMatchObject({
      code: 2,
      errors: expect.stringContaining('answers 501. Name the tenants to read: --only'),
    });
    const named = await read('outpost', outpost, '--only', 'cust_42', '--only', 'cust_44');
    expect(Object.keys(linesOf(named.out).webhooks)).toEqual(['des_1', 'des_3', 'des_4']);
    expect(outpost.asked).not.toContain('/api/v1/tenants/cust%2043/destinations');
  });

  test('--only reads one tenant, and --compat names another signature form, or none', async () => {
    await using svix = await serveRecorded('svix');
    const one = await read('svix', svix, '--only', 'cust_42', '--compat', 'acme');
    expect(Object.values(linesOf(one.out).webhooks).map(({ compat }) => compat)).toEqual(['acme', 'acme']);
    const none = await read('svix', svix, '--only', 'cust_42', '--compat', 'none');
    expect(linesOf(none.out).webhooks['main'].compat).toBeNull();
  });

  test('--only with ids that nobody has writes nothing, and names those of which nothing is brought along', async () => {
    await using svix = await serveRecorded('svix');
    const none = await read('svix', svix, '--only', 'nope');
    expect(none).toMatchObject({ code: 2, errors: 'hookwright: No tenant there has an id that --only names: nope.\n' });
    expect(() => statSync(none.out)).toThrow();
    const some = await read('svix', svix, '--only', 'cust_42', '--only', 'nope');
    expect(some.output).toContain('--only nope: the file has nothing of it.\n');
  });

  test('writes tenants without endpoints as lines of their own; an empty name and an empty list of types say nothing', async () => {
    await using svix = await serveRecorded('svix');
    const app = (id: string, name: string) => ({ id, uid: null, name, rateLimit: null });
    svix.answerAt('/api/v1/app?limit=250', { data: [app('app_1', ' '), app('app_2', 'Empty')], done: true });
    const endpoint = { id: 'ep_1', url: 'https://hooks.acme.com/', filterTypes: [] };
    svix.answerAt('/api/v1/app/app_1/endpoint?limit=250', { data: [endpoint], done: true });
    svix.answerAt('/api/v1/app/app_1/endpoint/ep_1/secret', { key: `whsec_${Buffer.alloc(32).toString('base64')}` });
    svix.answerAt('/api/v1/app/app_1/endpoint/ep_1/headers', { headers: {}, sensitive: [] });
    svix.answerAt('/api/v1/app/app_2/endpoint?limit=250', { data: [], done: true });
    const types = [{ name: 'invoice.paid' }, { name: 'invoice.old', archived: true }];
    svix.answerAt('/api/v1/event-type?with_content=true&limit=250', { data: types, done: true });
    const { out, output, code } = await read('svix', svix);
    const lines = readFileSync(out, 'utf8').split('\n');
    expect(lines).toContain('{"v":1,"from":"svix:app_2","tenant":{"externalId":"app_2","name":"Empty"}}');
    expect(linesOf(out).webhooks['ep_1']).toMatchObject({
      events: ['*'],
      tenant: { externalId: 'app_1', name: null },
      active: true,
    });
    expect(output).toContain('has 1 webhook of 1 tenant, and 1 tenant without webhooks, and 1 event type.\n');
    expect(linesOf(out).types.map(({ name }) => name)).toEqual(['invoice.paid']);
    expect(code).toBe(0);
  });

  test('waits as a rate limit asks, and repeats what a gateway has refused', async () => {
    await using svix = await serveRecorded('svix');
    svix.refuseNext(429, 429);
    expect((await read('svix', svix)).code).toBe(1);
    expect(svix.asked.slice(0, 3)).toEqual(Array(3).fill('/api/v1/event-type?with_content=true&limit=250'));
  });

  test('leaves no file when it fails: a wrong key, another system, an answer in another form', async () => {
    await using svix = await serveRecorded('svix');
    const wrong = await read('svix', { ...svix, key: 'another' });
    expect(wrong).toMatchObject({ code: 2, output: '' });
    expect(wrong.errors).toBe(
      `hookwright: ${svix.url}/api/v1/event-type answers 401. Is the key in SVIX_AUTH_TOKEN one that may read it?\n`,
    );
    const other = await read('outpost', svix);
    expect(other).toMatchObject({ code: 2, errors: expect.stringContaining('/tenants answers 404. Is --from right?') });
    svix.answerAt('/api/v1/app?limit=250', { data: [{ id: 7 }] });
    const odd = await read('svix', svix);
    expect(odd.errors).toBe(
      `hookwright: ${svix.url}/api/v1/app answers in another form than was expected (data.0.id).\n`,
    );
    for (const { out } of [wrong, other, odd]) {
      expect(() => statSync(out)).toThrow();
    }
    expect((await read('svix', { ...svix, key: '' })).errors).toContain('environment variable SVIX_AUTH_TOKEN');
    expect((await read('svix', { ...svix, url: 'svix.internal' })).errors).toContain('is not an address');
  });

  test('writes its file for its owner alone, never over another one, and says no secret', async () => {
    for (const name of ['svix', 'convoy', 'outpost'] as const) {
      await using system = await serveRecorded(name);
      const { out, output, errors } = await read(name, system);
      expect(statSync(out).mode & 0o777).toBe(0o600);
      const secrets = secretsIn(name);
      expect(secrets.length).toBeGreaterThan(3);
      expect(secrets.filter((secret) => `${output}${errors}`.includes(secret))).toEqual([]);
      writeFileSync(out, 'kept');
      const asked = system.asked.length;
      made -= 1;
      expect(await read(name, system)).toMatchObject({ code: 2, errors: expect.stringContaining('is there already') });
      expect(readFileSync(out, 'utf8')).toBe('kept');
      expect(system.asked).toHaveLength(asked);
    }
  });
});

test('retries of Convoy come along where all subscriptions of an endpoint have the same', () => {
  const linear = { type: 'linear', duration: '90s', retry_count: 2 };
  expect(retriesOf([linear, { ...linear, duration: '1m30s' }])).toEqual({ retryDelaysSeconds: [90, 90], notes: [] });
  expect(retriesOf([null, { ...linear, retry_count: 0 }])).toEqual({ retryDelaysSeconds: null, notes: [] });
  expect(retriesOf([linear, null])).toEqual({
    retryDelaysSeconds: null,
    notes: ["its subscriptions are sent again in different ways: here the service's own delays hold"],
  });
  expect(retriesOf([{ ...linear, retry_count: 25 }])).toEqual({
    retryDelaysSeconds: Array(20).fill(90),
    notes: ['it was sent again 25 times: here it is 20 times'],
  });
});

describe('import read sql', () => {
  const query = (text: string) => {
    const file = join(folder, `${++made}.sql`);
    writeFileSync(file, text);
    return file;
  };
  async function readSql(url: string, text: string) {
    const out = join(folder, `${++made}.jsonl`);
    const args = ['import', 'read', 'sql', '--query', query(text), '--out', out];
    return { ...(await runHere(args, { IMPORT_DATABASE_URL: url })), out };
  }

  test('reads own tables by a query with the names of the fields, and never writes to them', async () => {
    const { url, drop } = await createTestDatabase();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(`create table hooks (id bigint, customer int, target text, types text[], signing_key text,
        labels jsonb, headers json, limit_each numeric(6, 2), until timestamptz, paused boolean)`);
      await client.query(`insert into hooks values
        (1, 42, 'https://hooks.acme.com/1', '{invoice.paid}', 'invented own secret', '{"team": "billing"}',
         '{"X-Env": {"value": "prod", "secret": false}}', 2.50, '2099-01-01T00:00:00Z', false),
        (2, 43, 'https://hooks.acme.com/2', '{*}', null, null, null, null, null, true)`);
      const select = `select customer as tenant_external_id, 'Customer ' || customer as "tenantName", id as external_id,
        target as url, types as events, signing_key as secret, labels as metadata, headers,
        limit_each as rate_per_second, until as previous_secret_expires_at, not paused as active from hooks order by id`;
      const { code, output, out } = await readSql(url, select);
      const { webhooks } = linesOf(out);
      expect(webhooks['1']).toMatchObject({
        from: 'sql:1',
        tenant: { externalId: '42', name: 'Customer 42' },
        events: ['invoice.paid'],
        secret: 'invented own secret',
        metadata: { team: 'billing' },
        headers: { 'X-Env': { value: 'prod', secret: false } },
        ratePerSecond: 2.5,
        previousSecretExpiresAt: '2099-01-01T00:00:00.000Z',
        active: true,
      });
      expect(webhooks['2']).toMatchObject({ events: ['*'], secret: null, active: false });
      expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('2 webhooks of 2 tenants.') });

      const odd = await readSql(url, 'select 1 as id, target as url, types as events from hooks');
      expect(odd.errors).toContain(
        'has columns that no line has (id), and lacks columns (tenant_external_id, external_id)',
      );
      const broken = await readSql(url, 'select signing_key::int from hooks');
      expect(broken).toMatchObject({ code: 2, errors: expect.stringMatching(/Postgres refuses it \(22P02\)\.\n$/) });
      const wrong = await readSql(url, 'select nothing from hooks');
      expect(wrong.errors).toContain('column "nothing" does not exist');
      const writing = await readSql(url, 'delete from hooks returning 1');
      expect(writing.errors).toContain('in a read-only transaction');
      const list = await readSql(url, select.replace('types as events', "'invoice.paid, invoice.sent' as events"));
      expect(linesOf(list.out).webhooks['1'].events).toEqual(['invoice.paid', 'invoice.sent']);
      const malformed = await readSql(url, select.replace('target as url', "42 as url, 'x' as filter"));
      expect(malformed.output).toContain('sql:1: left out: filter must be a JSON object\n');
      const options = `'60, 600' as retry_delays_seconds, 'PUT' as method, true as callback, 3::text as concurrency_max,
        '["{{code}}"]' as template, '{"by": "KEY", "settleSeconds": 2}'::json as ordering,`;
      const called = linesOf((await readSql(url, select.replace('headers,', options))).out).webhooks['1'];
      expect(called).toMatchObject({
        ...{ retryDelaysSeconds: [60, 600], method: 'PUT', callback: true, concurrencyMax: 3, template: ['{{code}}'] },
        ordering: { by: 'KEY', settleSeconds: 2 },
      });
      const tls = await readSql(url, select.replace('headers,', `'{"caPem": "garbage"}' as tls,`));
      expect(linesOf(tls.out).webhooks['1'].tls).toEqual({ caPem: 'garbage' });
      expect(tls.output).toContain('sql:1: would be refused: tls.caPem must be certificates in PEM');
    } finally {
      await client.end();
      await drop();
    }
  });
});

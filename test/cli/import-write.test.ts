import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ask } from '../../src/cli/developer/connection/ask.js';
import { writeImport } from '../../src/cli/developer/import/write/write.js';
import { ApiOverSockets } from '../support/api-over-sockets.js';
import { runHere } from '../support/command.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { couponEmit, makeKey } from '../support/factories.js';
import { serveRecorded } from '../support/former-system.js';
import { type Issued, issueCertificate } from '../support/issue-certificate.js';
import { ownPort } from '../support/loopback.js';
import { type Received, startReceiver } from '../support/receiver.js';

const folder = mkdtempSync(join(tmpdir(), 'hookwright-import-'));
let stack: DeliveryStack;
let api: ApiOverSockets;
let key: string;
beforeAll(async () => {
  // An installation as it comes: no http, no private addresses, and its own limits of requests.
  stack = await DeliveryStack.open({ ALLOW_HTTP_URLS: 'false', ALLOW_PRIVATE_TARGETS: '' });
  api = await ApiOverSockets.open(stack.services, stack.tenantId);
  key = (await makeKey(stack.services, null, ['platform:admin'])).key;
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await api[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

// biome-ignore lint/suspicious/noExplicitAny: lines of several forms
type Line = any;

const connection = () => ({ url: `http://127.0.0.1:${api.port}`, key, keyFrom: 'the test' });
const write = (file: string, ...options: string[]) =>
  runHere(['import', 'write', file, '--url', connection().url, ...options], { HOOKWRIGHT_API_KEY: key });

test('webhooks whose endpoints must prove that they want deliveries are counted, until all have proved it', async () => {
  await using gated = await DeliveryStack.open({ ENDPOINT_CHALLENGE: 'required' });
  await using there = await ApiOverSockets.open(gated.services, gated.tenantId);
  const platform = await makeKey(gated.services, null, ['platform:admin']);
  const writeThere = (...lines: Line[]) =>
    runHere(['import', 'write', fileOf(...lines), '--url', `http://127.0.0.1:${there.port}`], {
      HOOKWRIGHT_API_KEY: platform.key,
    });
  const lines = [line('proof_1'), line('proof_2')];
  const waits = (how: string) => `${how} for the proof that the endpoint wants deliveries`;
  expect((await writeThere(...lines)).output).toContain(waits('2 webhooks wait'));
  await gated.rows(`update hookwright.verifications set status = 'VERIFIED', method = 'OPTIONS'
    where webhook_id = (select min(webhook_id) from hookwright.verifications)`);
  expect((await writeThere(...lines)).output).toContain(waits('1 webhook waits'));
  await gated.rows(`update hookwright.verifications set status = 'VERIFIED', method = 'OPTIONS'`);
  expect((await writeThere(...lines)).output).not.toContain('for the proof');
});

let made = 0;
function fileOf(...lines: (Line | string)[]): string {
  const file = join(folder, `${++made}.jsonl`);
  writeFileSync(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  return file;
}

/** A line of a customer, with invented values. */
const line = (externalId: string, changes: object = {}, customer = 'cust_1'): Line => ({
  v: 1,
  from: `own:${externalId}`,
  tenant: { externalId: customer },
  externalId,
  url: `https://hooks.acme.com/${externalId}`,
  events: ['coupon.applied'],
  secret: `invented secret of ${externalId}`,
  ...changes,
});

const WEBHOOKS = `query ($externalId: String!) {
  tenant(externalId: $externalId) { id name }
}`;
const FOUND = `{ webhooks(first: 100) { edges { node {
  id externalId url eventTypes active name description metadata
  delivery { compat ratePerSecond timeoutMs own headers { name value secret } auth { kind username header tokenUrl clientId scope audience clientAuth } } content { filter }
} } } }`;

/** The webhooks of a tenant by their external ids, over the API. */
async function webhooksOf(customer: string): Promise<Record<string, Line>> {
  const { tenant } = await ask<Line>(connection(), WEBHOOKS, { externalId: customer });
  const { webhooks } = await ask<Line>({ ...connection(), tenant: tenant.id }, FOUND);
  return Object.fromEntries(webhooks.edges.map(({ node }: Line) => [node.externalId, node]));
}

async function recorded(name: 'svix' | 'convoy' | 'outpost'): Promise<string> {
  await using system = await serveRecorded(name);
  const out = join(folder, `${name}-${++made}.jsonl`);
  const variable = { svix: 'SVIX_AUTH_TOKEN', convoy: 'CONVOY_API_KEY', outpost: 'OUTPOST_API_KEY' }[name];
  const project = name === 'convoy' ? ['--project', '01HPROJ'] : [];
  await runHere(['import', 'read', name, '--from', system.url, '--out', out, ...project], { [variable]: system.key });
  return out;
}

/** Every row of every table as text, also as Postgres writes bytes. */
async function whereIs(texts: readonly string[]): Promise<string[]> {
  const tables = await stack.rows<{ name: string }>(`select format('%I.%I', schemaname, tablename) as name
    from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`);
  const places: string[] = [];
  for (const { name } of tables) {
    const [row] = await stack.rows<{ all: string | null }>(`select string_agg(t::text, E'\\n') as all from ${name} t`);
    places.push(
      ...texts
        .filter((text) => row?.all?.includes(text) || row?.all?.includes(Buffer.from(text).toString('hex')))
        .map((text) => `${name}: ${text}`),
    );
  }
  return places;
}

describe('import write', () => {
  test.each([
    ['svix', 4, 3],
    ['convoy', 8, 7],
    ['outpost', 5, 4],
  ] as const)('brings %s to a fresh installation once, and a second run changes nothing', async (name, all, taken) => {
    const file = await recorded(name);
    const first = await write(file, '--register-types');
    expect(first.output).toContain(`Webhooks: ${taken} made, ${all - taken} refused, at ${connection().url}.\n`);
    expect(first.code).toBe(1);
    const lasting = name === 'svix' ? 0 : 1;
    expect(first.output.match(/its previous secret signs for 30 days only/g) ?? []).toHaveLength(lasting);
    const before = await stack.rows('select id, version, options_version from hookwright.webhooks order by id');
    const second = await write(file, '--register-types');
    expect(second.output).toContain(`Webhooks: ${taken} there already, ${all - taken} refused, at`);
    expect(second.output).not.toContain('Made for them');
    expect(await stack.rows('select id, version, options_version from hookwright.webhooks order by id')).toEqual(
      before,
    );
  });

  test('keeps what the former system had: labels, options, filter, who is paused', async () => {
    const there = await webhooksOf('cust_42');
    expect(there['main']).toMatchObject({
      active: false,
      description: 'Invoices for the ledger',
      metadata: { team: 'billing' },
      eventTypes: ['invoice.paid'],
      delivery: {
        compat: 'svix',
        ratePerSecond: 50,
        headers: [
          { name: 'X-Env', value: 'prod', secret: false },
          { name: 'X-Acme-Key', value: null, secret: true },
        ],
      },
    });
    expect(there['ep_2q2'].active).toBe(false);
    expect(there['E1']).toMatchObject({
      name: 'Ledger E1',
      delivery: { compat: 'convoy', timeoutMs: 10_000, auth: { kind: 'API_KEY', header: 'X-Acme-Key' } },
      content: { filter: { any: expect.any(Array) } },
    });
    expect((await webhooksOf('cust_43'))['E7']).toMatchObject({
      active: true,
      delivery: { auth: { kind: 'OAUTH2', clientId: 'acme-hooks', scope: 'hooks.write', clientAuth: 'BODY' } },
    });
    expect(there['des_1'].delivery).toMatchObject({
      compat: 'outpost',
      headers: [{ name: 'x-api-key', secret: true }],
    });
  });

  test('gives two tenants of one name the external id behind it, and registers types, the odd ones without rules', async () => {
    const { tenants } = await ask<Line>(
      connection(),
      '{ tenants(filter: { search: "Acme" }) { edges { node { name } } } }',
    );
    expect(tenants.edges.map(({ node }: Line) => node.name).sort()).toEqual(['Acme (app_2q2)', 'Acme (cust_42)']);
    const { eventTypes } = await ask<Line>(connection(), '{ eventTypes { name schema } }');
    const schemas = Object.fromEntries(eventTypes.map(({ name, schema }: Line) => [name, schema]));
    expect(schemas['invoice.paid']).toMatchObject({ required: ['id'] });
    expect(schemas['invoice.sent']).toEqual({ type: 'object' });
  });

  test('shows what differs, and changes it with --update alone', async () => {
    const first = line('a', {
      ...{ name: 'Ledger', metadata: { team: 'billing' }, ratePerSecond: 5, timeoutMs: 5_000 },
      headers: { 'X-Env': { value: 'prod', secret: false }, 'X-Key': { value: 'invented header value', secret: true } },
      auth: { basic: { username: 'acme', password: 'invented password' } },
      filter: { field: { path: 'code', op: 'EQ', value: 'SUMMER' } },
    });
    await write(fileOf(first, line('b')));
    const changed = {
      ...first,
      ...{ url: 'https://new.acme.com/a', events: ['*'], name: 'Books', ratePerSecond: 6 },
      headers: { ...first.headers, 'X-Env': { value: 'test', secret: false } },
      auth: { bearer: 'invented-token' },
      filter: { field: { path: 'code', op: 'EQ', value: 'WINTER' } },
    };
    const file = fileOf(changed, line('b'));
    const { id } = (await webhooksOf('cust_1'))['a'];
    const shown = await write(file);
    expect(shown.output).toBe(
      [
        `line 1 (own:a, ${id}): different, and left`,
        '  url: https://hooks.acme.com/a → https://new.acme.com/a',
        '  name: Ledger → Books',
        '  eventTypes: ["coupon.applied"] → ["*"]',
        '  ratePerSecond: 5 → 6',
        '  headers: X-Env: test',
        '  auth: BASIC acme → BEARER',
        '  filter: {"field":{"op":"EQ","path":"code","value":"SUMMER"}} → {"field":{"path":"code","op":"EQ","value":"WINTER"}}',
        `Webhooks: 1 different, and left, 1 there already, at ${connection().url}.`,
        'What differs is changed with --update.',
        '',
      ].join('\n'),
    );
    expect(shown.code).toBe(0);
    expect((await write(file, '--update', '--dry-run')).output).toContain('would be changed');
    expect((await webhooksOf('cust_1'))['a'].url).toBe('https://hooks.acme.com/a');

    expect((await write(file, '--update')).output).toContain('Webhooks: 1 changed, 1 there already');
    expect((await webhooksOf('cust_1'))['a']).toMatchObject({
      ...{ url: 'https://new.acme.com/a', eventTypes: ['*'], name: 'Books', metadata: { team: 'billing' } },
      delivery: { ratePerSecond: 6, timeoutMs: 5_000, auth: { kind: 'BEARER' } },
    });
    expect((await write(file)).output).toBe(`Webhooks: 2 there already, at ${connection().url}.\n`);
  });

  test('brings certificates and their keys along, and knows them again by their facts', async () => {
    const authority = issueCertificate({ subject: 'Acme CA', isAuthority: true });
    const [first, second] = ['one', 'two'].map((subject) => issueCertificate({ subject, issuer: authority }));
    const tlsOf = ({ certificate, key }: Issued) => ({ clientCertificatePem: certificate, clientKeyPem: key });
    const tls = { caPem: authority.certificate, ...tlsOf(first!) };
    const outputs: string[] = [];
    const written = async (changes: object, ...options: string[]) => {
      const { output, errors } = await write(fileOf(line('tls', changes)), ...options);
      outputs.push(output, errors);
      return output;
    };
    expect(await written({ tls })).toContain('Webhooks: 1 made');
    expect(await written({ tls })).toContain('Webhooks: 1 there already');
    expect(await written({ tls: { caPem: tls.caPem } })).toContain('Webhooks: 1 there already');
    expect(await written({ tls: tlsOf(second!) })).toMatch(
      /^ {2}tls: (authorities CN=Acme CA until \S+, )the certificate of CN=one, .* → \1the certificate of CN=two, /m,
    );
    const nulls = { caPem: null, clientCertificatePem: null, clientKeyPem: null };
    expect(await written({ tls: nulls }, '--update')).toContain('Webhooks: 1 there already');
    expect(await written({ tls: tlsOf(second!), url: 'https://moved.acme.com/' }, '--update')).toContain('1 changed');
    expect(await written({ tls: tlsOf(second!), url: 'https://again.acme.com/' }, '--update')).toContain('1 changed');
    expect(await written({ tls: { ...tls, clientKeyPem: second!.key } })).toContain('tls');
    for (const { key } of [first!, second!]) {
      expect(outputs.join('\n')).not.toContain(key.split('\n')[1]);
    }
  });

  test('compares client credentials without their secret, and sends it again with another client', async () => {
    const oauth2 = { tokenUrl: 'HTTPS://id.acme.com/token', clientId: 'hooks', clientSecret: 'invented-client-1' };
    const of = (change: object) => fileOf(line('o', { auth: { oauth2: { ...oauth2, ...change } } }));
    await write(of({}));
    const shown = { kind: 'OAUTH2', tokenUrl: 'https://id.acme.com/token', clientId: 'hooks', clientAuth: 'BASIC' };
    expect((await webhooksOf('cust_1'))['o'].delivery.auth).toMatchObject({ ...shown, scope: null });
    expect((await write(of({ clientSecret: 'invented-client-2' }))).output).toContain('1 there already');
    const other = of({ tokenUrl: 'https://id.acme.org/', clientId: 'other', scope: 'a b', clientAuth: 'BODY' });
    const { output } = await write(other);
    expect(output).toContain(
      '  auth: OAUTH2 https://id.acme.com/token hooks BASIC → OAUTH2 https://id.acme.org/ other a b BODY\n',
    );
    expect(output).not.toContain('invented-client');
    expect((await write(other, '--update')).output).toContain('1 changed');
    const after = { tokenUrl: 'https://id.acme.org/', clientId: 'other', scope: 'a b', clientAuth: 'BODY' };
    expect((await webhooksOf('cust_1'))['o'].delivery.auth).toMatchObject(after);
    expect((await write(other)).output).toContain('1 there already');
  });

  test('leaves what a line says nothing about, and whether a webhook is active', async () => {
    await write(fileOf(line('c')));
    const there = (await webhooksOf('cust_1'))['c'];
    const { tenant } = await ask<Line>(connection(), WEBHOOKS, { externalId: 'cust_1' });
    await ask(
      { ...connection(), tenant: tenant.id },
      'mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { id } } }',
      { input: { id: there.id, active: false, name: 'Mine', delivery: { timeoutMs: 2_000 } } },
    );
    expect((await write(fileOf(line('c', { active: true })), '--update')).output).toContain('1 there already');
    expect((await webhooksOf('cust_1'))['c']).toMatchObject({
      active: false,
      name: 'Mine',
      delivery: { timeoutMs: 2_000 },
    });
  });

  test('--paused makes webhooks that send nothing, and leaves those that are there', async () => {
    await write(fileOf(line('d')), '--paused');
    expect((await webhooksOf('cust_1'))['d'].active).toBe(false);
    await write(fileOf(line('e')));
    await write(fileOf(line('e')), '--paused', '--update');
    expect((await webhooksOf('cust_1'))['e'].active).toBe(true);
  });

  test('webhooks that are made paused get no request, though events come all the time', async () => {
    const lines = Array.from({ length: 30 }, (_, at) => line(`s${at}`, at % 2 === 0 ? { active: false } : {}, 'busy'));
    await write(fileOf(line('first', { active: false }, 'busy')));
    const [tenant] = await stack.rows<{ id: string }>("select id from hookwright.tenants where external_id = 'busy'");
    let isWriting = true;
    const emitting = (async () => {
      while (isWriting) {
        await stack.services.emitter.emit([couponEmit(Number(tenant!.id))]);
      }
    })();
    expect((await write(fileOf(...lines), '--paused')).output).toContain('Webhooks: 30 made');
    isWriting = false;
    await emitting;
    const rows = await stack.rows(`select distinct active, disabled_reason as reason, hold_until > now() as holds
      from hookwright.webhooks where tenant_id = ${tenant!.id}`);
    expect(rows).toEqual([{ active: false, reason: 'PAUSED', holds: true }]);
    const deliveries = await stack.rows(`select distinct d.status from hookwright.deliveries d
      where tenant_id = ${tenant!.id}`);
    expect(deliveries).toEqual([{ status: 'HELD' }]);
  });

  test('a webhook that was deleted here is made again, as long as its line is in the file', async () => {
    await write(fileOf(line('gone')));
    const { tenant } = await ask<Line>(connection(), WEBHOOKS, { externalId: 'cust_1' });
    const { id } = (await webhooksOf('cust_1'))['gone'];
    const remove = 'mutation ($input: DeleteWebhookInput!) { deleteWebhook(input: $input) { deletedWebhookId } }';
    await ask({ ...connection(), tenant: tenant.id }, remove, { input: { id } });
    expect((await write(fileOf(line('gone')), '--dry-run')).output).toContain('1 would be made');
    expect((await write(fileOf(line('gone')))).output).toContain('Webhooks: 1 made');
    expect((await webhooksOf('cust_1'))['gone'].id).not.toBe(id);
  });

  test('each refusal is a line with its reason, and the others are written', async () => {
    const lines = [
      line('r1', { url: 'http://hooks.acme.com/' }),
      line('r2', { url: 'https://10.0.0.7/' }),
      line('r3', { url: 'https://hooks.acme.com:5432/' }),
      line('r4', { events: ['nothing.known'] }),
      line('r5', { headers: { 'Content-Type': { value: 'text/plain' } } }),
      line('r6', { filter: { field: { path: 'a', op: 'LIKE', value: 'b' } } }),
      line('r7', { secret: 'whsec_no base64!' }),
      line('r8', { ratePerSecond: 5_000 }),
      line('r9', { compat: 'unheard-of' }),
      line('r10', { timeoutMs: 'soon' }),
      line('r11', { secrets: [] }),
      line('good'),
      line('good'),
      '{"v": 1, "secret": "invented broken',
      '[]',
      line('r12', { v: 2 }),
      line('r13', {}, 'ümlaut'),
    ];
    const { output, code } = await write(fileOf(...lines));
    const refused = Object.fromEntries(
      [...output.matchAll(/^line (\d+) \([^)]*\): refused\n((?: {2}.*\n)+)/gm)].map(([, number, why]) => [number, why]),
    );
    for (const [number, why] of [
      ['1', /url must begin with https/],
      ['2', /url must name a host on the public internet/],
      ['3', /url must use port/],
      ['4', /eventTypes\.0 is not an event type/],
      ['5', /is a header that the service or the connection sets/],
      ['6', /content\.filter\.field\.op/],
      ['7', /secret/],
      ['8', /ratePerSecond must be/],
      ['9', /compat/],
      ['10', /timeoutMs must be a number/],
      ['11', /has a field that lines do not have: secrets/],
      ['13', /has the tenant and external id of line 12/],
      ['14', /is not JSON/],
      ['15', /is not a JSON object/],
      ['16', /v must be 1/],
      ['17', /tenant\.externalId must be 1 to 255 printable ASCII/],
    ] as const) {
      expect(refused[number], `line ${number}`).toMatch(why);
    }
    expect(output).toContain(`Webhooks: 1 made, 16 refused, at`);
    expect(code).toBe(1);
    expect(output).not.toContain('invented');
    expect(Object.keys(await webhooksOf('cust_1'))).toContain('good');
  });

  test('--dry-run writes nothing, and foresees what can be foreseen', async () => {
    const lines = [
      line('f1', {}, 'new'),
      line('f2', { url: 'http://hooks.acme.com/', notes: ['its filter is gone'] }, 'new'),
      line('f3', { events: ['order.unheard'] }, 'new'),
      line('f4', { filter: { field: { path: 'a', op: 'LIKE', value: 'b' } } }, 'new'),
      line('f5', { headers: { host: { value: 'x' } }, metadata: { 'a b': 'c' } }, 'new'),
    ];
    const before = await stack.rows('select count(*) from hookwright.tenants');
    const { output, code } = await write(fileOf(...lines), '--dry-run');
    expect(output).toContain('Event types that are not registered: order.unheard. --register-types registers them.\n');
    expect(output).toMatch(
      /line 2 .*would be made\n {2}may be refused: url must begin with https.*\n {2}its filter is gone/,
    );
    expect(output).toMatch(/line 3 .*would be refused\n {2}events has types that are not registered: order.unheard/);
    expect(output).toMatch(/line 4 .*would be refused\n {2}filter\.field\.op/);
    expect(output).toMatch(/line 5 .*\n {2}metadata\.a b .*\n {2}headers\.host /);
    expect(output).toContain('Webhooks: 2 would be made, 3 would be refused, at');
    expect(output).toContain(
      'Would be made for them: 1 tenant.\n1 webhook needs attention: see what is said about them above.\nNothing was written.',
    );
    expect(code).toBe(1);
    expect(await stack.rows('select count(*) from hookwright.tenants')).toEqual(before);
    expect(
      (await write(fileOf(line('f6', { events: ['webhook.unheard'] }, 'new')), '--dry-run', '--register-types')).output,
    ).toMatch(/would be refused\n {2}events has types that are not registered: webhook\.unheard/);
    expect(
      (await write(fileOf(line('f3', { events: ['order.unheard'] }, 'new')), '--dry-run', '--register-types')).output,
    ).toContain('Event types that would be registered: order.unheard.\n');
  });

  test('--dry-run foresees the webhooks that the limit of a tenant leaves no place for', async () => {
    await write(fileOf(line('l1', {}, 'few')));
    const { tenant } = await ask<Line>(connection(), WEBHOOKS, { externalId: 'few' });
    const limit = 'mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { tenant { id } } }';
    await ask(connection(), limit, { input: { id: tenant.id, limits: { endpointsMax: 2 } } });
    const lines = [
      line('l1', {}, 'few'),
      line('l2', { events: ['order.unheard'] }, 'few'),
      ...['l3', 'l4', 'l5'].map((id) => line(id, {}, 'few')),
      line('l6', {}, 'another'),
    ];
    const reason = 'The operator allows 2 webhooks in this tenant (limits.endpointsMax); delete one first.';
    const dry = await write(fileOf(...lines), '--dry-run');
    expect(dry.output).toMatch(/line 2 .*would be refused\n {2}events has types that are not registered/);
    expect(dry.output).not.toContain('line 3');
    expect(dry.output).toContain(`line 4 (own:l4): would be refused\n  ${reason}\n`);
    expect(dry.output).toContain(`line 5 (own:l5): would be refused\n  ${reason}\n`);
    expect(dry.output).toContain('Webhooks: 2 would be made, 1 there already, 3 would be refused, at');
    const done = await write(fileOf(...lines));
    expect(done.output).toContain(`line 4 (own:l4): refused\n  ${reason}\n`);
    expect(done.output).toContain('Webhooks: 2 made, 1 there already, 3 refused, at');
  });

  test('refuses the lines of a tenant whose name another tenant has, with what to do', async () => {
    await ask(connection(), 'mutation { createTenant(input: { name: "Taken" }) { tenant { id } } }');
    const { output, code } = await write(
      fileOf({ ...line('t1', {}, 'cust_9'), tenant: { externalId: 'cust_9', name: 'Taken' } }),
    );
    expect(output).toContain('Another tenant is called Taken: give it the external id cust_9 (updateTenant), or write');
    expect(code).toBe(2);
    const foreseen = await write(
      fileOf({ ...line('t1', {}, 'cust_9'), tenant: { externalId: 'cust_9', name: 'Taken' } }),
      '--dry-run',
    );
    expect(foreseen.output).toMatch(/would be refused\n {2}Another tenant is called Taken: /);
    expect(foreseen.output).not.toContain('Would be made');
  });

  test('makes a tenant of a line that names nothing else, and a run that made one has done something', async () => {
    const alone = (externalId: string, name: string | null) => ({
      ...{ v: 1, from: `own:${externalId}` },
      tenant: { externalId, name },
    });
    const file = fileOf(alone('alone_1', 'Alone'), alone('alone_2', null), line('bad', { url: 'x' }, 'alone_3'));
    const dry = await write(file, '--dry-run');
    expect(dry.output).toContain('Would be made for them: 3 tenants.');
    expect(await write(file)).toMatchObject({
      code: 1,
      output: expect.stringMatching(/Webhooks: 1 refused, at .*\nMade for them: 3 tenants\.\n$/),
    });
    const tenants = ['alone_1', 'alone_2'].map((externalId) => ask<Line>(connection(), WEBHOOKS, { externalId }));
    expect((await Promise.all(tenants)).map(({ tenant }) => tenant.name)).toEqual(['Alone', 'alone_2']);
    expect((await write(fileOf(alone('alone_1', 'Alone')))).output).toContain('Webhooks: none, at');
  });

  test('says what is to be done about new webhooks, in the order of the file', async () => {
    const noted = Array.from({ length: 12 }, (_, at) => line(`o${at}`, { notes: [`note ${at}`] }, `order_${at % 5}`));
    const { output } = await write(fileOf(...noted, '[]'));
    expect([...output.matchAll(/^line (\d+) /gm)].map(([, number]) => Number(number))).toEqual(
      Array.from({ length: 13 }, (_, at) => at + 1),
    );
    expect(output).toContain('line 3 (own:o2): made\n  note 2\n');
    expect(output).toContain('12 webhooks need attention: see what is said about them above.\n');
  });

  test('a tenant that has another name there is shown, and renamed with --update', async () => {
    const named = (name: string) => fileOf({ ...line('n1', {}, 'cust_8'), tenant: { externalId: 'cust_8', name } });
    await write(named('Eight'));
    expect((await write(named('Huit'))).output).toMatch(/^tenant cust_8 \(tn_\w+\): name: Eight → Huit, left\n/);
    expect((await write(named('Huit'), '--update')).output).toMatch(/Eight → Huit, changed\n/);
    expect((await ask<Line>(connection(), WEBHOOKS, { externalId: 'cust_8' })).tenant.name).toBe('Huit');
  });

  test('two runs at the same time make each webhook once', async () => {
    const file = fileOf(...Array.from({ length: 20 }, (_, at) => line(`p${at}`, {}, `twice_${at % 3}`)));
    const said = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const before = process.exitCode;
    await Promise.all([writeImport(file, connection()), writeImport(file, connection())]);
    process.exitCode = before;
    said.mockRestore();
    const [row] = await stack.rows<{ count: number }>(`select count(*) from hookwright.webhooks w
      join hookwright.tenants t on t.id = w.tenant_id where t.external_id like 'twice%'`);
    expect(row?.count).toBe(20);
  });

  test('waits as the limits of requests ask', async () => {
    await using slow = await DeliveryStack.open({ MANAGEMENT_RATE_MAX: '50', MANAGEMENT_BURST_MAX: '10' });
    await using served = await ApiOverSockets.open(slow.services, slow.tenantId);
    const platform = (await makeKey(slow.services, null, ['platform:admin'])).key;
    const file = fileOf(...Array.from({ length: 20 }, (_, at) => line(`q${at}`)));
    const args = ['import', 'write', file, '--url', `http://127.0.0.1:${served.port}`];
    expect((await runHere(args, { HOOKWRIGHT_API_KEY: platform })).output).toContain('Webhooks: 20 made, at');
  });

  test('waits for daemons that an upgrade replaces, since they would send without the former signature', async () => {
    await stack.rows(`insert into hookwright.daemons (id, host, pid, version, slots, in_flight, started_at, last_seen_at)
      values ('00000000-0000-0000-0000-000000000001', 'host-7', 1, '0.1.0', 1, 0, now(), now())`);
    const said: string[] = [];
    const out = vi.spyOn(process.stdout, 'write').mockImplementation((text) => said.push(String(text)) > 0);
    const before = process.exitCode;
    const writing = writeImport(fileOf(line('o1', { compat: 'svix' })), connection());
    await eventually(() => said.some((text) => /^Waits until older daemons are gone: .*host-7/.test(text)));
    await stack.rows("delete from hookwright.daemons where host = 'host-7'");
    await writing;
    process.exitCode = before;
    out.mockRestore();
    expect(said.at(-1)).toContain('Webhooks: 1 made, at');
  });

  test('a run that loses the service says what it did, and the next one goes on without making anything twice', async () => {
    const file = fileOf(...Array.from({ length: 40 }, (_, at) => line(`l${at}`, {}, `lost_${at % 4}`)));
    const count = async () => {
      const [row] = await stack.rows<{ count: number }>(`select count(*) from hookwright.webhooks w
        join hookwright.tenants t on t.id = w.tenant_id where t.external_id like 'lost%'`);
      return row!.count;
    };
    const broken = write(file);
    await eventually(async () => (await count()) > 3);
    await api.goAway();
    expect(await broken).toMatchObject({
      code: 1,
      output: expect.stringMatching(/^Webhooks: \d+ made, at/),
      errors: expect.stringMatching(/cannot be reached|Nothing listens/),
    });
    expect(await count()).toBeLessThan(40);
    await api.comeBack(stack.services);
    const again = await write(file);
    expect(again).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^Webhooks: \d+ made, \d+ there already, at/),
    });
    expect(await count()).toBe(40);
  });

  test('does nothing, with code 2, without a service, a file, a line, or with the key of a tenant', async () => {
    const closed = `http://127.0.0.1:${await ownPort()}`;
    const nowhere = await runHere(['import', 'write', fileOf(line('x')), '--url', closed], {
      HOOKWRIGHT_API_KEY: key,
    });
    expect(nowhere).toMatchObject({ code: 2, output: '', errors: expect.stringContaining('Nothing listens at') });
    expect(await write(join(folder, 'missing'))).toMatchObject({ code: 2, errors: expect.stringContaining('ENOENT') });
    expect(await write(fileOf(''))).toMatchObject({ code: 2, errors: expect.stringContaining('has no lines') });
    const several = fileOf(...['nobody', 'somebody', 'anybody'].map((customer) => line('x', {}, customer)));
    const weak = await runHere(['import', 'write', several, '--url', connection().url], {
      HOOKWRIGHT_API_KEY: api.key,
    });
    expect(weak.errors).toMatch(
      /^hookwright: [^\n]+ It takes a platform key in HOOKWRIGHT_API_KEY: "\S+ key create import --platform" makes one\.\n$/,
    );
    expect(weak.code).toBe(2);
  });

  test('no secret of a file is in an answer, in the audit log, or in the clear in any table', async () => {
    const secrets = ['svix', 'convoy', 'outpost'].flatMap(
      (name) =>
        readFileSync(new URL(`../fixtures/import/${name}.json`, import.meta.url), 'utf8').match(
          /(whsec_|invented[- ](api|convoy secret|outpost secret|password))[^"]*|([0-9a-f]{2}){32}/g,
        ) ?? [],
    );
    const own = ['invented secret of', 'invented header value', 'invented password', 'invented-token'];
    expect(secrets.length).toBeGreaterThan(15);
    expect(await whereIs([...secrets, ...own])).toEqual([]);
  });
});

test('receivers of the former systems verify the deliveries of imported webhooks, with the secrets that they know', async () => {
  await using sending = await DeliveryStack.open();
  await using served = await ApiOverSockets.open(sending.services, sending.tenantId);
  const platform = (await makeKey(sending.services, null, ['platform:admin'])).key;
  const base64 = Buffer.from('an invented secret of 32 bytes..').toString('base64');
  const secrets = { svix: `whsec_${base64}`, convoy: 'invented convoy secret', outpost: 'ab'.repeat(32) };
  const receivers = await Promise.all(Object.keys(secrets).map(() => startReceiver()));
  const lines = Object.entries(secrets).map(([compat, secret], at) =>
    line(compat, { url: receivers[at]!.url, secret, compat }),
  );
  const args = ['import', 'write', fileOf(...lines), '--url', `http://127.0.0.1:${served.port}`];
  expect((await runHere(args, { HOOKWRIGHT_API_KEY: platform })).output).toContain('Webhooks: 3 made');
  const [tenant] = await sending.rows<{ id: number }>("select id from hookwright.tenants where external_id = 'cust_1'");
  sending.startDaemon();
  const emit = couponEmit(Number(tenant!.id), { body: '{"code":"SUMMER","discount_type":"percent"}' });
  await sending.services.emitter.emit([emit]);
  const [svix, convoy, outpost] = await Promise.all(
    receivers.map((receiver) => eventually(() => receiver.received[0])),
  );
  const hmac = (secret: string | Buffer, text: string) => createHmac('sha256', secret).update(text);
  const at = (request: Received, name: string) => String(request.headers[name]);
  const signed = `${at(svix!, 'svix-id')}.${at(svix!, 'svix-timestamp')}.${svix!.body}`;
  expect(at(svix!, 'svix-signature')).toBe(`v1,${hmac(Buffer.from(base64, 'base64'), signed).digest('base64')}`);
  const [, time, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(at(convoy!, 'x-convoy-signature')) ?? [];
  expect(signature).toBe(hmac(secrets.convoy, `${time},${convoy!.body}`).digest('hex'));
  expect(at(outpost!, 'x-outpost-signature')).toBe(`v0=${hmac(secrets.outpost, `${outpost!.body}`).digest('hex')}`);
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

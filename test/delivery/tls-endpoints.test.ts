import { createSecureContext } from 'node:tls';
import { queryObjects } from 'node:v8';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OptionsOfWebhooks } from '../../daemon/delivery/options.js';
import { BulkSite } from '../support/bulk-operations.js';
import { KEY, LOCALHOST } from '../support/certificates.js';
import { eventually } from '../support/eventually.js';
import { couponEmit, makeTenant, makeWebhook } from '../support/factories.js';
import { dataOf } from '../support/graphql-api.js';
import { numberIn } from '../support/ids.js';
import { changeJobs, countJobs, ofDelivery } from '../support/jobs.js';
import { skipsNginxTests } from '../support/nginx.js';
import { watchPools } from '../support/open-pools.js';
import { CLIENT_A, CLIENT_B, PRIVATE_AUTHORITY } from '../support/private-certificates.js';
import { type SeenClient, startTlsReceiver, type TlsReceiver } from '../support/tls-receiver.js';

/** Endpoints with certificates of their own, as their owners set them. Senders alone are in tls-identity.test.ts. */

const FIRST = { caPem: PRIVATE_AUTHORITY, clientCertificatePem: CLIENT_A, clientKeyPem: KEY };
const SECOND = { caPem: PRIVATE_AUTHORITY, clientCertificatePem: CLIENT_B, clientKeyPem: LOCALHOST.key };
const AUTHORITY_ALONE = { caPem: PRIVATE_AUTHORITY };
const MANY = 1_000;
const SLOW = { timeout: 120_000 };

describe.skipIf(skipsNginxTests)('an endpoint with TLS of its own', () => {
  let site: BulkSite;
  let strict: TlsReceiver;
  beforeAll(async () => {
    site = await BulkSite.open({ DISABLE_AFTER_SECONDS_MIN: '3600' });
    strict = await startTlsReceiver();
    site.startDaemon();
  });
  afterAll(async () => {
    await site[Symbol.asyncDispose]();
    await strict[Symbol.asyncDispose]();
  });

  const url = () => `https://127.0.0.1:${strict.port}/hook`;

  async function setTls(id: number, tls: object | null, asking = site.tenant): Promise<void> {
    const input = { id: String(id), delivery: { tls } };
    dataOf(await site.mutate('updateWebhook', input, 'webhook { id }', asking));
  }

  async function endpoint(tls: object | null, tenant = site.tenant): Promise<number> {
    const { id } = await makeWebhook(site.api.services, tenant.id, { url: url() });
    await setTls(id, tls, tenant);
    return id;
  }

  /** One for this webhook alone. @returns the event's id */
  async function emit(webhookId: number, tenantId = site.tenant.id): Promise<number> {
    const one = couponEmit(tenantId, { onlyWebhookId: webhookId });
    const [result] = await site.api.services.emitter.emit([one]);
    if (result === undefined || result.refused !== null) {
      throw new Error(`the emit was refused: ${result?.refused}`);
    }
    return result.eventId;
  }

  interface AttemptRow {
    delivery_id: number;
    status_code: number | null;
    error_code: string | null;
    response_body: Buffer | null;
  }

  const deliveries = (eventId: number) =>
    site.rows<{ id: number; status: string; attempt_count: number }>(
      `select * from hookwright.deliveries where event_id = ${eventId}`,
    );
  const attempts = (where: string) =>
    site.rows<AttemptRow>(
      `select a.* from hookwright.attempts a join hookwright.deliveries d on d.id = a.delivery_id
       where ${where} order by a.started_at`,
    );
  const seen = ({ response_body: body }: AttemptRow) => JSON.parse(String(body)) as SeenClient;
  const firstAttempt = (where: string) => eventually(async () => (await attempts(where))[0]);

  test('shows its certificate in deliveries, tests, checks, probes, and attempts that people ask for', async () => {
    const id = await endpoint(FIRST);
    const made = async (where: string) => seen(await firstAttempt(where));
    const shown = { verified: 'SUCCESS', serial: '2003' };
    expect(await made(`d.event_id = ${await emit(id)}`)).toMatchObject(shown);

    const { data } = await site.mutate('testWebhook', { id: String(id) }, 'delivery { id }');
    expect(await made(`d.id = ${numberIn(data.result.delivery.id)}`)).toMatchObject(shown);

    const check = await site.mutate('checkWebhook', { webhookId: String(id) }, 'delivery { id }');
    expect(await made(`d.id = ${numberIn(check.data.result.delivery.id)}`)).toMatchObject(shown);

    const [waiting] = await site.past(1, { webhookId: id, status: "'PENDING'" });
    await site.rows(`update hookwright.deliveries set attempt_count = 1, due_at = now() + interval '2 hours',
                     last_error_code = 'HTTP_500', last_status_code = 500 where id = ${waiting}`);
    dataOf(await site.mutate('attemptNow', { deliveryIds: [String(waiting)] }, 'total'));
    expect(await made(`d.id = ${waiting}`)).toMatchObject(shown);

    const [held] = await site.past(1, { webhookId: id, status: "'HELD'" });
    await site.rows(`update hookwright.webhooks set active = false, disabled_reason = 'FAILURES', disabled_at = now(),
                     hold_until = now() + interval '1 day', consecutive_failures = 10, failing_since = now()
                     where id = ${id}`);
    dataOf(await site.mutate('probeWebhook', { webhookId: String(id) }, 'delivery { id }'));
    expect(await made(`d.id = ${held}`)).toMatchObject(shown);
  });

  test('has connections that another tenant never rides, though it calls the same URL', async () => {
    const other = await makeTenant(site.api.services);
    const id = await endpoint(FIRST);
    const others = {
      same: await endpoint(FIRST, other),
      second: await endpoint(SECOND, other),
      authority: await endpoint(AUTHORITY_ALONE, other),
      none: await endpoint(null, other),
    };
    const first = seen(await firstAttempt(`d.event_id = ${await emit(id)}`));
    const of = async (webhookId: number) =>
      await firstAttempt(`d.event_id = ${await emit(webhookId, other.id)} and d.tenant_id = ${other.id}`);
    const same = seen(await of(others.same));
    const second = seen(await of(others.second));
    expect(await of(others.authority)).toMatchObject({ status_code: 400 });
    expect(await of(others.none)).toMatchObject({ status_code: null, error_code: 'TLS_CERTIFICATE_UNTRUSTED' });
    const again = seen(await firstAttempt(`d.event_id = ${await emit(id)}`));
    expect([first.serial, same.serial, second.serial, again.serial]).toEqual(['2003', '2003', '2004', '2003']);
    expect(new Set([first, same, second].map(({ connection }) => connection)).size).toBe(3);
    expect(again.connection).toBe(first.connection);
  });

  test('gets another certificate under sixteen loops of events, and no attempt fails', SLOW, async () => {
    const id = await endpoint(FIRST);
    let isOver = false;
    let succeeded = 0;
    const loops = Array.from({ length: 16 }, async () => {
      while (!isOver) {
        const eventId = await emit(id);
        await eventually(async () => (await site.statuses(`event_id = ${eventId}`))['SUCCEEDED'] === 1);
        succeeded += 1;
      }
    });
    const more = async (count: number) => {
      const before = succeeded;
      await eventually(() => succeeded >= before + count, 60_000);
    };
    for (const next of [SECOND, FIRST, SECOND]) {
      await more(100);
      await setTls(id, next);
    }
    await more(100);
    isOver = true;
    await Promise.all(loops);
    const all = await attempts(`d.webhook_id = ${id}`);
    expect(all.filter(({ status_code: status }) => status !== 200)).toEqual([]);
    expect(all.length).toBe(succeeded);
    const serials = all.map((row) => seen(row).serial);
    expect(new Set(serials)).toEqual(new Set(['2003', '2004']));
    expect(new Set(serials.slice(-50))).toEqual(new Set(['2004']));
  });

  test('that OpenSSL does not take waits, without an attempt', async () => {
    const id = await endpoint(FIRST);
    await site.rows(`
      with damaged as (
        update hookwright.webhook_options set tls = jsonb_set(tls, '{client,pem}', '"none"') where webhook_id = ${id})
      update hookwright.webhooks set options_version = nextval('hookwright.options_version') where id = ${id}`);
    const eventId = await emit(id);
    const { id: deliveryId } = await eventually(async () => (await deliveries(eventId))[0]);
    const later = `${ofDelivery(deliveryId)} and locked_at is null and run_at > now() + interval '100 seconds'`;
    await eventually(async () => (await countJobs(site, later)) === 1);
    expect(await deliveries(eventId)).toMatchObject([{ status: 'PENDING', attempt_count: 0 }]);

    await setTls(id, FIRST);
    await changeJobs(site, 'run_at = now()', ofDelivery(deliveryId));
    expect(seen(await firstAttempt(`d.event_id = ${eventId}`))).toMatchObject({ serial: '2003' });
  });

  test('has one context, however many deliveries find none', async () => {
    const id = await endpoint(FIRST);
    const [row] = await site.rows<{ version: string }>(
      `select options_version as version from hookwright.webhooks where id = ${id}`,
    );
    const { vault, config } = site.api.services;
    const options = new OptionsOfWebhooks(site.api.owner, vault, config);
    const named = { tenantId: site.tenant.id, webhookId: id, optionsVersion: Number(row!.version) };
    const read = await Promise.all(Array.from({ length: 64 }, () => options.read(named)));
    expect(new Set(read).size).toBe(1);
    expect(options.atHand(named)).toBe(read[0]);
    expect(read[0]).toMatchObject({ tls: { mark: `tls=${id}.${named.optionsVersion}` } });
    await setTls(id, null);
    expect(await options.read(named)).toEqual({ putOffMs: 0 });
  });
});

describe.skipIf(skipsNginxTests)('a thousand endpoints with TLS of their own', () => {
  test('leave five hundred contexts and no pool behind, ten seconds after their last request', SLOW, async () => {
    await using site = await BulkSite.open();
    await using receiver = await startTlsReceiver({ verify: 'off' });
    const { services } = site.api;
    const wanted = { url: `https://127.0.0.1:${receiver.port}/hook` };
    for (let count = 0; count < MANY; count += 20) {
      await Promise.all(Array.from({ length: 20 }, () => makeWebhook(services, site.tenant.id, wanted)));
    }
    const input = { id: '1', delivery: { tls: AUTHORITY_ALONE } };
    dataOf(await site.mutate('updateWebhook', input, 'webhook { id }'));
    await site.rows(`
      insert into hookwright.webhook_options (webhook_id, tenant_id, tls)
      select w.id, w.tenant_id, o.tls from hookwright.webhooks w, hookwright.webhook_options o
      where o.webhook_id = 1 and w.id > 1`);
    await site.rows(`update hookwright.webhooks set options_version = nextval('hookwright.options_version')`);

    const before = contexts();
    const pools = watchPools();
    site.startDaemon();
    for (const round of [1, 2]) {
      await services.emitter.emit([couponEmit(site.tenant.id)]);
      await eventually(async () => (await site.statuses())['SUCCEEDED'] === round * MANY, 60_000);
    }
    expect(await site.statuses()).toEqual({ SUCCEEDED: 2 * MANY });
    expect(pools.size).toBeGreaterThan(0);
    await eventually(() => pools.size === 0, 10_000);
    const left = contexts() - before;
    expect(left).toBeGreaterThan(400);
    expect(left).toBeLessThanOrEqual(500);
  });
});

const SecureContext = createSecureContext().constructor as new () => unknown;
/** Takes seconds on a busy machine: it collects garbage. */
const contexts = () => queryObjects(SecureContext, { format: 'count' });

import { createHmac } from 'node:crypto';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { examine } from '../../src/cli/doctor.js';
import { eventually } from '../support/eventually.js';
import { ProgramService } from '../support/program-service.js';
import { answer, type Received, type Receiver, startReceiver } from '../support/receiver.js';
import { type Release, restoreRelease } from '../support/release-fixture.js';
import { isKept, schemaDemands, schemaPromises } from '../support/schema-promises.js';
import { startTemporaryPostgres } from '../support/temporary-postgres.js';

/** Two contain transaction ids, which mean nothing on another server; none of our jobs is in a queue. */
const mayBeEmpty = /^(changes|live_feed|hookwright_jobs\..*queues)$/;
/** New constraints that old processes always meet: wider than the former one, or of columns that they leave null. */
const harmless = [
  'api_keys: FOREIGN KEY (made_in) REFERENCES api_keys(id) ON DELETE SET NULL',
  'tenants: CREATE UNIQUE INDEX tenants_external_id ON hookwright.tenants USING btree (external_id) ' +
    'WHERE ((external_id IS NOT NULL) AND (deleted_at IS NULL))',
];
/** Functions that functions alone call: those of one edition are replaced together. */
const internal = /^function (judge_emits|require_arguments)\(/;
/** The servers of tests do without them. */
const notForTests = ['fsync', 'synchronous_commit', 'full_page_writes', 'connections'];

describe('an installation of 0.1.0, restored on a new server and migrated', () => {
  let postgres: Awaited<ReturnType<typeof startTemporaryPostgres>>;
  let receiver: Receiver;
  let client: pg.Client;
  let service: ProgramService;
  let release: Release;
  let before: { counts: Record<string, number>; promises: string[]; demands: string[] };

  beforeAll(async () => {
    receiver = await startReceiver(answer(200));
    postgres = await startTemporaryPostgres();
    client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    await client.query(`
      create role hookwright_api nologin;
      grant hookwright_api to hookwright;
      create role hookwright_outbox nologin;
      create role shop login password 'shop';
      grant hookwright_outbox to shop`);
    release = await restoreRelease(client, '0.1.0', new URL(receiver.url).host);
    before = {
      counts: await countRows(),
      promises: await schemaPromises(client),
      demands: await schemaDemands(client),
    };
    service = new ProgramService({
      DATABASE_URL: postgres.url,
      ENCRYPTION_KEYS: release.encryptionKeys,
      ALLOW_HTTP_URLS: 'true',
      ALLOW_PRIVATE_TARGETS: '127.0.0.0/8',
    });
    expect(await service.run('migrate')).toContain('The database has the newest schema.');
  }, 120_000);
  afterAll(async () => {
    await service?.endAll();
    await client?.end();
    await receiver.close();
    await postgres?.close();
  });

  async function countRows(): Promise<Record<string, number>> {
    const { rows } = await client.query<{ name: string; count: number }>(`
      select oid::regclass::text as name,
             (xpath('//n/text()', query_to_xml(format('select count(*) as n from %s', oid::regclass), false, true, '')))[1]
               ::text::integer as count
      from pg_class
      where relnamespace in ('hookwright'::regnamespace, 'hookwright_jobs'::regnamespace)
        and relkind in ('r', 'p') and not relispartition`);
    return Object.fromEntries(rows.map(({ name, count }) => [name.replace(/^hookwright\./, ''), count]));
  }

  const rows = async <Row extends object>(sql: string) => (await client.query<Row>(sql)).rows;
  const statuses = async (webhook: string) => {
    const { id } = release.webhooks[webhook]!;
    const found = await rows<{ status: string }>(
      `select distinct status::text from hookwright.deliveries where webhook_id = ${id} order by 1`,
    );
    return found.map(({ status }) => status);
  };
  const change = (name: string, input: object, fields: string) =>
    service.change<never>(release.keys['backend']!, name, input, fields);

  /** The requests that a webhook got, with signatures by these secrets. */
  const signedFor = async (webhook: string, secrets: string[]): Promise<Received[]> => {
    const found = await rows<{ id: string }>(
      `select id from hookwright.deliveries where webhook_id = ${release.webhooks[webhook]!.id}`,
    );
    const ids = new Set(found.map(({ id }) => String(id)));
    const requests = receiver.received.filter(({ headers }) => ids.has(String(headers['x-service-delivery'])));
    for (const { headers, body } of requests) {
      const hmac = createHmac('sha256', secrets.at(-1)!).update(body).digest('hex');
      expect(headers['x-service-signature']).toBe(`sha256=${hmac}`);
      for (const secret of secrets) {
        new Webhook(secret).verify(body, headers as Record<string, string>);
      }
    }
    return requests;
  };

  test('had rows in every table', () => {
    const empty = Object.entries(before.counts).filter(([name, count]) => count === 0 && !mayBeEmpty.test(name));
    expect(empty).toEqual([]);
  });

  test('still has all rows, and all that its old processes need', async () => {
    const counts = await countRows();
    expect(Object.entries(before.counts).filter(([name, count]) => !(counts[name]! >= count))).toEqual([]);
    const promises = await schemaPromises(client);
    expect(before.promises.filter((line) => !internal.test(line) && !isKept(line, promises))).toEqual([]);
  });

  test('demands nothing of its old processes that it did not demand before', async () => {
    const isOld = (line: string) => /^(\w+)/.exec(line)![1]! in before.counts;
    const demands = await schemaDemands(client);
    expect(demands.filter((line) => isOld(line) && ![...before.demands, ...harmless].includes(line))).toEqual([]);
  });

  describe('with a daemon and an API of this version', () => {
    beforeAll(async () => {
      await Promise.all([service.startApi(), service.startDaemon()]);
    }, 120_000);

    test('passes the doctor', async () => {
      const checks = await examine(service.env);
      expect(checks.filter(({ name, status }) => status === 'fail' && !notForTests.includes(name))).toEqual([]);
    });

    test('knows its keys and sessions, and refuses those that had ended', async () => {
      const status = async (name: string) => {
        const headers = { authorization: `Bearer ${release.keys[name]}`, 'content-type': 'application/json' };
        const body = JSON.stringify({ query: '{ viewer { scopes } }' });
        return (await service.fetch('/graphql', { method: 'POST', headers, body })).status;
      };
      const names = Object.keys(release.keys);
      const answers = await Promise.all(names.map(async (name) => [name, await status(name)] as const));
      expect(Object.fromEntries(answers)).toEqual({
        ...{ backend: 200, reader: 200, umbrella: 200, platform: 200, viewer: 200, portal: 200 },
        ...{ expired: 401, revoked: 401, deleted: 401 },
      });
    });

    test('sends what was pending, retries what is due, and goes on with bulk operations', async () => {
      await eventually(async () => {
        expect(await statuses('ok')).toEqual(['CANCELED', 'SUCCEEDED']);
        expect(await statuses('retrying')).toEqual(['FAILED', 'SUCCEEDED']);
        expect(await statuses('hanging')).toEqual(['SUCCEEDED']);
        expect(await statuses('umbrella')).toEqual(['SUCCEEDED']);
        expect(await statuses('failures')).toEqual(['SUCCEEDED']);
        return true;
      }, 60_000);
      expect(await rows("select from hookwright.bulk_operations where status = 'RUNNING'")).toEqual([]);
      expect(await statuses('closed')).toContain('PENDING');
      expect((await signedFor('ok', release.webhooks['ok']!.secrets)).length).toBeGreaterThan(0);
      expect((await signedFor('umbrella', release.webhooks['umbrella']!.secrets)).length).toBeGreaterThan(0);
    }, 90_000);

    test('signs with both secrets of a rotation', async () => {
      expect((await signedFor('rotated', release.webhooks['rotated']!.secrets)).length).toBeGreaterThan(10);
    });

    test('releases held deliveries, and sends failed ones again', async () => {
      await eventually(async () => (await statuses('pausing')).join() === 'HELD');
      for (const name of ['paused', 'pausing', 'disabled']) {
        await change('updateWebhook', { id: `wh_${release.webhooks[name]!.id}`, active: true }, 'webhook { id }');
      }
      await change('releaseHeld', { webhookId: `wh_${release.webhooks['kept']!.id}` }, 'webhook { id }');
      const [failed] = await rows<{ id: string }>(
        `select id from hookwright.deliveries
         where webhook_id = ${release.webhooks['disabled']!.id} and status = 'FAILED'`,
      );
      await change('redeliver', { deliveryId: `dl_${failed!.id}` }, 'delivery { id }');
      await eventually(async () => {
        for (const name of ['paused', 'pausing', 'kept']) {
          expect(await statuses(name)).toEqual(['SUCCEEDED']);
        }
        return (await signedFor('disabled', release.webhooks['disabled']!.secrets)).length > 0;
      }, 30_000);
      for (const name of ['paused', 'pausing', 'kept']) {
        expect((await signedFor(name, release.webhooks[name]!.secrets)).length).toBeGreaterThan(0);
      }
    }, 60_000);

    test('counts the attempts of before and after in one series', async () => {
      const since = new Date(Date.now() - 10 * 86_400_000).toISOString();
      const document = '{ stats(since: "SINCE", resolution: DAY) { total { attempts } buckets { attempts } } }';
      const read = () =>
        service.ask<{ stats: { total: { attempts: number }; buckets: { attempts: number }[] } }>(
          release.keys['backend']!,
          document.replace('SINCE', since),
        );
      // Retries go on meanwhile.
      await eventually(async () => {
        const { stats } = await read();
        const [{ count } = { count: -1 }] = await rows<{ count: number }>(
          'select count(*)::integer as count from hookwright.attempts where tenant_id = 1',
        );
        expect(stats.total.attempts).toBe(count);
        expect(stats.buckets.filter(({ attempts }) => attempts > 0).length).toBeGreaterThan(1);
        return true;
      });
    });

    test('knows idempotency keys, of the API and of the outbox, whose login emits as before', async () => {
      const payload = { code: 'TRACED', discount_type: 'percent' };
      const input = { event: 'coupon.applied', payload, idempotencyKey: 'traced' };
      expect(await change('emitEvent', input, 'duplicate')).toEqual({ duplicate: true });
      const url = new URL(postgres.url);
      [url.username, url.password] = ['shop', 'shop'];
      const shop = new pg.Client({ connectionString: url.href });
      await shop.connect();
      const emit = `select duplicate from hookwright.emit(1, 'coupon.applied', '{"code":"SHOP","discount_type":"fixed"}', $1)`;
      expect((await shop.query(emit, ['shop'])).rows).toEqual([{ duplicate: true }]);
      expect((await shop.query(emit, ['another'])).rows).toEqual([{ duplicate: false }]);
      await shop.end();
    });
  });
});

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { Load } from '../faults/support/emitters.js';
import { Endpoints, good } from '../faults/support/endpoints.js';
import { type Accepted, readEvidence, watchWebhooks } from '../faults/support/evidence.js';
import { ROW_SECONDS_MIN } from '../faults/support/health-oracle.js';
import { type Disturbance, judge } from '../faults/support/oracle.js';
import { type Command, Program } from '../faults/support/program.js';
import { eventually } from '../support/eventually.js';
import { runProgram } from '../support/program.js';
import { unpackRelease } from '../support/release-fixture.js';
import { startTemporaryPostgres } from '../support/temporary-postgres.js';

const RATE_PER_SECOND = 20;
const EVENTS_MAX = 1_000_000;

/** Reads ids as numbers. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

/** An installation that old and new processes serve together. */
class Installation implements AsyncDisposable {
  readonly #belongings = new AsyncDisposableStack();
  readonly #old = unpackRelease('0.1.0');
  readonly loads: Load[] = [];
  /** Accepted without a load. */
  readonly others: Accepted[] = [];
  /** Requests that are under way when their webhook is paused may be sent again when it goes on. */
  readonly pauses: Disturbance[] = [];
  pool!: pg.Pool;
  endpoints!: Endpoints;
  #env: Record<string, string> = {};
  #apiKey = '';

  static async open(): Promise<Installation> {
    const installation = new Installation();
    const postgres = await startTemporaryPostgres();
    installation.#belongings.defer(() => postgres.close());
    installation.pool = new pg.Pool({ connectionString: postgres.url, types });
    installation.#belongings.defer(() => installation.pool.end());
    installation.endpoints = installation.#belongings.use(await Endpoints.open());
    installation.#env = {
      DATABASE_URL: postgres.url,
      ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      ALLOW_HTTP_URLS: 'true',
      ALLOW_PRIVATE_TARGETS: '127.0.0.0/8',
      HOST: '127.0.0.1',
      PORT: '0',
      RETRY_BASE_SECONDS: '0.2',
      DISABLE_AFTER_SECONDS_MIN: String(ROW_SECONDS_MIN),
    };
    await installation.runOld('migrate');
    await installation.runOld('tenant', 'create', 'acme');
    installation.#apiKey = await installation.runOld('key', 'create', 'backend', '--tenant', '1');
    await watchWebhooks(installation.pool);
    return installation;
  }

  async #run(args: readonly string[], program: string): Promise<string> {
    const { code, output, errors } = await runProgram(args, this.#env, { program });
    expect(code, errors).toBe(0);
    return output.trim();
  }

  runOld = (...args: string[]) => this.#run(args, join(this.#old, 'hookwright'));
  runNew = (...args: string[]) => this.#run(args, './hookwright');

  async start(command: Command, version: 'old' | 'new') {
    const main = version === 'old' ? join(this.#old, 'dist/src/main.js') : undefined;
    const program = this.#belongings.use(new Program(command, this.#env, main));
    const { msg } = await program.said(command === 'api' ? /API is listening/ : /daemon is running/);
    return { program, origin: /http:[^\s"]+/.exec(msg)?.[0] ?? '' };
  }

  load(origin: string, name: string): Load {
    const load = new Load({ origin, apiKey: this.#apiKey, name, events: EVENTS_MAX, ratePerSecond: RATE_PER_SECOND });
    this.loads.push(load);
    return load;
  }

  /** A mutation by way of one API. @returns the answer's data */
  async change<Answer>(origin: string, name: string, input: object, fields: string): Promise<Answer> {
    const type = `${name[0]!.toUpperCase()}${name.slice(1)}Input`;
    const query = `mutation ($input: ${type}!) { ${name}(input: $input) { ${fields} } }`;
    const response = await fetch(`${origin}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { input } }),
    });
    const { data, errors } = (await response.json()) as { data: Record<string, Answer>; errors?: unknown };
    expect(errors).toBeUndefined();
    return data[name]!;
  }

  async subscribe(origin: string, name: string): Promise<string> {
    const input = { url: this.endpoints.urlOf(name), eventTypes: ['*'] };
    const { webhook } = await this.change<{ webhook: { id: string } }>(
      origin,
      'createWebhook',
      input,
      'webhook { id }',
    );
    return webhook.id;
  }

  /** What people do with a webhook that exists: pause it and go on, give it a new secret, send a test, emit by SQL. */
  async useEverything(origin: string, id: string): Promise<void> {
    const pausedAt = Date.now();
    for (const active of [false, true]) {
      await this.change(origin, 'updateWebhook', { id, active }, 'webhook { id }');
    }
    this.pauses.push({ from: pausedAt, to: Date.now() });
    await this.change(origin, 'rotateWebhookSecret', { id }, 'webhook { id }');
    const { delivery } = await this.change<{ delivery: { event: { databaseId: number } } }>(
      ...[origin, 'testWebhook', { id }, 'delivery { event { databaseId } }'],
    );
    this.others.push({ key: 'test', eventId: delivery.event.databaseId, deliveryCount: 1 });
    const { rows } = await this.pool.query<Accepted>(
      `select 'sql' as key, event_id as "eventId", delivery_count as "deliveryCount"
       from hookwright.emit(1, 'coupon.applied', '{"code":"SQL","discount_type":"fixed"}')`,
    );
    this.others.push(...rows);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.loads.map((load) => load.close()));
    await this.#belongings.disposeAsync();
  }
}

test('0.1.0 goes on beside the new schema and the new version: nothing is lost, nothing is refused', async () => {
  await using installation = await Installation.open();
  const { endpoints, pool } = installation;
  const oldApi = await installation.start('api', 'old');
  const oldDaemon = await installation.start('daemon', 'old');
  let requests = 0;
  endpoints.behave('flaky', () => ({ status: ++requests % 7 === 0 ? 500 : 200 }));
  endpoints.behave('slow', () => ({ status: 200, afterMs: 50 }));
  const [id = ''] = await Promise.all(
    ['good', 'flaky', 'slow'].map((name) => installation.subscribe(oldApi.origin, name)),
  );

  const byOld = installation.load(oldApi.origin, 'old');
  await byOld.reaches(20 / EVENTS_MAX, 60_000);
  const migrating = { from: Date.now(), to: 0 };
  expect(await installation.runNew('migrate')).toContain('The database has the newest schema.');
  migrating.to = Date.now();
  endpoints.behave('later', good);
  await installation.useEverything(oldApi.origin, await installation.subscribe(oldApi.origin, 'later'));

  // A supervisor starts an old process again, and finds the new schema.
  const killed = await oldDaemon.program.kill();
  const daemonAgain = await installation.start('daemon', 'old');
  const newApi = await installation.start('api', 'new');
  await installation.start('daemon', 'new');
  const byNew = installation.load(newApi.origin, 'new');
  await installation.useEverything(newApi.origin, id);
  await byNew.reaches(40 / EVENTS_MAX, 60_000);
  daemonAgain.program.signal('SIGTERM');
  expect((await daemonAgain.program.ended).code).toBe(0);
  await byOld.end();
  oldApi.program.signal('SIGTERM');
  expect((await oldApi.program.ended).code).toBe(0);
  const before = byNew.accepted.length;
  await byNew.reaches((before + 40) / EVENTS_MAX, 60_000);
  await byNew.end();

  expect(Object.keys({ ...byOld.statuses, ...byNew.statuses })).toEqual(['200']);
  await eventually(async () => {
    const { rows } = await pool.query("select from hookwright.deliveries where status in ('PENDING', 'HELD')");
    return rows.length === 0 || Promise.reject(new Error(`${rows.length} deliveries are waiting`));
  }, 90_000);
  const evidence = await readEvidence(pool);
  const accepted = [...installation.loads.flatMap((load) => load.accepted), ...installation.others];
  const findings = judge({ ...evidence, accepted, receipts: endpoints.receipts }, [
    migrating,
    killed,
    ...installation.pauses,
  ]);
  expect(findings).toMatchObject({ problems: [], lost: 0 });
  expect(findings.accepted).toBeGreaterThan(100 * 3);
}, 420_000);

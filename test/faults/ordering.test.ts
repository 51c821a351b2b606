import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { good } from './support/endpoints.js';
import { CrashableGround, sharedGround } from './support/ground.js';
import type { Disturbance } from './support/oracle.js';
import { judgeOrder, type OrderedEmit, type Turn, turnsSql, watchTurnsSql } from './support/order-oracle.js';
import { openOutboxDoor } from './support/outbox-door.js';
import type { Program } from './support/program.js';
import { Site } from './support/site.js';
import { isLong, report, size } from './support/sizes.js';

const MINUTE = 60_000;
const TEST_MS = isLong ? 20 * MINUTE : 2 * MINUTE;
/** The rescue sweep comes after 60 to 75 s. */
const SETTLE_MS = 120_000;
/** The promise. On a machine that does much else at the same time, some jobs wait for longer. */
const IDLE_MS = 100;
const IDLE_MS_MOST = 5_000;
const KILLS = size('FAULTS_ORDER_KILLS', 1, 20);
const CRASHES = size('FAULTS_ORDER_CRASHES', 0, 10);
const SECONDS = size('FAULTS_ORDER_SECONDS', 3, 300);
const KEYS = ['a', 'b', 'c', 'd'];

const SET_ORDER = `mutation Set($id: ID!, $ordering: OrderingInput) {
  updateWebhook(input: { id: $id, ordering: $ordering }) { webhook { id } } }`;
const EMIT = `mutation Emit($input: EmitEventInput!) { emitEvent(input: $input) { event { databaseId } } }`;
const REDELIVER = `mutation Again($id: ID!) { redeliver(input: { deliveryId: $id }) { delivery { id } } }`;
const CANCEL = `mutation Cancel($id: ID!) { cancelDelivery(input: { id: $id }) { delivery { id } } }`;
const SWITCH = `mutation Switch($id: ID!, $active: Boolean!) {
  updateWebhook(input: { id: $id, active: $active }) { webhook { id } } }`;

/** Postgres, which a test may crash. */
type Crashable = Pick<CrashableGround, 'crash' | 'restart'>;

const anyOf = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)]!;

/** Producers, people, daemons that die and a Postgres that crashes, all at the same time. */
class Bustle {
  readonly emits: OrderedEmit[] = [];
  readonly locks: { key: string; from: number; to: number }[] = [];
  readonly disturbances: Disturbance[] = [];
  /** Set once the daemons are running. */
  #until = 0;
  readonly #daemons: Program[] = [];

  constructor(
    private readonly site: Site,
    private readonly application: () => pg.Client,
    private readonly webhookIds: readonly number[],
    private readonly tenantId: number,
    private readonly postgres: Crashable | null,
  ) {}

  async #repeat(pauseMs: number, act: () => Promise<unknown>): Promise<void> {
    while (Date.now() < this.#until) {
      await act();
      await delay(Math.random() * pauseMs);
    }
  }

  async begin(): Promise<void> {
    this.#daemons.push(...(await Promise.all([this.site.startDaemon(), this.site.startDaemon()])));
    this.#until = Date.now() + SECONDS * 1_000;
  }

  emitByApi = () =>
    this.#repeat(40, async () => {
      const orderingKey = anyOf(KEYS);
      const from = Date.now();
      const input = { event: 'coupon.applied', payload: { code: orderingKey, discount_type: 'x' }, orderingKey };
      type Emitted = { emitEvent: { event: { databaseId: string } } };
      const answer = await this.site.ask<Emitted>(EMIT, { input }).catch(() => undefined);
      if (answer !== undefined) {
        const eventId = Number(answer.emitEvent.event.databaseId);
        this.emits.push({ eventId, key: orderingKey, from, to: Date.now() });
      }
    });

  /** Transactions that are open for a while; some are rolled back. */
  emitByOutbox = async () => {
    let client: pg.Client | undefined;
    await this.#repeat(60, async () => {
      try {
        client ??= await this.#connect();
        await this.#emitTogether(client);
      } catch (error) {
        if (this.postgres === null) {
          throw error;
        }
        client = undefined; // Postgres has crashed
      }
    });
    await client?.end();
  };

  async #connect(): Promise<pg.Client> {
    const client = this.application();
    client.on('error', () => {}); // the statement under way throws it, too
    await client.connect();
    return client;
  }

  async #emitTogether(client: pg.Client): Promise<void> {
    const keys = KEYS.filter(() => Math.random() < 0.4);
    const from = Date.now();
    try {
      const eventIds = await this.#commitTogether(client, keys);
      const to = Date.now();
      this.emits.push(...eventIds.map((eventId, index) => ({ eventId, key: keys[index]!, from, to })));
    } finally {
      const to = Date.now();
      this.locks.push(...keys.map((key) => ({ key, from, to })));
    }
  }

  /** @returns the ids of the events; none: it was rolled back */
  async #commitTogether(client: pg.Client, keys: readonly string[]): Promise<number[]> {
    await client.query('begin');
    const { rows } = await client.query<{ event_id: number }>(
      `select event_id from hookwright.emit_events(
         array_fill($1::bigint, array[cardinality($2::text[])]), array_fill('coupon.applied'::text, array[cardinality($2)]),
         array_fill('{"code":"X","discount_type":"x"}'::text, array[cardinality($2)]), ordering_keys => $2)
       where cardinality($2) > 0 order by item`,
      [this.tenantId, keys],
    );
    await delay(Math.random() * 40);
    const isKept = Math.random() < 0.8;
    await client.query(isKept ? 'commit' : 'rollback');
    return isKept ? rows.map(({ event_id }) => event_id) : [];
  }

  /** Somebody else may have been faster, and Postgres may be away. */
  interfere = () => this.#repeat(150, () => this.#interfereOnce().catch(() => {}));

  async #interfereOnce(): Promise<void> {
    const ofState = async (states: string) => {
      const found = await this.site.rows<{ id: number }>(
        `select id from hookwright.deliveries where status in (${states}) and ordering_key is not null
           order by random() limit 1`,
      );
      return found[0] && String(found[0].id);
    };
    const [open, ended] = [await ofState(`'PENDING', 'WAITING', 'HELD'`), await ofState(`'SUCCEEDED', 'FAILED'`)];
    const id = String(anyOf(this.webhookIds));
    const acts = [
      () => open && this.site.ask(CANCEL, { id: open }),
      () => ended && this.site.ask(REDELIVER, { id: ended }),
      async () => {
        await this.site.ask(SWITCH, { id, active: false });
        await delay(Math.random() * 300);
        await this.site.ask(SWITCH, { id, active: true });
      },
    ];
    await anyOf(acts)();
  }

  /** One fault at a time, in an order by chance. */
  breakThings = async () => {
    const crashes = this.postgres === null ? 0 : CRASHES;
    const faults = [
      ...Array<() => Promise<void>>(KILLS).fill(this.#killDaemon),
      ...Array<() => Promise<void>>(crashes).fill(this.#crashPostgres),
    ];
    for (const [number, fault] of faults.sort(() => Math.random() - 0.5).entries()) {
      await delay(Math.max(0, this.#until - Date.now()) / (faults.length + 1 - number));
      await fault();
    }
  };

  #killDaemon = async () => {
    const victim = Math.random() < 0.5 ? 0 : 1;
    this.disturbances.push(await this.#daemons[victim]!.kill());
    this.#daemons[victim] = await this.site.startDaemon();
  };

  #crashPostgres = async () => {
    const from = Date.now();
    await this.postgres!.crash();
    await this.postgres!.restart();
    this.disturbances.push({ from, to: Date.now() });
  };
}

test(`keys are kept in order: ${KILLS} kills, ${CRASHES} crashes in ${SECONDS} s`, { timeout: TEST_MS }, async () => {
  const postgres = CRASHES > 0 ? await CrashableGround.open() : null;
  const ground = postgres ?? (await sharedGround());
  await using site = await Site.open(ground, {
    RETRY_BASE_SECONDS: '0.05',
    MAX_RETRIES: '2',
    DISABLE_AFTER_SECONDS_MIN: '3600',
  });
  // Each failure makes the endpoint wait for its next probe: with more of them, a long load never settles.
  const failing = isLong ? 0.03 : 0.2;
  const moody = () => ({ status: Math.random() < failing ? 500 : 200, afterMs: Math.random() * 10 });
  const keyed = await site.addWebhook('keyed', moody);
  const whole = await site.addWebhook('whole', good);
  const latest = await site.addWebhook('latest', moody);
  const ordered = [keyed, whole, latest];
  const beside = await site.addWebhook('beside', good);
  await site.rows(watchTurnsSql);
  await site.ask(SET_ORDER, { id: String(keyed), ordering: { by: 'KEY' } });
  await site.ask(SET_ORDER, { id: String(whole), ordering: { by: 'ENDPOINT' } });
  await site.ask(SET_ORDER, { id: String(latest), ordering: { by: 'KEY', keep: 'LATEST' } });
  const door = await openOutboxDoor(site, ground.url);
  const [tenant] = await site.rows<{ id: number }>('select id from hookwright.tenants');
  const bustle = new Bustle(site, door.session, ordered, tenant!.id, postgres);
  await bustle.begin();
  const producers = [bustle.emitByApi(), bustle.emitByApi(), bustle.emitByApi(), bustle.emitByOutbox()];
  await Promise.all([...producers, bustle.emitByOutbox(), bustle.interfere(), bustle.breakThings()]);
  await door.close();
  // Behind a webhook that stays paused everything waits.
  for (const id of ordered) {
    await eventually(() => site.ask(SWITCH, { id: String(id), active: true }), 30_000);
  }
  await site.settled(SETTLE_MS);

  const { emits, locks, disturbances } = bustle;
  const turns = await site.rows<Turn>(turnsSql);
  const findings = judgeOrder({ emits, turns, receipts: site.endpoints.receipts, locks, disturbances }, IDLE_MS_MOST);
  report('order', { kills: KILLS, crashes: CRASHES, emits: emits.length, ...findings });
  expect([...site.deaths, ...findings.problems]).toEqual([]);
  if (isLong) {
    expect(findings.idleMsP99).toBeLessThanOrEqual(IDLE_MS);
  }
  expect(new Set(turns.map(({ webhookId }) => webhookId))).toEqual(new Set(ordered));
  // Each event that was accepted has a place, and each place an end.
  for (const webhookId of ordered) {
    const placed = new Set(turns.filter((turn) => turn.webhookId === webhookId).map(({ eventId }) => eventId));
    expect(emits.filter(({ eventId }) => !placed.has(eventId))).toEqual([]);
  }
  expect(
    await site.rows('select from hookwright.ordering_queue union all select from hookwright.ordering_keys'),
  ).toEqual([]);
  const others = await site.rows<{ status: string }>(
    `select distinct status::text from hookwright.deliveries where webhook_id = ${beside}`,
  );
  expect(others).toEqual([{ status: 'SUCCEEDED' }]);
});

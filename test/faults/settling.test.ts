import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { sharedGround } from './support/ground.js';
import type { Disturbance } from './support/oracle.js';
import type { OrderedEmit } from './support/order-oracle.js';
import { openOutboxDoor } from './support/outbox-door.js';
import type { Program } from './support/program.js';
import { judgeSettling, type SettledDelivery } from './support/settle-oracle.js';
import { Site } from './support/site.js';
import { isLong, report, size } from './support/sizes.js';

const MINUTE = 60_000;
/** The rescue sweep comes after 60 to 75 s. */
const SETTLED_WITHIN_MS = 120_000;
/** The promise. On a machine that does much else at the same time, some jobs wait for longer. */
const LATE_MS = 1_000;
const LATE_MS_MOST = 5_000;
const KILLS = size('FAULTS_SETTLE_KILLS', 1, 20);
const SECONDS = size('FAULTS_SETTLE_SECONDS', 6, 300);
const KEYS = ['a', 'b', 'c', 'd'];
const SETTLE_SECONDS = 0.5;
const MAX_SECONDS = 2;

const SET_ORDER = `mutation Set($id: ID!, $ordering: OrderingInput) {
  updateWebhook(input: { id: $id, ordering: $ordering }) { webhook { id } } }`;
const EMIT = `mutation Emit($events: [EmitEventInput!]!) {
  emitEvents(input: { events: $events }) { results { event { databaseId } } } }`;

const anyOf = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)]!;

/** Producers in bursts with quiet times between, and daemons that die. */
class Bursts {
  readonly emits: OrderedEmit[] = [];
  readonly locks: { key: string; from: number; to: number }[] = [];
  readonly disturbances: Disturbance[] = [];
  readonly #daemons: Program[] = [];
  #until = 0;

  constructor(
    private readonly site: Site,
    private readonly session: () => pg.Client,
    private readonly tenantId: number,
  ) {}

  async begin(): Promise<void> {
    this.#daemons.push(...(await Promise.all([this.site.startDaemon(), this.site.startDaemon()])));
    this.#until = Date.now() + SECONDS * 1_000;
  }

  /** Bursts of single events and batches of several keys. */
  emitByApi = async () => {
    while (Date.now() < this.#until) {
      for (let events = Math.ceil(Math.random() * 8); events > 0; events -= 1) {
        await this.#emitOnce(Math.random() < 0.5 ? [anyOf(KEYS)] : [anyOf(KEYS), anyOf(KEYS), anyOf(KEYS)]);
        await delay(Math.random() * 300);
      }
      await delay(Math.random() * 2_000 * MAX_SECONDS);
    }
  };

  async #emitOnce(keys: readonly string[]): Promise<void> {
    const from = Date.now();
    const events = keys.map((orderingKey) => ({
      event: 'coupon.applied',
      payload: { code: orderingKey, discount_type: 'x' },
      orderingKey,
    }));
    type Emitted = { emitEvents: { results: { event: { databaseId: string } | null }[] } };
    const answer = await this.site.ask<Emitted>(EMIT, { events });
    const to = Date.now();
    for (const [index, { event }] of answer.emitEvents.results.entries()) {
      if (event !== null) {
        this.emits.push({ eventId: Number(event.databaseId), key: keys[index]!, from, to });
      }
    }
  }

  /** Transactions that stay open past the time at which what they replace is due; and commit, roll back or die. */
  emitByDoor = async () => {
    while (Date.now() < this.#until) {
      const client = this.session();
      client.on('error', () => {});
      await client.connect();
      await this.#emitInTransaction(client, anyOf(KEYS));
      await delay(Math.random() * 500);
    }
  };

  async #emitInTransaction(client: pg.Client, key: string): Promise<void> {
    const from = Date.now();
    await client.query('begin');
    const { rows } = await client.query<{ event_id: number }>(
      `select event_id from hookwright.emit($1, 'coupon.applied', '{"code":"X","discount_type":"x"}',
         ordering_key => $2)`,
      [this.tenantId, key],
    );
    await delay(Math.random() * 2_000 * SETTLE_SECONDS);
    const end = anyOf(['commit', 'commit', 'rollback', 'death']);
    if (end !== 'death') {
      await client.query(end);
    }
    const to = Date.now();
    await client.end();
    this.locks.push({ key, from, to: Date.now() });
    if (end === 'commit') {
      this.emits.push({ eventId: rows[0]!.event_id, key, from, to });
    }
  }

  killDaemons = async () => {
    for (let kills = KILLS; kills > 0; kills -= 1) {
      await delay(Math.max(0, this.#until - Date.now()) / (kills + 1));
      const victim = Math.random() < 0.5 ? 0 : 1;
      this.disturbances.push(await this.#daemons[victim]!.kill());
      this.#daemons[victim] = await this.site.startDaemon();
    }
  };
}

test(`keys settle: ${KILLS} kills in ${SECONDS} s`, { timeout: isLong ? 20 * MINUTE : 3 * MINUTE }, async () => {
  const ground = await sharedGround();
  await using site = await Site.open(ground, {
    RETRY_BASE_SECONDS: '0.05',
    MAX_RETRIES: '2',
    DISABLE_AFTER_SECONDS_MIN: '3600',
  });
  const failing = isLong ? 0.03 : 0.1;
  const webhook = await site.addWebhook('settling', () => ({
    status: Math.random() < failing ? 500 : 200,
    afterMs: Math.random() * 100,
  }));
  const ordering = {
    ...{ by: 'KEY', keep: 'LATEST' },
    ...{ settleSeconds: SETTLE_SECONDS, settleMaxSeconds: MAX_SECONDS },
  };
  await site.ask(SET_ORDER, { id: String(webhook), ordering });
  const door = await openOutboxDoor(site, ground.url);
  const [tenant] = await site.rows<{ id: number }>('select id from hookwright.tenants where id > 0');
  const bursts = new Bursts(site, door.session, tenant!.id);
  await bursts.begin();
  await Promise.all([bursts.emitByApi(), bursts.emitByApi(), bursts.emitByDoor(), bursts.killDaemons()]);
  await door.close();
  await site.settled(SETTLED_WITHIN_MS);

  const deliveries = await site.rows<SettledDelivery>(
    `select id, event_id as "eventId", ordering_key as key, status, superseded_by as "supersededBy",
            (extract(epoch from finished_at) * 1000)::double precision as "endedAt"
     from hookwright.deliveries where ordering_key is not null order by id`,
  );
  const { emits, locks, disturbances } = bursts;
  const receipts = site.endpoints.receipts;
  const findings = judgeSettling(
    { emits, deliveries, receipts, locks, disturbances, settleMs: 1_000 * SETTLE_SECONDS, maxMs: 1_000 * MAX_SECONDS },
    LATE_MS_MOST,
  );
  report('settling', { kills: KILLS, emits: emits.length, ...findings });
  expect([...site.deaths, ...findings.problems]).toEqual([]);
  if (isLong) {
    expect(findings.lateMsP99).toBeLessThanOrEqual(LATE_MS);
  }
  const placed = new Set(deliveries.map(({ eventId }) => eventId));
  expect(emits.filter(({ eventId }) => !placed.has(eventId))).toEqual([]);
  expect(findings.superseded).toBeGreaterThan(0);
  expect(
    await site.rows('select from hookwright.ordering_queue union all select from hookwright.ordering_keys'),
  ).toEqual([]);
});

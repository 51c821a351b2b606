import { setTimeout as delay } from 'node:timers/promises';
import { SCOPES } from '../../../src/domain/keys/scopes.js';
import { eventually } from '../../support/eventually.js';
import { makeTenant, makeWebhook } from '../../support/factories.js';
import { TwoCells } from '../../support/two-cells.js';
import { Endpoints, good } from './endpoints.js';
import type { CrashableGround } from './ground.js';
import { Mover } from './mover.js';
import { Program } from './program.js';

const EMIT = `mutation Emit($input: EmitEventInput!) { emitEvent(input: $input) { event { databaseId } } }`;
const SET_ORDER = `mutation Set($id: ID!, $ordering: OrderingInput) {
  updateWebhook(input: { id: $id, ordering: $ordering }) { webhook { id } } }`;
/** Webhooks whose statistics by the minute, or health, are not what their attempts say. */
const MISCOUNTED = `
  select w.id, attempts.*, counts.*, w.consecutive_failures as in_row, w.last_success_at
  from hookwright.webhooks w,
    lateral (select count(*) filter (where a.status_code < 300)::integer as succeeded,
               count(*) filter (where a.status_code is null or a.status_code >= 300)::integer as failed,
               max(d.finished_at) as last
             from hookwright.deliveries d join hookwright.attempts a on a.delivery_id = d.id
             where d.webhook_id = w.id) attempts,
    lateral (select coalesce(sum(s.successes), 0)::integer as successes, coalesce(sum(s.failures), 0)::integer as failures
             from hookwright.delivery_stats s
             where s.webhook_id = w.id and s.event_type <> '' and s.resolution = 'MINUTE') counts
  where w.id = any($1)
    and (attempts.succeeded <> counts.successes or attempts.failed <> counts.failures or w.consecutive_failures > 0
         or abs(extract(epoch from attempts.last - w.last_success_at)) > 5)`;
const ORDERING_KEYS = 7;
const REPEAT_MS = 50;
const WAIT_MAX_MS = 120_000;

interface Emitted {
  eventId: number;
  /** Milliseconds since 1970: when it was answered. */
  at: number;
  key: string;
  cell: number;
}

/** A tenant of cell 0 with producers and two endpoints, one of them in the order of keys, and the mover's command. */
export class MovingSite implements AsyncDisposable {
  readonly #belongings = new AsyncDisposableStack();
  readonly emitted: Emitted[] = [];
  /** Answers that were neither good, nor 421, nor 503. */
  readonly strange: string[] = [];
  #origins: string[] = [];
  #key = '';
  /** What emits were answered: the status, with the reason when it is not a good one. */
  readonly answers: string[] = [];
  #judged: number[] = [];
  #isOver = false;
  #load: Promise<unknown> = Promise.resolve();
  tenantId = 0;
  /** Of the source. */
  daemon!: Program;
  #env: Record<string, string> = {};

  private constructor(
    readonly two: TwoCells,
    readonly endpoints: Endpoints,
  ) {}

  /** @param grounds databases that the test may crash; default: of the test run's server */
  static async open(grounds: readonly CrashableGround[] = []): Promise<MovingSite> {
    const site = new MovingSite(await TwoCells.open(grounds), await Endpoints.open());
    site.#belongings.use(site.two);
    site.#belongings.use(site.endpoints);
    try {
      await site.#furnish();
    } catch (error) {
      await site[Symbol.asyncDispose]();
      throw error;
    }
    return site;
  }

  async #furnish(): Promise<void> {
    const [source] = this.two.cells;
    this.#env = {
      ...this.two.settings,
      ALLOW_HTTP_URLS: 'true',
      ALLOW_PRIVATE_TARGETS: '127.0.0.0/8',
      HOST: '127.0.0.1',
      PORT: '0',
      RETRY_BASE_SECONDS: '0.2',
    };
    const tenant = await makeTenant(source.services, SCOPES);
    this.tenantId = tenant.id;
    this.#key = tenant.key;
    for (const { url } of this.two.cells) {
      const api = this.#belongings.use(new Program('api', { ...this.#env, DATABASE_URL: url }));
      const { msg } = await api.said(/API is listening/);
      this.#origins.push(/http:\S+/.exec(msg)?.[0] ?? '');
    }
    await this.startDaemon(1);
    this.daemon = await this.startDaemon(0);
    for (const name of ['plain', 'ordered']) {
      this.endpoints.behave(name, good);
      await makeWebhook(source.services, tenant.id, { url: this.endpoints.urlOf(name) });
    }
    this.#judged = (await source.rows<{ id: number }>('select id from hookwright.webhooks order by id')).map(
      ({ id }) => id,
    );
    await this.do(SET_ORDER, { id: String(this.#judged[1]), ordering: { by: 'KEY' } });
  }

  /** Asks the source's API as the tenant does, or by way of the proxy. @throws Error with the answer that is not good */
  async do<Data>(query: string, variables: object = {}): Promise<Data> {
    const { status, data, errors } = await this.#ask(0, query, variables);
    if (errors !== undefined || data === undefined || data === null) {
      throw new Error(`${status} ${JSON.stringify(errors)}`);
    }
    return data as Data;
  }

  get ports(): number[] {
    return this.#origins.map((origin) => Number(new URL(origin).port));
  }

  /** From now on all requests go to one address. */
  goThrough(origin: string): void {
    this.#origins = [origin, origin];
  }

  /** @returns when it takes jobs */
  async startDaemon(cell: 0 | 1): Promise<Program> {
    const daemon = this.#belongings.use(
      new Program('daemon', { ...this.#env, DATABASE_URL: this.two.cells[cell].url }),
    );
    await daemon.said(/daemon is running/);
    return daemon;
  }

  async #ask(cell: number, query: string, variables: object) {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${this.#key}` };
    const body = JSON.stringify({ query, variables });
    const response = await fetch(`${this.#origins[cell]}/graphql`, { method: 'POST', headers, body });
    const answer = (await response.json()) as {
      data?: unknown;
      errors?: { extensions: { code: string; reason: string } }[];
    };
    return { status: response.status, elsewhere: response.headers.get('hookwright-cell'), ...answer };
  }

  /** Emits so many events a second until `endLoad`, those of a key one after the other, and follows the tenant. */
  startLoad(perSecond: number): void {
    const keys = Array.from({ length: ORDERING_KEYS }, (_, number) => `key-${number}`);
    this.#load = Promise.all(keys.map((key) => this.#produce(key, (1000 * ORDERING_KEYS) / perSecond)));
    this.#load.catch(() => {});
  }

  async endLoad(): Promise<void> {
    this.#isOver = true;
    await this.#load;
  }

  async #produce(key: string, everyMs: number): Promise<void> {
    for (let number = 0; !this.#isOver; number += 1) {
      await this.#emit(key, `${key}/${number}`);
      await delay(everyMs);
    }
  }

  async #emit(key: string, idempotencyKey: string): Promise<void> {
    const input = {
      event: 'coupon.applied',
      payload: { code: idempotencyKey, discount_type: 'x' },
      orderingKey: key,
      idempotencyKey,
    };
    const endsAt = performance.now() + WAIT_MAX_MS;
    let cell = this.emitted.at(-1)?.cell ?? 0;
    while (performance.now() < endsAt) {
      const { status, data, elsewhere, errors } = await this.#ask(cell, EMIT, { input });
      this.answers.push([status, errors?.[0]?.extensions.reason].join(' ').trim());
      const event = (data as { emitEvent: { event: { databaseId: number } } } | undefined)?.emitEvent?.event;
      if (event !== undefined) {
        this.emitted.push({ eventId: event.databaseId, at: Date.now(), key, cell });
        return;
      }
      if (elsewhere !== null) {
        cell = Number(elsewhere);
      } else if (status !== 503) {
        this.strange.push(`${status} ${JSON.stringify(errors)}`);
      }
      await delay(REPEAT_MS);
    }
    throw new Error(`${idempotencyKey} was not accepted within two minutes.`);
  }

  /** How long after its answer each event that was accepted since arrived where no order is kept, in ms. */
  async lagsSince(time: number): Promise<number[]> {
    const deliveries = await this.two.cells[1].rows<{ id: number; eventId: number }>(
      'select id, event_id as "eventId" from hookwright.deliveries where tenant_id = $1 and ordering_key is null',
      [this.tenantId],
    );
    const events = new Map(deliveries.map(({ id, eventId }) => [id, eventId]));
    const answered = new Map(this.emitted.filter(({ at }) => at >= time).map(({ eventId, at }) => [eventId, at]));
    return this.endpoints.receipts.flatMap(({ deliveryId, arrivedAt }) => {
      const at = answered.get(events.get(deliveryId) ?? 0);
      return at === undefined ? [] : [arrivedAt - at];
    });
  }

  /** Starts the command as an operator does. @param options beside the tenant and the file */
  startMover(...options: string[]): Mover {
    return new Mover(
      ['tenant', 'move', String(this.tenantId), '--to-url-file', this.two.urlFile(this.two.cells[1].url), ...options],
      {
        ...this.#env,
        DATABASE_URL: this.two.cells[0].url,
      },
    );
  }

  /** The state of the move in the source; undefined: there is none. */
  async state(): Promise<string | undefined> {
    const rows = await this.two.cells[0].rows<{ state: string }>('select state from hookwright.tenant_moves');
    return rows[0]?.state;
  }

  async reaches(...states: string[]): Promise<void> {
    await eventually(async () => states.includes((await this.state()) ?? ''), 60_000);
  }

  /** Marks of both cells: null where the tenant lives; undefined where it is not. */
  async marks(): Promise<(string | null | undefined)[]> {
    return await Promise.all(
      this.two.cells.map(async (cell) => {
        const rows = await cell.rows<{ moving: string | null }>(
          'select moving from hookwright.tenants where id = $1 and deleted_at is null',
          [this.tenantId],
        );
        return rows[0]?.moving;
      }),
    );
  }

  /** Says what is wrong with what has arrived. @param repeatsMax deliveries that were in hand when something ended */
  async judge(repeatsMax = 0): Promise<string[]> {
    const [source, target] = this.two.cells;
    await eventually(async () => {
      const open = await target.rows(
        'select from hookwright.deliveries where finished_at is null and webhook_id = any($1) limit 1',
        [this.#judged],
      );
      return open.length === 0;
    }, 60_000).catch(() => {});
    const deliveries = await target.rows<{ id: number; eventId: number; status: string; key: string | null }>(
      `select id, event_id as "eventId", status, ordering_key as key from hookwright.deliveries
       where webhook_id = any($1)`,
      [this.#judged],
    );
    const problems = [...this.strange];
    const acknowledged = Map.groupBy(
      this.endpoints.receipts.filter(({ status }) => status === 200),
      ({ deliveryId }) => deliveryId,
    );
    const byEvent = Map.groupBy(deliveries, ({ eventId }) => eventId);
    for (const { eventId, cell } of this.emitted) {
      const its = byEvent.get(eventId) ?? [];
      if (its.length !== 2 || its.some(({ id, status }) => status !== 'SUCCEEDED' || !acknowledged.has(id))) {
        problems.push(`event ${eventId}, accepted by cell ${cell}: ${JSON.stringify(its)}`);
      }
    }
    const repeated = [...acknowledged].filter(([, receipts]) => receipts.length > 1);
    if (repeated.length > repeatsMax) {
      problems.push(`${repeated.length} deliveries were acknowledged again: ${repeated.map(([id]) => id).slice(0, 5)}`);
    }
    problems.push(...outOfOrder(this.emitted, deliveries, this.endpoints));
    const events = await target.rows<{ id: number }>(
      `select id from hookwright.events where tenant_id = $1 and event_type = 'coupon.applied' and body not like '%"scheduled"%'`,
      [this.tenantId],
    );
    if (events.length !== this.emitted.length) {
      problems.push(`${events.length} events are there, and ${this.emitted.length} were accepted`);
    }
    const left = await source.rows('select from hookwright.deliveries where finished_at is null limit 1');
    if (left.length > 0) {
      problems.push('a delivery is open in the source');
    }
    const miscounted = await target.rows(MISCOUNTED, [this.#judged]);
    return problems.concat(miscounted.map((webhook) => `counts and health differ: ${JSON.stringify(webhook)}`));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#load.catch(() => {});
    await this.#belongings.disposeAsync();
  }
}

/** Deliveries of a key arrive in the order in which its events were accepted. */
function outOfOrder(
  emitted: readonly Emitted[],
  deliveries: readonly { id: number; eventId: number; key: string | null }[],
  { receipts }: Endpoints,
): string[] {
  const places = new Map(emitted.map(({ eventId }, place) => [eventId, place]));
  const ordered = new Map(deliveries.filter(({ key }) => key !== null).map((one) => [one.id, one]));
  const last = new Map<string, number>();
  return receipts.flatMap(({ deliveryId }) => {
    const { key, eventId } = ordered.get(deliveryId) ?? { key: null, eventId: 0 };
    const place = places.get(eventId);
    if (key === null || place === undefined) {
      return [];
    }
    const before = last.get(key) ?? -1;
    last.set(key, Math.max(before, place));
    return place < before ? [`event ${eventId} of ${key} arrived after a later one`] : [];
  });
}

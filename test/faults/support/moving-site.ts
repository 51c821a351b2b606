import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { SCOPES } from '../../../src/domain/keys/scopes.js';
import { settings as known } from '../../../src/platform/settings/settings.js';
import { eventually } from '../../support/eventually.js';
import { makeTenant, makeWebhook } from '../../support/factories.js';
import { TwoCells } from '../../support/two-cells.js';
import { Endpoints, good } from './endpoints.js';
import { Program } from './program.js';

const EMIT = `mutation Emit($input: EmitEventInput!) { emitEvent(input: $input) { event { databaseId } } }`;
const SET_ORDER = `mutation Set($id: ID!, $ordering: OrderingInput) {
  updateWebhook(input: { id: $id, ordering: $ordering }) { webhook { id } } }`;
const ORDERING_KEYS = 7;
const REPEAT_MS = 50;
const WAIT_MAX_MS = 120_000;

interface Emitted {
  eventId: number;
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
  #isOver = false;
  #load: Promise<unknown> = Promise.resolve();
  tenantId = 0;
  #env: Record<string, string> = {};

  private constructor(
    readonly two: TwoCells,
    readonly endpoints: Endpoints,
  ) {}

  static async open(): Promise<MovingSite> {
    const site = new MovingSite(await TwoCells.open(), await Endpoints.open());
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
      const program = this.#belongings.use(new Program('start', { ...this.#env, DATABASE_URL: url }));
      const { msg } = await program.said(/API is listening/);
      this.#origins.push(/http:\S+/.exec(msg)?.[0] ?? '');
      await program.said(/daemon is running/);
    }
    for (const name of ['plain', 'ordered']) {
      this.endpoints.behave(name, good);
      await makeWebhook(source.services, tenant.id, { url: this.endpoints.urlOf(name) });
    }
    const [, ordered] = await source.rows<{ id: number }>('select id from hookwright.webhooks order by id');
    await this.#ask(0, SET_ORDER, { id: String(ordered!.id), ordering: { by: 'KEY' } });
  }

  async #ask(cell: number, query: string, variables: object) {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${this.#key}` };
    const body = JSON.stringify({ query, variables });
    const response = await fetch(`${this.#origins[cell]}/graphql`, { method: 'POST', headers, body });
    const answer = (await response.json()) as { data?: unknown; errors?: { extensions: { code: string } }[] };
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
      const event = (data as { emitEvent: { event: { databaseId: number } } } | undefined)?.emitEvent?.event;
      if (event !== undefined) {
        this.emitted.push({ eventId: event.databaseId, key, cell });
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

  /** Says what is wrong with what has arrived. */
  async judge(): Promise<string[]> {
    const [source, target] = this.two.cells;
    await eventually(async () => {
      const open = await target.rows('select from hookwright.deliveries where finished_at is null limit 1');
      return open.length === 0;
    }, 60_000).catch(() => {});
    const deliveries = await target.rows<{ id: number; eventId: number; status: string; key: string | null }>(
      'select id, event_id as "eventId", status, ordering_key as key from hookwright.deliveries where tenant_id = $1',
      [this.tenantId],
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
    for (const [id, receipts] of acknowledged) {
      if (receipts.length > 1) {
        problems.push(`delivery ${id} was acknowledged ${receipts.length} times`);
      }
    }
    problems.push(...outOfOrder(this.emitted, deliveries, this.endpoints));
    const events = await target.rows<{ id: number }>('select id from hookwright.events where tenant_id = $1', [
      this.tenantId,
    ]);
    if (events.length !== this.emitted.length) {
      problems.push(`${events.length} events are there, and ${this.emitted.length} were accepted`);
    }
    const left = await source.rows('select from hookwright.deliveries where finished_at is null limit 1');
    if (left.length > 0) {
      problems.push('a delivery is open in the source');
    }
    return problems;
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

/** The command, which a test may kill. */
class Mover {
  readonly #process: ChildProcess;
  said = '';
  readonly ended: Promise<number | null>;

  constructor(args: readonly string[], env: Record<string, string>) {
    const inherited = Object.entries(process.env).filter(([name]) => !(name in known));
    this.#process = spawn('./hookwright', args, { env: { ...Object.fromEntries(inherited), ...env } });
    for (const stream of [this.#process.stdout!, this.#process.stderr!]) {
      stream.on('data', (text) => (this.said += text));
    }
    this.ended = once(this.#process, 'close').then(([code]) => code as number | null);
  }

  async signal(signal: NodeJS.Signals): Promise<void> {
    this.#process.kill(signal);
    await this.ended;
  }
}

/** A transaction that keeps something from the mover. */
export class Hold {
  private constructor(readonly client: pg.Client) {}

  static async of(url: string, ...statements: string[]): Promise<Hold> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    await client.query('begin');
    for (const statement of statements) {
      await client.query(statement);
    }
    return new Hold(client);
  }

  async release(): Promise<void> {
    await this.client.query('commit');
    await this.client.end();
  }
}

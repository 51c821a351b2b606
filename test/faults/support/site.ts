import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import type { Services } from '../../../src/api/context/context.js';
import { openServices } from '../../../src/api/services.js';
import { SCOPES, type Scope } from '../../../src/domain/keys/scopes.js';
import { createApiKey } from '../../../src/operations/keys/create-api-key.js';
import { commandLine } from '../../../src/operations/rows/audit.js';
import { createTenant } from '../../../src/operations/tenants/create-tenant.js';
import { createWebhook } from '../../../src/operations/webhooks/create-webhook.js';
import { readConfig } from '../../../src/platform/settings/config.js';
import { DatabaseProxy } from '../../support/database-proxy.js';
import { eventually } from '../../support/eventually.js';
import { ownPort } from '../../support/loopback.js';
import { Load, type LoadOptions } from './emitters.js';
import { type Behaviour, Endpoints } from './endpoints.js';
import { readEvidence, type Standby, type WebhookState, watchWebhooks } from './evidence.js';
import type { Ground } from './ground.js';
import { ROW_SECONDS_MIN } from './health-oracle.js';
import { type Disturbance, type Findings, judge } from './oracle.js';
import { type Command, Program } from './program.js';

type Env = Record<string, string>;

/** Deliveries that a daemon works on at once: small, so that the bound on duplicates is tight. */
export const CONCURRENCY = 50;
/** The death of a daemon repeats its requests in flight, and twice as many whose outcomes were not yet written. */
export const DUPLICATES_OF_ONE_MAX = 3 * CONCURRENCY;
const WEBHOOKS_MAX = 1_000;
const SET_ACTIVE =
  'mutation Switch($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { id active } } }';

/** The shape of an installation. */
export interface SiteShape {
  /** The API reaches its database through `apiProxy`. */
  apiByProxy?: boolean;
  /** The API has a daemon in its process. */
  allInOne?: boolean;
}

/** An installation, split unless it is said, with subscribers and producers: real processes over a real Postgres. */
export class Site implements AsyncDisposable {
  readonly #belongings = new AsyncDisposableStack();
  readonly #loads: Load[] = [];
  readonly #programs: Program[] = [];
  readonly #webhooks = new Map<string, number>();
  #services!: Services;
  #tenantId = 0;
  #apiKey = '';
  #env: Env = {};
  endpoints!: Endpoints;
  api!: Program;
  /** Between the API and its database, when asked for. */
  apiProxy: DatabaseProxy | undefined;
  #origin = '';

  private constructor(private readonly ground: Ground) {
    this.#belongings.use(ground);
  }

  /** @param settings of every process, over those that the tests have */
  static async open(ground: Ground, settings: Env = {}, shape: SiteShape = {}): Promise<Site> {
    const site = new Site(ground);
    try {
      await site.#furnish(settings, shape);
    } catch (error) {
      await site[Symbol.asyncDispose]();
      throw error;
    }
    return site;
  }

  async #furnish(settings: Env, { apiByProxy = false, allInOne = false }: SiteShape): Promise<void> {
    this.endpoints = this.#belongings.use(await Endpoints.open());
    this.#env = {
      ENCRYPTION_KEYS: `faults:${randomBytes(32).toString('base64')}`,
      ALLOW_HTTP_URLS: 'true',
      ALLOW_PRIVATE_TARGETS: '127.0.0.0/8',
      HOST: '127.0.0.1',
      PORT: allInOne ? String(await ownPort()) : '0', // the same one after a restart
      DELIVERY_CONCURRENCY: String(CONCURRENCY),
      RETRY_BASE_SECONDS: '0.2',
      DISABLE_AFTER_SECONDS_MIN: String(ROW_SECONDS_MIN),
      ...settings,
    };
    const config = readConfig({ ...this.#env, DATABASE_URL: this.ground.url });
    this.#services = await openServices({
      config,
      databaseUrl: this.ground.url,
      encryptionKeys: config.encryptionKeys ?? [],
      log: pino({ level: 'silent' }),
    });
    const { db, vault, random } = this.#services;
    this.#belongings.defer(() => db.close());
    await watchWebhooks(db.pool);
    this.#tenantId = (await createTenant(db, vault, 'tenant', commandLine)).id;
    const newKey = { tenantId: this.#tenantId, name: 'faults', scopes: SCOPES, by: commandLine };
    this.#apiKey = (await createApiKey(db, random, newKey)).key;
    this.apiProxy = apiByProxy ? await this.openProxy() : undefined;
    this.api = this.start(allInOne ? 'start' : 'api', this.apiProxy?.url);
    const { msg } = await this.api.said(/API is listening/);
    this.#origin = /http:\S+/.exec(msg)?.[0] ?? '';
  }

  /** A process of the service, killed with the site at the latest. @param databaseUrl by way of a proxy, perhaps */
  start(command: Command, databaseUrl = this.ground.url): Program {
    const program = new Program(command, { ...this.#env, DATABASE_URL: databaseUrl });
    this.#programs.push(program);
    return this.#belongings.use(program);
  }

  /** @returns when it takes jobs */
  async startDaemon(databaseUrl?: string): Promise<Program> {
    const daemon = this.start('daemon', databaseUrl);
    await daemon.said(/daemon is running/);
    return daemon;
  }

  /** Another one in the place of an `api` that has ended. @returns when it answers */
  async restartAllInOne(): Promise<void> {
    this.api = this.start('start');
    await this.api.said(/API is listening/);
  }

  async openProxy(): Promise<DatabaseProxy> {
    return this.#belongings.use(await DatabaseProxy.open(this.ground.url));
  }

  /** A webhook for every event. @param name also the path of its endpoint. @param tenantId default: the site's tenant */
  async addWebhook(name: string, behaviour: Behaviour, tenantId = this.#tenantId): Promise<number> {
    const { db, vault, random } = this.#services;
    this.endpoints.behave(name, behaviour);
    const url = this.endpoints.urlOf(name);
    const wanted = {
      tenantId,
      url,
      eventTypes: ['*'],
      webhooksMax: WEBHOOKS_MAX,
      actor: commandLine,
    };
    const { id } = await createWebhook(db, vault, random, wanted);
    this.#webhooks.set(name, id);
    return id;
  }

  /** Of the API. */
  get port(): number {
    return Number(new URL(this.#origin).port);
  }

  /** @param wanted.origin default: the API's own */
  load(wanted: Omit<LoadOptions, 'origin' | 'apiKey'> & { origin?: string }): Load {
    const load = new Load({ origin: this.#origin, ...wanted, apiKey: this.#apiKey });
    this.#belongings.defer(() => load.close());
    this.#loads.push(load);
    return load;
  }

  /** Switches a webhook as a tenant does. @returns the status of the answer; `lost` without one */
  async switch(id: number, active: boolean): Promise<string> {
    const body = JSON.stringify({ query: SET_ACTIVE, variables: { input: { id: String(id), active } } });
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${this.#apiKey}` };
    try {
      const response = await fetch(`${this.#origin}/graphql`, { method: 'POST', headers, body });
      const { errors } = (await response.json()) as { errors?: { extensions: { code: string } }[] };
      return errors === undefined ? '200' : `${response.status} ${errors[0]?.extensions.code}`;
    } catch {
      return 'lost';
    }
  }

  /** Sets a webhook's failures to 0, as a tenant can: off and on. */
  async reset(id: number): Promise<void> {
    for (const active of [false, true]) {
      const status = await this.switch(id, active);
      if (status !== '200') {
        throw new Error(`The webhook could not be switched: ${status}`);
      }
    }
  }

  /** Asks the API as the tenant does. @throws Error with the answer when it is not a good one */
  /** @param by another key than the site's, which has all scopes of a tenant */
  async ask<Data>(query: string, variables: object = {}, by = this.#apiKey): Promise<Data> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${by}` };
    const body = JSON.stringify({ query, variables });
    const response = await fetch(`${this.#origin}/graphql`, { method: 'POST', headers, body });
    const answer = (await response.json()) as { data?: Data; errors?: unknown };
    if (answer.errors !== undefined || answer.data === undefined) {
      throw new Error(`${response.status} ${JSON.stringify(answer.errors)}`);
    }
    return answer.data;
  }

  /** Another key of the tenant. */
  async keyWith(scopes: readonly Scope[]): Promise<string> {
    const { db, random } = this.#services;
    const newKey = { tenantId: this.#tenantId, name: 'faults', scopes, by: commandLine };
    return (await createApiKey(db, random, newKey)).key;
  }

  async rows<Row extends object>(sql: string): Promise<Row[]> {
    return (await this.#services.db.pool.query(sql)).rows as Row[];
  }

  /** The ids of the webhooks that have been inactive for so long. */
  async disabledFor(seconds: number): Promise<number[]> {
    const rows = await this.rows<{ id: number }>(
      `select id from hookwright.webhooks
       where not active and disabled_at < now() - ${seconds} * interval '1 second'`,
    );
    return rows.map(({ id }) => id);
  }

  async webhook(name: string): Promise<WebhookState> {
    const [row] = await this.rows<WebhookState>(
      `select id, active, generation, consecutive_failures as "consecutiveFailures"
       from hookwright.webhooks where id = ${this.#webhooks.get(name)}`,
    );
    return row!;
  }

  /** Waits until no delivery is pending, and none held by an active webhook. */
  async settled(withinMs: number): Promise<void> {
    await eventually(async () => {
      const [{ waiting }] = (await this.rows<{ waiting: number }>(
        `select count(*)::integer as waiting from hookwright.deliveries d
         join hookwright.webhooks w on w.id = d.webhook_id
         where d.status in ('PENDING', 'WAITING') or (d.status = 'HELD' and w.active)`,
      )) as [{ waiting: number }];
      return waiting === 0 || Promise.reject(new Error(`${waiting} deliveries are waiting`));
    }, withinMs);
  }

  /** Sentences about processes that have ended by themselves. */
  get deaths(): string[] {
    return this.#programs.flatMap(({ endedByItself }) => endedByItself ?? []);
  }

  /** Judges all that has happened so far. Also when it never settles: the findings then say what is wrong. */
  async judge(disturbances: readonly Disturbance[], settleWithinMs: number, standby?: Standby): Promise<Findings> {
    await this.settled(settleWithinMs).catch(() => {});
    const accepted = this.#loads.flatMap((load) => load.accepted);
    const evidence = await readEvidence(this.#services.db.pool);
    const findings = judge(
      { ...evidence, accepted, receipts: this.endpoints.receipts, ...(standby && { standby }) },
      disturbances,
    );
    return { ...findings, problems: [...this.deaths, ...findings.problems] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#belongings.disposeAsync();
  }
}

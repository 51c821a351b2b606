import { randomBytes } from 'node:crypto';
import { Daemon } from '../../daemon/daemon.js';
import type { Services } from '../../src/api/context/context.js';
import { runBulkOperation } from '../../src/operations/bulk/run-bulk-operation.js';
import { eventually } from './eventually.js';
import { makeTenant, makeWebhook, openTestServices, type TestTenant } from './factories.js';
import { type Answer, dataOf, GraphqlApi } from './graphql-api.js';
import { numberIn } from './ids.js';
import { type Receiver, startReceiver } from './receiver.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are read by tests, each with a shape of its own
type Json = any;

const BULK_OPERATION = `{ id kind status filter total processed affected skipped progress createdAt
  finishedAt error webhook { id } }`;

/** An API, daemons that can be started and stopped beside it, and an endpoint: what bulk operations are tried with. */
export class BulkSite implements AsyncDisposable {
  readonly #daemons: Daemon[] = [];

  private constructor(
    readonly api: GraphqlApi,
    readonly tenant: TestTenant,
    readonly receiver: Receiver,
    private readonly daemonServices: Services,
    readonly env: Record<string, string>,
  ) {}

  static async open(settings: Record<string, string> = {}): Promise<BulkSite> {
    const env = {
      ENCRYPTION_KEYS: `bulk:${randomBytes(32).toString('base64')}`,
      ALLOW_HTTP_URLS: 'true',
      ALLOW_PRIVATE_TARGETS: '127.0.0.0/8',
      RETRY_BASE_SECONDS: '0.05',
      // A machine that is busy elsewhere must not make a slow endpoint one that fails.
      ATTEMPT_TIMEOUT_MS: '120000',
      ...settings,
    };
    const api = await GraphqlApi.open(env);
    const services = await openTestServices(api.databaseUrl, { settings: env });
    const tenant = await makeTenant(api.services);
    return new BulkSite(api, tenant, await startReceiver(), services, env);
  }

  startDaemon(): Daemon {
    const daemon = new Daemon(this.daemonServices);
    this.#daemons.push(daemon);
    return daemon;
  }

  async webhook(eventTypes = ['*']): Promise<number> {
    const wanted = { url: this.receiver.url, eventTypes };
    return (await makeWebhook(this.api.services, this.tenant.id, wanted)).id;
  }

  /**
   * Puts past events into the tables, and for each a delivery to the webhook, if there is one.
   *
   * @param status what became of the deliveries, as SQL
   * @returns the ids of the deliveries (of the events, when there is no webhook), in order
   */
  async past(
    count: number,
    options: { webhookId?: number | null; status?: string; eventType?: string } = {},
  ): Promise<number[]> {
    const { webhookId = null, status = "'FAILED'", eventType = 'coupon.applied' } = options;
    const { rows } = await this.api.owner.query<{ id: number }>(
      `with emitted as (
         insert into hookwright.events (id, tenant_id, event_type, body)
         select hookwright.next_id(), $1, $2, '{"code":"X","discount_type":"fixed"}' from generate_series(1, $3::integer)
         returning id),
       delivered as (
         insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, attempt_count,
                                            finished_at)
         select hookwright.next_id(), $1, id, $4::bigint, $2, status,
                case when status in ('PENDING', 'HELD') then 0 else 6 end,
                case when status not in ('PENDING', 'HELD') then now() end
         from (select id, (${status})::hookwright.delivery_status as status from emitted) e
         where $4::bigint is not null
         returning id)
       select id from emitted where $4::bigint is null union all select id from delivered order by id`,
      [this.tenant.id, eventType, count, webhookId],
    );
    return rows.map(({ id }) => id);
  }

  ask(query: string, variables: Record<string, unknown> = {}, asking: { key: string } = this.tenant) {
    return this.api.ask(query, variables, asking);
  }

  /** @param name of the mutation, whose input type follows from it */
  mutate(name: string, input: object, selection: string, asking?: { key: string }): Promise<Answer> {
    const type = `${name[0]!.toUpperCase()}${name.slice(1)}Input`;
    const query = `mutation ($input: ${type}!) { result: ${name}(input: $input) { ${selection} } }`;
    return this.ask(query, { input }, asking);
  }

  /** Starts a bulk operation, which must succeed. */
  async start(name: string, input: object): Promise<{ total: number; operation: Json }> {
    const answer = await this.mutate(name, input, `total bulkOperation ${BULK_OPERATION}`);
    const { total, bulkOperation: operation } = dataOf(answer).result;
    return { total, operation };
  }

  /** Does a chunk of it without a daemon, in a job's n-th try. */
  async runChunk(id: string, tries = 1): Promise<void> {
    const payload = { operationId: numberIn(id), tenantId: this.tenant.id, waitedMs: 0 };
    await runBulkOperation({ pool: this.api.owner, vault: this.api.services.vault }, payload, { tries, turnMs: 0 });
  }

  async operation(id: string): Promise<Json> {
    return dataOf(await this.ask(`{ bulkOperation(id: "${id}") ${BULK_OPERATION} }`)).bulkOperation;
  }

  /** Waits until it has come to this state. */
  reaches(id: string, status: string, withinMs = 120_000): Promise<Json> {
    return eventually(async () => {
      const operation = await this.operation(id);
      return operation.status === status ? operation : Promise.reject(new Error(JSON.stringify(operation)));
    }, withinMs);
  }

  async rows<Row extends object>(sql: string): Promise<Row[]> {
    return (await this.api.owner.query(sql)).rows as Row[];
  }

  /** How many deliveries there are of each status. */
  async statuses(where = 'true'): Promise<Record<string, number>> {
    const rows = await this.rows<{ status: string; count: number }>(
      `select status, count(*)::integer as count from hookwright.deliveries where ${where} group by status`,
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  }

  /** How often the endpoint was sent each delivery. */
  requests(): Map<number, number> {
    const byDelivery = Map.groupBy(this.receiver.received, ({ headers }) => Number(headers['x-service-delivery']));
    return new Map([...byDelivery].map(([id, received]) => [id, received.length]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#daemons.map((daemon) => daemon.stop()));
    await this.daemonServices.db.close();
    await this.api.close();
    await this.receiver.close();
  }
}

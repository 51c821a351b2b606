import { Daemon, senderOptions } from '../../daemon/daemon.js';
import { Deliverer } from '../../daemon/delivery/deliver.js';
import { Fence } from '../../daemon/liveness/fence.js';
import { createSender, type Sender } from '../../daemon/sending/send.js';
import { DaemonMetrics } from '../../daemon/telemetry/metrics.js';
import type { Services } from '../../src/api/context/context.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { createTenant } from '../../src/operations/tenants/create-tenant.js';
import { alignWebhook } from '../../src/operations/webhooks/align-webhook.js';
import { updateWebhook, type WebhookChange } from '../../src/operations/webhooks/update-webhook.js';
import { createTestDatabase } from './database.js';
import { eventually } from './eventually.js';
import { couponEmit, makeWebhook, openTestServices } from './factories.js';
import { countJobs, OF_DELIVERIES } from './jobs.js';
import { type Answer, type Receiver, startReceiver } from './receiver.js';

interface DeliveryRow {
  id: number;
  status: string;
  cancel_reason: string | null;
  attempt_count: number;
  due_at: Date;
  finished_at: Date | null;
  last_status_code: number | null;
  last_error_code: string | null;
  webhook_id: number;
}

interface WebhookRow {
  url: string;
  active: boolean;
  consecutive_failures: number;
  last_success_at: Date | null;
  last_failure_at: Date | null;
  disabled_at: Date | null;
  disabled_reason: string | null;
  closed_until: Date | null;
  generation: number;
  keep_held: boolean;
}

/** A webhook's receiver. */
export interface Endpoint extends Receiver {
  webhookId: number;
  secret: string;
}

/** A service with a database of its own and, once started, a real daemon: what the delivery stories are told with. */
export class DeliveryStack implements AsyncDisposable {
  readonly #daemons: Daemon[] = [];
  readonly #closing: (() => Promise<void>)[] = [];

  private constructor(
    readonly services: Services,
    readonly tenantId: number,
    readonly databaseUrl: string,
    private readonly dropDatabase: () => Promise<void>,
  ) {}

  /** @param settings default: retries come after 50 ms, and failure streaks may be of any duration */
  static async open(settings: Record<string, string> = {}): Promise<DeliveryStack> {
    const { url, drop } = await createTestDatabase();
    const services = await openTestServices(url, {
      settings: {
        ALLOW_HTTP_URLS: 'true',
        ALLOW_PRIVATE_TARGETS: '127.0.0.0/8',
        RETRY_BASE_SECONDS: '0.05',
        DISABLE_AFTER_SECONDS_MIN: '0',
        ...settings,
      },
    });
    const tenant = await createTenant(services.db, services.vault, 'tenant', commandLine);
    return new DeliveryStack(services, tenant.id, url, drop);
  }

  /** The environment of a process of the service beside it. */
  get processEnv(): NodeJS.ProcessEnv {
    const [key] = this.services.config.encryptionKeys ?? [];
    return {
      ...process.env,
      DATABASE_URL: this.databaseUrl,
      ENCRYPTION_KEYS: `${key!.kid}:${key!.key.toString('base64')}`,
      ALLOW_HTTP_URLS: 'true',
      ALLOW_PRIVATE_TARGETS: '127.0.0.0/8',
    };
  }

  startDaemon(): Daemon {
    const daemon = new Daemon(this.services);
    this.#daemons.push(daemon);
    return daemon;
  }

  /** As a daemon's. */
  sender(): Sender {
    const sender = createSender(senderOptions(this.services.config));
    this.#closing.push(() => sender.close());
    return sender;
  }

  /** A daemon's deliverer alone: for tests that hand it jobs themselves. */
  deliverer(sender: Sender = this.sender()): Deliverer {
    const fence = new Fence();
    fence.heard(performance.now());
    return new Deliverer({ ...this.services, sender, fence, metrics: new DaemonMetrics() });
  }

  webhook(url: string, eventTypes: string[] = ['*']): Promise<{ id: number; secret: string }> {
    return makeWebhook(this.services, this.tenantId, { url, eventTypes });
  }

  /** A webhook with a receiver of its own, which is closed with the stack. */
  async endpoint(respond?: Answer, eventTypes?: string[]): Promise<Endpoint> {
    const receiver = await startReceiver(respond);
    this.#closing.push(() => receiver.close());
    const { id, secret } = await this.webhook(receiver.url, eventTypes);
    return Object.assign(receiver, { webhookId: id, secret });
  }

  async change(webhookId: number, change: WebhookChange): Promise<void> {
    const { db, config } = this.services;
    await updateWebhook(db, this.tenantId, webhookId, change, config.holdHours, commandLine);
  }

  /** All of the webhook's deliveries follow its state now. @returns how many were moved */
  align(webhookId: number): Promise<number> {
    const wholly = { pieceMs: Number.POSITIVE_INFINITY, restInMs: () => 0 };
    return alignWebhook(this.services.db, this.tenantId, webhookId, wholly);
  }

  /** @returns the events' ids */
  emits(count: number): Promise<number[]> {
    return Promise.all(Array.from({ length: count }, () => this.emit()));
  }

  /** @returns the event's id */
  async emit(eventType = 'coupon.applied', payload: unknown = { code: 'X', discount_type: 'fixed' }): Promise<number> {
    const emit = couponEmit(this.tenantId, { eventType, body: JSON.stringify(payload) });
    const [result] = await this.services.emitter.emit([emit]);
    if (result === undefined || result.refused !== null) {
      throw new Error(`the emit was refused: ${result?.refused}`);
    }
    return result.eventId;
  }

  async deliveries(where = 'true'): Promise<DeliveryRow[]> {
    return await this.rows<DeliveryRow>(`select * from hookwright.deliveries where ${where} order by id`);
  }

  async delivery(eventId: number): Promise<DeliveryRow> {
    const [row] = await this.deliveries(`event_id = ${eventId}`);
    if (row === undefined) {
      throw new Error(`event ${eventId} has no delivery`);
    }
    return row;
  }

  /** Waits until the event's delivery has come to this state. */
  reaches(eventId: number, status: string, withinMs?: number): Promise<DeliveryRow> {
    return eventually(async () => {
      const row = await this.delivery(eventId);
      return row.status === status && row;
    }, withinMs);
  }

  /** Waits until the event's delivery has had this many attempts. */
  attempted(eventId: number, attempts = 1): Promise<DeliveryRow> {
    return eventually(async () => {
      const row = await this.delivery(eventId);
      return row.attempt_count === attempts && row;
    });
  }

  /** Waits until this many deliveries have succeeded. */
  async succeeded(count: number, withinMs?: number): Promise<void> {
    await eventually(async () => (await this.deliveries("status = 'SUCCEEDED'")).length === count, withinMs);
  }

  /** Waits until no delivery has a job: graphile-worker takes a job away after its outcome is recorded. */
  async noDeliveryJobs(): Promise<void> {
    await eventually(async () => (await countJobs(this, OF_DELIVERIES)) === 0);
  }

  async webhookRow(id: number): Promise<WebhookRow> {
    const [row] = await this.rows<WebhookRow>(`select * from hookwright.webhooks where id = ${id}`);
    return row!;
  }

  async rows<Row extends object>(sql: string): Promise<Row[]> {
    return (await this.services.db.pool.query(sql)).rows as Row[];
  }

  /** Leaves the next test no delivery, no queue and no webhook that gets events. */
  async clear(): Promise<void> {
    await this.rows(`
      update hookwright.webhooks set active = false, deleted_at = now();
      delete from hookwright.deliveries;
      delete from hookwright.ordering_queue;
      delete from hookwright.ordering_keys`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const daemons = this.#daemons.map((daemon) => daemon.stop());
    await Promise.all([...daemons, ...this.#closing.map((close) => close())]);
    await this.services.db.close();
    await this.dropDatabase();
  }
}

import { sealSettings } from '../../src/operations/webhooks/settings.js';
import { DeliveryStack, type Endpoint } from './delivery-stack.js';
import { eventually } from './eventually.js';
import { couponEmit } from './factories.js';
import type { Answer } from './receiver.js';
import { oauth2 } from './token-server.js';

interface AttemptRow {
  delivery_id: number;
  status_code: number | null;
  error_code: string | null;
  request_headers: string;
  response_body: Buffer | null;
  duration_ms: number;
}

interface TokenColumns {
  sealed: Buffer | null;
  failure: string | null;
  failed_at: Date | null;
  fetching_until: Date | null;
}

/** The Authorization of each request that came. */
export const bearers = ({ received }: Endpoint) => received.map(({ headers }) => headers.authorization);

/** Endpoints that want an access token, and what is sent to them. */
export class OAuth2Stack implements AsyncDisposable {
  private constructor(readonly stack: DeliveryStack) {}

  /** Each delivery has one attempt. */
  static async open(settings: Record<string, string> = {}): Promise<OAuth2Stack> {
    return new OAuth2Stack(await DeliveryStack.open({ MAX_RETRIES: '0', ...settings }));
  }

  /** A daemon, and the number of its requests that have no answer yet. */
  startDaemon(): { inFlight: () => Promise<number | undefined> } {
    const { registry } = this.stack.startDaemon();
    const metric = registry.getSingleMetric('hookwright_requests_in_flight')!;
    return { inFlight: async () => (await metric.get()).values[0]?.value };
  }

  async change(webhookId: number, settings: object): Promise<void> {
    const { stack } = this;
    await stack.change(webhookId, await sealSettings(stack.services.vault, stack.tenantId, webhookId, settings));
  }

  /** An endpoint with a token server. It gets the events that are emitted to it alone. */
  async endpoint(tokenUrl: string, respond?: Answer, more: object = {}): Promise<Endpoint> {
    const endpoint = await this.stack.endpoint(respond, ['webhook.test']);
    await this.change(endpoint.webhookId, oauth2(tokenUrl, more));
    return endpoint;
  }

  /** @returns the event's id */
  async emitTo({ webhookId }: Endpoint): Promise<number> {
    const { stack } = this;
    const [result] = await stack.services.emitter.emit([couponEmit(stack.tenantId, { onlyWebhookId: webhookId })]);
    return result?.refused === null ? result.eventId : Promise.reject(new Error(`it was refused: ${result?.refused}`));
  }

  /** The only attempt of a new delivery to the endpoint. */
  async attemptAt(endpoint: Endpoint, withinMs?: number): Promise<AttemptRow> {
    const { stack } = this;
    const eventId = await this.emitTo(endpoint);
    const { id } = await eventually(async () => {
      const row = await stack.delivery(eventId);
      return row.status !== 'PENDING' && row;
    }, withinMs);
    const attempts = await stack.rows<AttemptRow>(`select * from hookwright.attempts where delivery_id = ${id}`);
    if (attempts.length !== 1) {
      throw new Error(`it had ${attempts.length} attempts`);
    }
    return attempts[0]!;
  }

  async row({ webhookId }: Endpoint): Promise<TokenColumns | undefined> {
    const [row] = await this.stack.rows<TokenColumns>(
      `select * from hookwright.endpoint_tokens where webhook_id = ${webhookId}`,
    );
    return row;
  }

  /** Leaves a token for daemons to find, in place of the one that there is: of 10 s ago, and good for an hour. */
  async leaveToken({ webhookId }: Endpoint, token: string): Promise<void> {
    const { services, tenantId } = this.stack;
    const sealed = await services.vault.seal(tenantId, webhookId, token, 'access token');
    await services.db.pool.query(
      `insert into hookwright.endpoint_tokens (webhook_id, tenant_id, options_version, sealed, got_at, expires_at)
       select id, tenant_id, options_version, $2, now() - interval '10 seconds', now() + interval '1 hour'
       from hookwright.webhooks where id = $1
       on conflict (webhook_id) do update set options_version = excluded.options_version, sealed = excluded.sealed,
         got_at = excluded.got_at, expires_at = excluded.expires_at`,
      [webhookId, sealed],
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stack[Symbol.asyncDispose]();
  }
}

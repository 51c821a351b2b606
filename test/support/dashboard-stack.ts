import { randomBytes } from 'node:crypto';
import type { Services } from '../../src/api/context/context.js';
import { OneTimeCode } from '../../src/api/dashboard/one-time-code.js';
import { API_ROLE } from '../../src/platform/database/tenant-database.js';
import { ApiOverSockets } from './api-over-sockets.js';
import { DeliveryStack } from './delivery-stack.js';
import { openTestServices } from './factories.js';
import { RealReceiver } from './real-receiver.js';

/**
 * What a browser test stands on: a database of its own, the API on a socket with the rights that it has in earnest, a
 * running daemon, and a receiver. All of it works for one tenant.
 *
 * - `stack.origin`: where the API and its pages are, for `open({ origin })`
 * - `stack.startLink`: what a start prints: it signs in to the console, once
 * - `stack.key`: a key of the tenant with all its scopes
 * - `await stack.stopApi()`, `await stack.startApi()`: another process at the same port
 * - `stack.delivery`: emits, makes webhooks, reads rows
 * - `stack.receiver`: answers 200, until a test changes its `behaviour`
 */
export class DashboardStack implements AsyncDisposable {
  private constructor(
    readonly delivery: DeliveryStack,
    readonly api: ApiOverSockets,
    readonly receiver: RealReceiver,
    readonly startLink: string,
    private readonly openServices: () => Promise<Services>,
    private services: Services | null,
    private readonly parts: AsyncDisposableStack,
  ) {}

  /**
   * @param settings environment variables, beside those of `DeliveryStack`
   * @param wayOf the url by which the API reaches the database, as of a `DatabaseProxy`; default: the same
   */
  static async open(
    settings: Record<string, string> = {},
    wayOf: (databaseUrl: string) => Promise<string> = async (url) => url,
  ): Promise<DashboardStack> {
    await using parts = new AsyncDisposableStack();
    const all = { ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`, ...settings };
    const delivery = parts.use(await DeliveryStack.open(all));
    const receiver = parts.use(await RealReceiver.start());
    const databaseUrl = await wayOf(delivery.databaseUrl);
    const openServices = () =>
      openTestServices(databaseUrl, {
        settings: { ALLOW_HTTP_URLS: 'true', ALLOW_PRIVATE_TARGETS: '127.0.0.0/8', ...all },
        role: API_ROLE,
      });
    const services = await openServices();
    const startCode = new OneTimeCode(randomBytes);
    const api = await ApiOverSockets.open(services, delivery.tenantId, delivery.services, { startCode });
    delivery.startDaemon();
    const startLink = `/console/#code=${startCode.text}`;
    return new DashboardStack(delivery, api, receiver, startLink, openServices, services, parts.move());
  }

  get origin(): string {
    return `http://127.0.0.1:${this.api.port}`;
  }

  get key(): string {
    return this.api.key;
  }

  /** How many streams of live updates the API has open. */
  get streamsOpen(): number {
    return this.services?.metrics.streamsOpen ?? 0;
  }

  async stopApi(): Promise<void> {
    const services = this.services;
    this.services = null;
    if (services !== null) {
      await this.api.goAway();
      await services.db.close();
    }
  }

  /** @param folder of the built pages; default: of the build */
  async startApi(folder?: string): Promise<void> {
    this.services = await this.openServices();
    await this.api.comeBack(this.services, folder === undefined ? {} : { folder });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopApi();
    await this.parts.disposeAsync();
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { Child } from './child.js';
import type { BenchDatabase } from './database.js';
import { type Env, Installation, type Service } from './installation.js';
import type { Load, LoadMethods, LoadReport } from './load.js';
import { EVENT_TYPE } from './payload.js';
import { type CpuSeconds, readPeakMemory, readStat } from './processes.js';
import type { ReceiverMethods } from './receiver.js';
import type { Profiling } from './service-process.js';

const SETTLE_TIMEOUT_MS = 60_000;
const SETUP_REQUESTS_AT_ONCE = 4;

export const BARE_CONCURRENCY = 64;
const BARE_GROUP = 'bare';

/** All that a scenario works with: the service under test, a receiver and a load generator, each a process. */
export class Rig implements AsyncDisposable {
  readonly #all = new AsyncDisposableStack();
  readonly installation: Installation;
  readonly receiver: Child<ReceiverMethods>;
  readonly load: Child<LoadMethods>;
  #receiverOrigin = '';

  /** @param seconds how long a measurement emits */
  constructor(
    settings: Env,
    readonly seconds: number,
    profiling?: Profiling,
  ) {
    this.receiver = this.#all.use(new Child<ReceiverMethods>('receiver.js'));
    this.load = this.#all.use(new Child<LoadMethods>('load.js'));
    this.installation = this.#all.use(new Installation(settings, profiling));
  }

  async open(): Promise<void> {
    this.#receiverOrigin = await this.receiver.call('listen', null);
  }

  database(): Promise<BenchDatabase> {
    return this.installation.database();
  }

  /** Subscribes so many webhooks at `/<group>/<number>` to the bench's events. @returns their ids */
  async subscribe(service: Service, group: string, webhooks: number): Promise<number[]> {
    const paths = Array.from({ length: webhooks }, (_, index) => `/${group}/${index}`);
    const ids: number[] = [];
    const secrets: Record<string, string> = {};
    const worker = async () => {
      for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
        const { id, secret } = await createWebhook(service, this.#receiverOrigin + path);
        ids.push(id);
        secrets[path] = secret;
      }
    };
    await Promise.all(Array.from({ length: SETUP_REQUESTS_AT_ONCE }, worker));
    await this.receiver.call('trust', secrets);
    return ids;
  }

  /** Runs load against the service. @throws Error when one request failed: figures of failures mean nothing */
  async emit(service: Service, load: Omit<Load, 'url' | 'apiKey'>): Promise<LoadReport> {
    return this.#run({ ...load, url: service.origin, apiKey: service.apiKey });
  }

  /** Posts to the receiver with nothing between, to know what this machine can do at this time. */
  async barePosts(load: Pick<Load, 'seconds' | 'ratePerSecond'>): Promise<LoadReport> {
    const url = `${this.#receiverOrigin}/${BARE_GROUP}/0`;
    return this.#run({ what: 'bare', concurrency: BARE_CONCURRENCY, ...load, url });
  }

  async #run(load: Load): Promise<LoadReport> {
    await this.receiver.call('reset', null);
    const report = await this.load.call('run', load);
    if (report.failures > 0) {
      throw new Error(`${report.failures} requests failed; the first: ${report.failure}`);
    }
    return report;
  }

  /** Waits until every outcome is written. @returns whether that was within a minute */
  async settled(): Promise<boolean> {
    const database = await this.database();
    const deadline = performance.now() + SETTLE_TIMEOUT_MS;
    while (!(await database.isSettled())) {
      if (performance.now() > deadline) {
        return false;
      }
      await delay(25);
    }
    return true;
  }

  /** CPU time of each class of processes so far. @returns null where it cannot be read */
  async cpu(): Promise<CpuSeconds | null> {
    const service = sum(this.installation.processes.map(({ pid }) => readStat(pid)?.ownSeconds ?? null));
    const postgres = (await this.database()).cpuSeconds();
    const receiver = readStat(this.receiver.pid)?.ownSeconds ?? null;
    const load = readStat(this.load.pid)?.ownSeconds ?? null;
    return service === null || postgres === null || receiver === null || load === null
      ? null
      : { service, postgres, receiver, load };
  }

  /** The most memory that a process of the service has had, in MiB. */
  peakMemory(): number | null {
    const peaks = this.installation.processes.map(({ pid }) => readPeakMemory(pid));
    return peaks.length === 0 || peaks.includes(null) ? null : Math.max(...peaks.map(Number));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#all.disposeAsync();
  }
}

function sum(values: readonly (number | null)[]): number | null {
  return values.includes(null) ? null : values.reduce<number>((total, value) => total + (value ?? 0), 0);
}

const CREATE_WEBHOOK =
  'mutation($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } secret } }';

interface CreateWebhookAnswer {
  data?: { createWebhook?: { webhook: { id: string }; secret: string } };
}

/** Waits where the service limits how fast webhooks may be made. */
async function createWebhook(
  { origin, apiKey }: Service,
  url: string,
): Promise<{ id: number; secret: string }> {
  for (;;) {
    const { statusCode, headers, body } = await request(`${origin}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({
        query: CREATE_WEBHOOK,
        variables: { input: { url, eventTypes: [EVENT_TYPE] } },
      }),
    });
    const text = await body.text();
    const created = (JSON.parse(text) as CreateWebhookAnswer).data?.createWebhook;
    if (created) {
      return { id: Number(created.webhook.id), secret: created.secret };
    }
    if (statusCode !== 429) {
      throw new Error(`A webhook could not be made: ${statusCode} ${text}`);
    }
    await delay(1000 * Number(headers['retry-after'] ?? 1));
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../src/platform/node/free-port.js';
import { Child } from './child.js';
import { createWebhook } from './client.js';
import type { BenchDatabase } from './database.js';
import { type Env, Installation, type Service } from './installation.js';
import type { Load, LoadMethods, LoadReport } from './load.js';
import type { LargeOptions } from './options.js';
import { EVENT_TYPE } from './payload.js';
import { type CpuSeconds, readPeakMemory, readStat } from './processes.js';
import type { ReceiverMethods } from './receiver.js';
import type { ServiceProcess } from './service-process.js';
import type { SlowNetworkMethods } from './slow-network.js';

const SETTLE_TIMEOUT_MS = 60_000;
const SETUP_REQUESTS_AT_ONCE = 4;

const BARE_CONCURRENCY = 64;
const BARE_GROUP = 'bare';

interface RigOptions {
  /** The service's, where they differ from the shipped ones. */
  settings: Env;
  /** Flags for the service's Node processes. */
  nodeFlags: readonly string[];
  /** How long a measurement emits. */
  seconds: number;
  /** How many a scenario with a history puts into the tables. */
  deliveries: number;
  /** The two installations of the scenario `large`. */
  large: LargeOptions;
  /** Which cases of a scenario that has any are measured. */
  cases: readonly string[];
  /** What a scenario draws by chance is drawn from this. */
  seed: number;
}

/** How webhooks are made; each has a default. */
export interface Subscription {
  eventType?: string;
  /** Where nobody listens, rather than at the receiver. */
  refusing?: boolean;
  /** The receiver is that far away: what goes to it, and what comes back, each takes this long. */
  oneWayMs?: number;
  /** The most requests a second that it allows. */
  ratePerSecond?: number | undefined;
  /** Events of one key are sent one after the other. */
  isOrdered?: boolean;
  /** Events with the same value there are sent one after the other. */
  keyPath?: string;
  /** Seconds until a key is quiet, and the most: only then its newest event is sent. */
  settle?: readonly [quiet: number, most: number];
  /** As `createWebhook` takes it. */
  content?: object;
}

/** Load at a fixed rate that goes on beside what is done meanwhile. */
interface SteadyLoad {
  /** Ends it, and waits for the answers that are under way. @throws Error when a request failed */
  stop(): Promise<LoadReport>;
}

/** All that a scenario works with: the service under test, a receiver and a load generator, each a process. */
export class Rig implements AsyncDisposable {
  readonly #all = new AsyncDisposableStack();
  readonly installation: Installation;
  readonly receiver: Child<ReceiverMethods>;
  readonly load: Child<LoadMethods>;
  readonly #webhooks = new Map<string, number[]>();
  #steadyLoad: Child<LoadMethods> | undefined;
  #network: Child<SlowNetworkMethods> | undefined;
  #receiverOrigin = '';
  #disposal: Promise<void> | undefined;

  constructor(private readonly options: RigOptions) {
    this.receiver = this.#all.use(new Child<ReceiverMethods>('receiver.js'));
    this.load = this.#all.use(new Child<LoadMethods>('load.js'));
    this.installation = this.#all.use(new Installation(options.settings, options.nodeFlags));
  }

  async open(): Promise<void> {
    this.#receiverOrigin = await this.receiver.call('listen', null);
  }

  /** Has a process end with the rig. */
  use<Process extends AsyncDisposable>(child: Process): Process {
    return this.#all.use(child);
  }

  get seconds(): number {
    return this.options.seconds;
  }

  get deliveries(): number {
    return this.options.deliveries;
  }

  get large(): LargeOptions {
    return this.options.large;
  }

  get cases(): readonly string[] {
    return this.options.cases;
  }

  get seed(): number {
    return this.options.seed;
  }

  /** A second rig of the same kind, with an installation of its own, that ends with this one. */
  async another(): Promise<Rig> {
    const rig = this.#all.use(new Rig(this.options));
    await rig.open();
    return rig;
  }

  database(): Promise<BenchDatabase> {
    return this.installation.database();
  }

  /** Subscribes this many more webhooks at `/<group>/<number>` to the bench's events, or others. @returns their ids */
  async subscribe(
    service: Service,
    group: string,
    webhooks: number,
    { eventType = EVENT_TYPE, ratePerSecond, isOrdered = false, keyPath, settle, content, ...place }: Subscription = {},
  ): Promise<number[]> {
    const options = { ratePerSecond, isOrdered, keyPath, settle, content };
    const origin = await this.#originOf(place);
    const others = this.#webhooks.get(group) ?? [];
    const paths = Array.from({ length: webhooks }, (_, index) => `/${group}/${others.length + index}`);
    const ids: number[] = [];
    const secrets: Record<string, string> = {};
    const worker = async () => {
      for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
        const { id, secret } = await createWebhook(service, origin + path, eventType, options);
        ids.push(id);
        secrets[path] = secret;
      }
    };
    await Promise.all(Array.from({ length: SETUP_REQUESTS_AT_ONCE }, worker));
    await this.receiver.call('trust', secrets);
    this.#webhooks.set(group, [...others, ...ids]);
    return ids;
  }

  async #originOf({ refusing = false, oneWayMs = 0 }: Subscription): Promise<string> {
    if (refusing) {
      return `http://127.0.0.1:${await freePort()}`;
    }
    if (oneWayMs === 0) {
      return this.#receiverOrigin;
    }
    this.#network ??= this.#all.use(new Child<SlowNetworkMethods>('slow-network.js'));
    return this.#network.call('open', { origin: this.#receiverOrigin, oneWayMs });
  }

  /** Runs load against the service. @throws Error when one request failed: figures of failures mean nothing */
  async emit(service: Service, load: Omit<Load, 'url' | 'apiKey'>): Promise<LoadReport> {
    return this.#run({ ...load, url: service.origin, apiKey: service.apiKey });
  }

  /** Runs load beside other load: what the receiver has counted is kept. @throws Error when a request failed */
  async emitBeside(service: Service, load: Omit<Load, 'url' | 'apiKey'>): Promise<LoadReport> {
    return allGood(await this.load.call('run', { ...load, url: service.origin, apiKey: service.apiKey }));
  }

  /** Runs the loads of several tenants at the same time. @throws Error when a request failed */
  async emitAllBeside(loads: readonly Load[]): Promise<LoadReport[]> {
    return (await this.load.call('runAll', loads)).map(allGood);
  }

  /** Posts to the receiver (or the floor) with nothing between, to know what this machine can do at this time. */
  barePosts(load: Pick<Load, 'seconds' | 'ratePerSecond'>, url = this.urlOf(BARE_GROUP)): Promise<LoadReport> {
    return this.#run({ what: 'bare', concurrency: BARE_CONCURRENCY, ...load, url });
  }

  urlOf(group: string): string {
    return `${this.#receiverOrigin}/${group}/0`;
  }

  /** Starts single emits at a fixed rate, from a process of their own. What the receiver has counted is kept. */
  emitSteadily(service: Service, ratePerSecond: number, secondsMax: number): SteadyLoad {
    this.#steadyLoad ??= this.#all.use(new Child<LoadMethods>('load.js'));
    const child = this.#steadyLoad;
    const { origin: url, apiKey } = service;
    const report = child.call('run', { what: 'emit', url, apiKey, ratePerSecond, seconds: secondsMax });
    report.catch(() => {}); // `stop` reports it
    return {
      stop: async () => {
        await child.call('stop', null);
        return allGood(await report);
      },
    };
  }

  async #run(load: Load): Promise<LoadReport> {
    await this.receiver.call('reset', null);
    return allGood(await this.load.call('run', load));
  }

  /**
   * Waits until every outcome is written.
   *
   * @param groups only of their webhooks; none: of all
   * @returns how many are not after a minute
   */
  async unrecorded(...groups: readonly string[]): Promise<number> {
    const database = await this.database();
    const webhookIds = groups.length === 0 ? null : groups.flatMap((group) => this.#webhooks.get(group) ?? []);
    const deadline = performance.now() + SETTLE_TIMEOUT_MS;
    while (!(await database.isSettled(webhookIds))) {
      if (performance.now() > deadline) {
        return database.pending(webhookIds);
      }
      await delay(25);
    }
    return 0;
  }

  /** CPU time of each class of processes so far. @returns null where it cannot be read */
  async cpu(): Promise<CpuSeconds | null> {
    const service = sum(this.installation.processes.map(({ pid }) => readStat(pid)?.ownSeconds ?? null));
    const postgres = (await this.database()).cpuSeconds();
    const receiver = readStat(this.receiver.pid)?.ownSeconds ?? null;
    const loads = [this.load, ...(this.#steadyLoad ? [this.#steadyLoad] : [])];
    const load = sum(loads.map(({ pid }) => readStat(pid)?.ownSeconds ?? null));
    return service === null || postgres === null || receiver === null || load === null
      ? null
      : { service, postgres, receiver, load };
  }

  /** CPU time of one process of the service so far. @returns null where it cannot be read */
  cpuOf({ pid }: ServiceProcess): number | null {
    return readStat(pid)?.ownSeconds ?? null;
  }

  /** The most memory that one process of the service has had, in MiB. Not a number where it cannot be read. */
  peakMemoryOf({ pid }: ServiceProcess): number {
    return readPeakMemory(pid) ?? Number.NaN;
  }

  /** The most memory that a process of the service that runs now has had, in MiB. */
  peakMemory(): number | null {
    const peaks = this.installation.processes.map(({ pid }) => readPeakMemory(pid));
    return peaks.length === 0 || peaks.includes(null) ? null : Math.max(...peaks.map(Number));
  }

  /** A second caller waits for the same end. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#disposal ??= this.#all.disposeAsync();
    return this.#disposal;
  }
}

function allGood(report: LoadReport): LoadReport {
  if (report.failures > 0) {
    throw new Error(`${report.failures} requests failed; the first: ${report.failure}`);
  }
  return report;
}

function sum(values: readonly (number | null)[]): number | null {
  return values.includes(null) ? null : values.reduce<number>((total, value) => total + (value ?? 0), 0);
}

import { setTimeout as delay } from 'node:timers/promises';
import { deleteWebhook } from './client.js';
import type { BenchDatabase, Health } from './database.js';
import type { Env, Service } from './installation.js';
import { type Journal, lastArrivalAt } from './journal.js';
import { nowMicroseconds } from './payload.js';
import type { Rig, Subscription } from './rig.js';
import { nothingDelivered, type Scenario, warmUp, warmUpLoad } from './scenario.js';

/** Where an endpoint is, and how late it answers; by default it is at the receiver and answers at once. */
type Place = Omit<Subscription, 'eventType'> & { latencyMs?: number };

/** One treatment of one endpoint, with its figures, of which names hold the units. */
interface Case {
  name: string;
  usual: boolean;
  place?: Place;
  measure(endpoint: Endpoint, rig: Rig): Promise<Record<string, number>>;
}

const WARM_UP_GROUP = 'warm';
const LOOK_EVERY_MS = 50;
/** The shipped setting. */
const EVENTS_PER_REQUEST_MAX = 100;
/** Should what goes on beside a load never end. */
const SECONDS_MAX = 300;

/**
 * A scenario of cases, which are measured one after the other in one installation, each with a webhook of its own. A
 * figure is called `<case>.<figure>`.
 */
export function scenarioOfCases(
  about: { name: string; title: string; settings?: Env },
  cases: readonly Case[],
): Scenario {
  return {
    ...about,
    cases,
    runs: 1,
    delivers: false,
    async prepare(rig) {
      const service = await rig.installation.start();
      const [webhookId] = await rig.subscribe(service, WARM_UP_GROUP, 1);
      await warmUp(rig, service, WARM_UP_GROUP, warmUpLoad);
      await deleteWebhook(service, webhookId!);
      const chosen = cases.filter(({ name }) => rig.cases.includes(name));
      return async () => {
        const details: Record<string, number> = {};
        for (const { name, place, measure } of chosen) {
          await using endpoint = await Endpoint.open(rig, service, `${about.name}-${name}`, place);
          for (const [figure, value] of Object.entries(await measure(endpoint, rig))) {
            details[`${name}.${figure}`] = value;
          }
        }
        return { ...nothingDelivered, details };
      };
    },
  };
}

/** Retries come after a second or so, not after two minutes: for cases that wait for them. */
export const quickRetries: Env = { RETRY_BASE_SECONDS: '1' };

/** The endpoint of a case: a webhook, its group at the receiver, and what the service makes of it meanwhile. */
export class Endpoint implements AsyncDisposable {
  /** How many deliveries the service says that the emits have. */
  promised = 0;
  #failuresInARow = 0;
  #active = true;
  #watching = true;
  #withinMs = 0;
  readonly #watch: Promise<void>;

  private constructor(
    private readonly rig: Rig,
    private readonly service: Service,
    readonly group: string,
    private readonly webhookId: number,
    private readonly database: BenchDatabase,
  ) {
    this.#watch = this.#look();
    this.#watch.catch(() => {}); // its disposal throws it
  }

  static async open(rig: Rig, service: Service, group: string, place: Place = {}): Promise<Endpoint> {
    const { latencyMs = 0, ...subscription } = place;
    await rig.receiver.call('reset', null);
    await rig.receiver.call('delay', { group, ms: latencyMs });
    const [webhookId] = await rig.subscribe(service, group, 1, subscription);
    return new Endpoint(rig, service, group, webhookId!, await rig.database());
  }

  /** The row of the webhook is read again and again: a count of failures that a success ends is seen nowhere else. */
  async #look(): Promise<void> {
    while (this.#watching) {
      const { active, consecutiveFailures } = await this.database.rowOf(this.webhookId);
      this.#active = active;
      this.#failuresInARow = Math.max(this.#failuresInARow, consecutiveFailures);
      await delay(LOOK_EVERY_MS);
    }
  }

  get isActive(): boolean {
    return this.#active;
  }

  /** Emits at a fixed rate for as long as `work` takes. @returns what `work` did */
  async emitWhile<Result>(ratePerSecond: number, work: () => Promise<Result>): Promise<Result> {
    const load = this.rig.emitSteadily(this.service, ratePerSecond, SECONDS_MAX);
    const result = await work();
    this.promised += (await load.stop()).deliveries;
    return result;
  }

  /** Emits this many in as few requests as it takes, all of them at once. */
  async emitAtOnce(events: number): Promise<void> {
    const requests = Math.ceil(events / EVENTS_PER_REQUEST_MAX);
    const load = {
      what: events / requests,
      concurrency: requests,
      requestsMax: requests,
      seconds: 60,
    } as const;
    this.promised += (await this.rig.emitBeside(this.service, load)).deliveries;
  }

  /** Waits until all has arrived that was emitted, and is recorded, the webhook is disabled, or the time is over. */
  async settle(withinMs: number): Promise<void> {
    this.#withinMs = withinMs;
    const deadline = performance.now() + withinMs;
    const isSettled = async () => (await this.notArrived()) === 0 && (await this.database.isSettled([this.webhookId]));
    while (this.#active && performance.now() < deadline && !(await isSettled())) {
      await delay(LOOK_EVERY_MS);
    }
  }

  /** How many deliveries were never answered 200. */
  async notArrived(): Promise<number> {
    return this.promised - (await this.rig.receiver.call('answered', this.group));
  }

  journal(): Promise<Journal> {
    return this.rig.receiver.call('journal', this.group);
  }

  /** Reads what the service has recorded of it so far. */
  recorded(): Promise<Health> {
    return this.database.healthOf(this.webhookId);
  }

  /** How the service has taken it, as figures. */
  async verdict() {
    const { active, consecutiveFailures, failedAttempts } = await this.recorded();
    return {
      disabled: Number(!active),
      failuresInARow: Math.max(this.#failuresInARow, consecutiveFailures),
      failedAttempts,
      notArrived: await this.notArrived(),
    };
  }

  /**
   * From then (microseconds since 1970) until the last arrival that `of` finds. Where something has not come: until now, and
   * not less than it was to be waited for.
   */
  async secondsSince(since: number, of: (journal: Journal) => number): Promise<number> {
    if ((await this.notArrived()) > 0) {
      return Math.max(this.#withinMs / 1000, (nowMicroseconds() - since) / 1_000_000);
    }
    return Math.max(0, of(await this.journal()) - since) / 1_000_000;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watching = false;
    await this.#watch;
    await deleteWebhook(this.service, this.webhookId);
    await this.rig.receiver.call('accept', null);
    await this.rig.receiver.call('behave', this.group);
  }
}

/**
 * Waits for all that was emitted to an endpoint that has recovered, and says how the service has taken its bad moment.
 *
 * @param recoveredAt microseconds since 1970
 */
export async function hiccupFigures(endpoint: Endpoint, recoveredAt: number, withinMs: number) {
  await endpoint.settle(withinMs);
  return {
    ...(await endpoint.verdict()),
    backlogSeconds: await endpoint.secondsSince(recoveredAt, (journal) => lastArrivalAt(journal, recoveredAt)),
  };
}

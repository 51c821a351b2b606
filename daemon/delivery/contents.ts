import { WeighedMap } from '../../src/domain/collections/weighed-map.js';
import { type Content, PlannedContent, type SentContent } from '../../src/domain/content/content.js';
import type { Conversion } from '../../src/domain/content/conversion.js';
import type { Payload } from '../../src/domain/content/payload.js';
import type { ContentPace, Making } from '../../src/domain/pacing/content-pace.js';
import type { DueDelivery } from '../../src/operations/attempts/load-deliveries.js';
import { readContents } from '../../src/operations/contents/read-contents.js';
import { Conversions } from '../../src/operations/releases/conversions.js';
import { LoopTurns } from '../../src/platform/concurrency/loop-turns.js';
import type { HasPool } from '../../src/platform/database/database.js';
import { GroupCommit } from '../../src/platform/database/group-commit.js';
import type { Config } from '../../src/platform/settings/config.js';
import type { Fence } from '../liveness/fence.js';

/** All that is kept here: at most 32 MiB together. */
const PLANS_BYTES_MAX = 12 * 1024 ** 2;
const PAYLOADS_BYTES_MAX = 12 * 1024 ** 2;
const MADE_BYTES_MAX = 8 * 1024 ** 2;
/** The deliveries of an event come within seconds of each other. */
const KEPT_FOR_MS = 50_000;
const FORGET_EVERY_MS = 10_000;
/** A content that takes less is made again: most do, and contents that are kept are garbage to collect. */
const KEPT_FROM_MS = 1 / 4;
const BATCH_MAX = 64;

interface ContentsDeps {
  db: HasPool;
  config: Config;
  fence: Pick<Fence, 'ending'>;
}

/** Makes the contents of deliveries: what they send instead of the bodies of their events. */
export class ContentsOfDeliveries {
  readonly #reads: GroupCommit<number, Content | null>;
  /** By the ids of contents, which never change. */
  readonly #plans = new WeighedMap<number, PlannedContent>(PLANS_BYTES_MAX);
  /** By tenant and event, with the state before or without. */
  readonly #payloads = new WeighedMap<string, Payload>(PAYLOADS_BYTES_MAX, KEPT_FOR_MS);
  /** By tenant, event and form: each webhook has a content of its own, but many have the same form. */
  readonly #made = new WeighedMap<string, SentContent | null>(MADE_BYTES_MAX, KEPT_FOR_MS);
  readonly #conversions: Conversions;
  readonly #turns: LoopTurns<ContentPace>;
  #forgetting: NodeJS.Timeout | undefined;
  /** How long all of them have kept the thread busy. */
  seconds = 0;

  constructor(private readonly deps: ContentsDeps) {
    const { db, fence } = deps;
    this.#reads = new GroupCommit((ids) => readContents(db.pool, ids), { itemsMax: BATCH_MAX });
    this.#conversions = new Conversions(db);
    // Those that have a permit when the daemon stops are the last ones.
    this.#turns = new LoopTurns((pace) => fence.ending || !pace.isOver(performance.now()));
  }

  /**
   * Makes the content of a delivery that has one, in a later turn of the event loop where that takes long.
   *
   * @returns null when it is larger than a payload may be, or takes too much work
   * @throws Error when the content is gone, with the tenant: the delivery is loaded again
   */
  async of(delivery: DueDelivery, making: Making): Promise<SentContent | null> {
    const { id } = delivery.content!;
    const plan = this.#plans.get(id, performance.now());
    const content = plan === undefined ? await this.#reads.runOne(id) : null;
    if (plan === undefined && content === null) {
      throw new Error(`Content ${id} is gone.`);
    }
    const release = (plan ?? content!).release;
    const conversion = release === null ? null : await this.#conversions.of(release, versionedEvent(delivery));
    const known = plan && this.#made.get(keyOf(delivery, plan, conversion), performance.now());
    if (known !== undefined) {
      making.end(performance.now(), 0);
      return known;
    }
    return await this.#turns.run(making.pace, () => {
      const startedAtMs = performance.now();
      const sent = this.#make(delivery, plan ?? this.#planned(id, content!), conversion, startedAtMs);
      const now = performance.now();
      making.end(now, now - startedAtMs);
      this.seconds += (now - startedAtMs) / 1000;
      return sent;
    });
  }

  #planned(id: number, content: Content): PlannedContent {
    const plan = new PlannedContent(content);
    this.#plans.set(id, plan, plan.bytes, performance.now());
    return plan;
  }

  #make(
    delivery: DueDelivery,
    plan: PlannedContent,
    conversion: Conversion | null,
    startedAtMs: number,
  ): SentContent | null {
    const { tenantId, eventType: type, body, content } = delivery;
    const key = keyOf(delivery, plan, conversion);
    const known = this.#made.get(key, startedAtMs);
    if (known !== undefined) {
      return known;
    }
    const { eventId, previous } = content!;
    const eventKey = `${tenantId} ${eventId}${plan.asksFormer ? ' former' : ''}`;
    const kept = this.#payloads.get(eventKey, startedAtMs);
    const payload = kept ?? plan.payload(body, previous ?? null);
    const sent = plan.of({ id: eventId, tenantId, type, payload, conversion }, this.deps.config);
    const now = performance.now();
    if (now - startedAtMs >= KEPT_FROM_MS) {
      this.#made.set(key, sent, MADE_BYTES + 2 * (sent?.body.length ?? 0), now);
      if (kept === undefined) {
        this.#payloads.set(eventKey, payload, payload.bytes, now);
      }
      this.#forgetLater();
    }
    return sent;
  }

  /** Nothing of a payload is kept in memory for much longer, whatever comes: its event may be erased. */
  #forgetLater(): void {
    this.#forgetting ??= setTimeout(() => {
      this.#forgetting = undefined;
      const now = performance.now();
      this.#made.forget(now);
      this.#payloads.forget(now);
      if (this.#made.size + this.#payloads.size > 0) {
        this.#forgetLater();
      }
    }, FORGET_EVERY_MS).unref();
  }
}

/** An entry without its body. */
const MADE_BYTES = 500;

const keyOf = ({ tenantId, content }: DueDelivery, plan: PlannedContent, conversion: Conversion | null): string =>
  `${tenantId} ${content!.eventId} ${plan.digest}${conversion === null ? '' : ` ${conversion.digest}`}`;

const versionedEvent = ({ eventType: type, content }: DueDelivery) => ({
  id: content!.eventId,
  type,
  typeVersion: content!.typeVersion ?? null,
});

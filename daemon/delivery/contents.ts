import type pg from 'pg';
import { BoundedMap } from '../../src/domain/bounded-map.js';
import { type Content, type ContentRules, contentOf, type SentContent } from '../../src/domain/content/content.js';
import type { DueDelivery } from '../../src/operations/attempts/load-deliveries.js';
import { readContents } from '../../src/operations/contents/read-contents.js';
import { GroupCommit } from '../../src/platform/database/group-commit.js';

const CACHED_MAX = 1_000;
const BATCH_MAX = 256;

/** The contents that deliveries name, kept by their ids: they never change. */
export class ContentsOfDeliveries {
  readonly #kept = new BoundedMap<number, Content>(CACHED_MAX);
  readonly #reads: GroupCommit<number, Content | null>;

  constructor(
    pool: pg.Pool,
    private readonly rules: ContentRules,
  ) {
    this.#reads = new GroupCommit((ids) => readContents(pool, ids), { itemsMax: BATCH_MAX });
  }

  /**
   * Makes what a delivery sends instead of its event's body.
   *
   * @returns null when it is larger than a payload may be
   * @throws Error when the content is gone, with the tenant: the delivery is loaded again
   */
  async of(
    { tenantId, eventType, body }: DueDelivery,
    { id, eventId }: NonNullable<DueDelivery['content']>,
  ): Promise<SentContent | null> {
    const content = this.#kept.get(id) ?? (await this.#read(id));
    return contentOf({ id: eventId, tenantId, type: eventType, body }, content, this.rules);
  }

  async #read(id: number): Promise<Content> {
    const content = await this.#reads.runOne(id);
    if (content === null) {
      throw new Error(`Content ${id} is gone.`);
    }
    this.#kept.set(id, content);
    return content;
  }
}

/** Of the workers of a daemon, how much of them one webhook may have. */
const SHARE_MAX = 0.9;
/** One of a group holds a worker together with the others. */
const GROUPED = 1;
const SINGLE = 4;

/** Who holds a place: its webhook, and whether it shares a job with others. */
export interface Holder {
  webhookId: number;
  isGrouped: boolean;
}

/**
 * What each webhook holds of a daemon's workers: attempts under way, and outcomes that are not recorded yet. One whose
 * outcomes cannot be recorded leaves some to the others, also while nobody knows of its trouble.
 */
export class Holdings {
  readonly #held = new Map<number, number>();
  readonly #max: number;

  constructor(slots: number) {
    this.#max = Math.ceil(slots * SHARE_MAX) * SINGLE;
  }

  /** @returns whether there was a place; it must be given back */
  tryTake({ webhookId, isGrouped }: Holder): boolean {
    const held = this.#held.get(webhookId) ?? 0;
    const isFree = held + weightOf(isGrouped) <= this.#max;
    if (isFree) {
      this.#held.set(webhookId, held + weightOf(isGrouped));
    }
    return isFree;
  }

  give({ webhookId, isGrouped }: Holder): void {
    const held = this.#held.get(webhookId)! - weightOf(isGrouped);
    if (held > 0) {
      this.#held.set(webhookId, held);
    } else {
      this.#held.delete(webhookId);
    }
  }
}

const weightOf = (isGrouped: boolean) => (isGrouped ? GROUPED : SINGLE);

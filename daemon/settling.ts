import type { SettlePayload } from '../src/operations/enqueue.js';
import { Slots } from '../src/slots.js';
import type { Fence } from './fence.js';

/** Webhooks that are settled at the same time. Each keeps a connection busy, of which deliveries need some. */
const AT_ONCE = 2;
/** Of the jobs in hand, so many may wait here for their turn. More would take the place of deliveries. */
const WAITING_SHARE = 1 / 10;
/** Later than half a minute, the sweep takes a webhook for forgotten. */
const PUT_OFF_MS_MAX = 25_000;
/** What the newest turn weighs in the mean. */
const NEWEST = 1 / 4;

/**
 * Whose turn it is to have a webhook settled. A tenant that enables hundreds of webhooks with long backlogs at once waits
 * for them itself: nobody's deliveries do.
 */
export class Settling {
  readonly #turns = new Slots(AT_ONCE);
  readonly #waitingMax: number;
  #meanMs = 0;
  /** When those that have been put off will have had their turns. */
  #busyUntil = 0;

  constructor(
    private readonly deps: {
      fence: Pick<Fence, 'ending'>;
      /** One turn of settling. */
      settle: (payload: SettlePayload) => Promise<void>;
      /** Has it asked for again later. */
      putOff: (payload: SettlePayload, inMs: number) => Promise<void>;
      /** Jobs in hand at the same time. */
      concurrency: number;
      now?: () => number;
    },
  ) {
    this.#waitingMax = Math.floor(deps.concurrency * WAITING_SHARE);
  }

  /** Settles the webhook when it is its turn, or has that done later. */
  async run(payload: SettlePayload): Promise<void> {
    if (this.#turns.inUse === AT_ONCE && this.#turns.waitingCount >= this.#waitingMax) {
      await this.deps.putOff(payload, this.#reserve());
      return;
    }
    await this.#turns.run(async () => {
      if (this.deps.fence.ending) {
        await this.deps.putOff(payload, 0);
        return;
      }
      const startedAt = this.#now();
      await this.deps.settle(payload);
      this.#meanMs += (this.#now() - startedAt - this.#meanMs) * NEWEST;
    });
  }

  /** @returns how long those before it will take, from what turns took lately, ms */
  #reserve(): number {
    const now = this.#now();
    const turnMs = Math.max(1, this.#meanMs) / AT_ONCE;
    const busyUntil = Math.max(this.#busyUntil, now + this.#waitingMax * turnMs) + turnMs;
    this.#busyUntil = Math.min(busyUntil, now + PUT_OFF_MS_MAX);
    return this.#busyUntil - now;
  }

  #now(): number {
    return (this.deps.now ?? performance.now.bind(performance))();
  }
}

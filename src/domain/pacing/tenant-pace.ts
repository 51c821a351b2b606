import { TokenBuckets } from './token-bucket.js';

/** Deliveries that a tenant may emit at once, and then each second, before the rest of them stand behind others'. */
const BURST = 500;
const PER_SECOND = 250;
/** So a second after a tenant has calmed down it crowds nobody, whatever it emitted before. */
const DEBT_MAX = PER_SECOND;

/** How much each tenant has emitted lately: deliveries of one that emits 50,000 at once wait behind all others. */
export class TenantPace {
  readonly #buckets = new TokenBuckets<number>({ perSecond: PER_SECOND, burst: BURST });

  /** @param now milliseconds, never going back */
  constructor(private readonly now: () => number) {}

  isCrowding(tenantId: number): boolean {
    return this.#buckets.level(tenantId, this.now()).tokens <= 0;
  }

  emitted(tenantId: number, deliveries: number): void {
    const now = this.now();
    const { tokens } = this.#buckets.level(tenantId, now);
    this.#buckets.take(tenantId, Math.min(deliveries, tokens + DEBT_MAX), now);
  }
}

import { BoundedMap } from '../bounded-map.js';

/** Deliveries that a tenant may emit at once, and then each second, before the rest of them stand behind others'. */
const BURST = 500;
const PER_SECOND = 250;
/** So a tenant is heard again a second after it has calmed down, whatever it emitted before. */
const LEVEL_MAX = BURST + PER_SECOND;
const TENANTS_MAX = 10_000;

interface Level {
  deliveries: number;
  atMs: number;
}

/**
 * How much each tenant has emitted lately: a leaky bucket (ITU-T I.371) for each. Nothing is refused by it; it only
 * tells whose deliveries can wait, so that a tenant that emits 50,000 at once delays nobody else.
 */
export class TenantPace {
  readonly #levels = new BoundedMap<number, Level>(TENANTS_MAX);

  /** @param now milliseconds, never going back */
  constructor(private readonly now: () => number) {}

  isCrowding(tenantId: number): boolean {
    return this.#level(tenantId) >= BURST;
  }

  emitted(tenantId: number, deliveries: number): void {
    const level = Math.min(LEVEL_MAX, this.#level(tenantId) + deliveries);
    this.#levels.renew(tenantId, { deliveries: level, atMs: this.now() });
  }

  #level(tenantId: number): number {
    const level = this.#levels.get(tenantId);
    if (level === undefined) {
      return 0;
    }
    return Math.max(0, level.deliveries - ((this.now() - level.atMs) * PER_SECOND) / 1_000);
  }
}

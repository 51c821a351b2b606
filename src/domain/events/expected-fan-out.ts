import { BoundedMap } from '../collections/bounded-map.js';
import type { Emit } from './emit.js';

/** A tenant and type without an event lately count low, so that emits of many tenants share transactions. */
const UNKNOWN = 10;
/** The same for a call with several events: as many as a tenant's webhooks by default. */
const UNKNOWN_OF_CALL = 100;
const KNOWN_MAX = 10_000;

type Emitted = Pick<Emit, 'tenantId' | 'eventType' | 'onlyWebhookId'>;

/** The deliveries that an emit will write, which is its cost: as many as the last event of its tenant and type. */
export class ExpectedFanOut {
  readonly #known = new BoundedMap<string, number>(KNOWN_MAX);

  /** @returns at least 1: an event without deliveries is written too */
  of(item: Emitted, unknown = UNKNOWN): number {
    return item.onlyWebhookId === null ? Math.max(1, this.#known.get(keyOf(item)) ?? unknown) : 1;
  }

  ofCall(items: readonly Emitted[]): number {
    return items.reduce((sum, item) => sum + this.of(item, UNKNOWN_OF_CALL), 0);
  }

  seen(item: Emitted, deliveries: number): void {
    if (item.onlyWebhookId === null) {
      this.#known.renew(keyOf(item), deliveries);
    }
  }
}

const keyOf = ({ tenantId, eventType }: Emitted): string => `${tenantId} ${eventType}`;

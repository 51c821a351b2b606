import { BoundedMap } from '../bounded-map.js';
import type { Emit } from './emit.js';

/** Of an event whose like was not emitted lately: low, so that those of many tenants share transactions. */
const UNKNOWN = 10;
/** Several of those in one call may be as many as a tenant has webhooks by default: alone they keep nobody waiting. */
const UNKNOWN_OF_CALL = 100;
const KNOWN_MAX = 10_000;

type Emitted = Pick<Emit, 'tenantId' | 'eventType' | 'onlyWebhookId'>;

/** How many deliveries an emit will write, which is what it costs: as many as the last event of its tenant and type. */
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

import type { Services } from '../../src/api/context/context.js';
import { pickType } from '../seed/catalogue.js';
import { Chance } from '../seed/chance.js';

/** Events for the unreachable endpoint: more would disable it before the picture is taken. */
const LEFT_OUT = ['guest.checked_out', 'rate_plan.updated'];

/**
 * Emits events for tenants, one tenant after the other, as their systems would, until it is ended.
 *
 * @returns a function that ends it
 */
export function startTraffic(
  { emitter, log }: Pick<Services, 'emitter' | 'log'>,
  tenantIds: readonly number[],
  perSecond: number,
): () => Promise<void> {
  const chance = new Chance(Date.now());
  let emitting: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    const { name, payload } = pickType(chance);
    if (LEFT_OUT.includes(name)) {
      return;
    }
    const emit = {
      tenantId: chance.pick(tenantIds),
      eventType: name,
      body: JSON.stringify(payload(chance, new Date())),
      idempotencyKey: chance.next() < 0.2 ? `order-${chance.hex(12)}` : null,
      onlyWebhookId: null,
    };
    emitting = emitter.emit([emit]).catch((err: unknown) => log.warn({ err }, 'an event could not be emitted'));
  }, 1_000 / perSecond);
  return async () => {
    clearInterval(timer);
    await emitting;
  };
}

import { markedExternalId } from '../../../domain/ids/external-id.js';
import { readId } from '../../../domain/ids/global-id.js';
import { type Context, callerOf } from '../../context/context.js';
import type { EmitEventInput } from './emit-types.js';

type Named = Pick<EmitEventInput, 'tenantId'>;

/**
 * Counts the events of a request against limits that are not known before it runs: of tenants that the events name by
 * external ids (the others: src/api/graphql/execution/charge.ts), and of tenants with limits of their own. The events
 * are counted all, or none.
 *
 * @throws ApiError rate_limited
 */
export async function chargeEvents(context: Context, events: readonly Named[]): Promise<void> {
  const { rateLimits, tenantId } = context;
  const by = callerOf(context);
  if (by.tenantId !== null) {
    const perSecond = by.limits?.eventsPerSecond ?? null;
    if (perSecond !== null) {
      await context.eventLeases.charge([{ tenantId: by.tenantId, perSecond, events: events.length }]);
    }
    return;
  }
  if (rateLimits.limitsEmits && tenantId === null) {
    const isNamed = ({ tenantId: named }: Named) => markedExternalId(named ?? '') !== null;
    const counts = await countsByTenant(context, events.filter(isNamed));
    const { refusal } = rateLimits.charge({ by, operations: 0, events: counts });
    if (refusal !== null) {
      throw refusal;
    }
  }
  const counts = tenantId === null ? await countsByTenant(context, events) : new Map([[tenantId, events.length]]);
  const limited = [];
  for (const [id, count] of counts) {
    const perSecond = (await context.authenticator.limitsFor(id, by))?.eventsPerSecond ?? null;
    if (perSecond !== null) {
      limited.push({ tenantId: id, perSecond, events: count });
    }
  }
  await context.eventLeases.charge(limited);
}

/** Events whose tenant is not known are refused later. */
async function countsByTenant(context: Context, events: readonly Named[]): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for (const { tenantId: named } of events) {
    const tenant = await tenantNamed(context, named ?? '');
    if (tenant !== null) {
      counts.set(tenant, (counts.get(tenant) ?? 0) + 1);
    }
  }
  return counts;
}

async function tenantNamed(context: Context, named: string): Promise<number | null> {
  const externalId = markedExternalId(named);
  if (externalId !== null) {
    return context.authenticator.tenantOf(externalId, callerOf(context));
  }
  const read = readId('Tenant', named);
  return typeof read === 'number' ? read : null;
}

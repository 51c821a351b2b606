import { markedExternalId } from '../../../domain/ids/external-id.js';
import { type Context, callerOf } from '../../context/context.js';
import type { EmitEventInput } from './emit-types.js';

/**
 * Counts the events that name their tenants by external ids: whose they are was not known when the request was counted
 * (src/api/graphql/execution/charge.ts). They are counted all, or none.
 *
 * @throws ApiError rate_limited
 */
export async function chargeNamed(
  context: Context,
  events: readonly Pick<EmitEventInput, 'tenantId'>[],
): Promise<void> {
  const { rateLimits, authenticator } = context;
  if (!rateLimits.limitsEmits || context.tenantId !== null) {
    return;
  }
  const by = callerOf(context);
  const counts = new Map<number, number>();
  for (const { tenantId } of events) {
    const externalId = markedExternalId(tenantId ?? '');
    const tenant = externalId === null ? null : await authenticator.tenantOf(externalId, by);
    if (tenant !== null) {
      counts.set(tenant, (counts.get(tenant) ?? 0) + 1);
    }
  }
  const { refusal } = rateLimits.charge({ by, operations: 0, events: counts });
  if (refusal !== null) {
    throw refusal;
  }
}

import { type OperationDefinitionNode, valueFromASTUntyped } from 'graphql';
import type { Context } from '../../context/context.js';
import type { Verdict } from '../../context/rate-limits.js';
import { readId } from '../../domain/ids/global-id.js';
import { EVENTS_PER_REQUEST_MOST } from '../../settings/limit-settings.js';
import type { KnownOperation } from './operation.js';

/** This much cost, on top of the operation itself, counts as one more operation. */
const COST_PER_OPERATION = 1_000;

/**
 * What the answers of emits may cost for nothing: what became of each event, with its id and all that is wrong with it,
 * or with its payload. It is there without being read. Whoever asks for much more reads as a query does.
 */
const EMIT_ANSWER_COSTS: Readonly<Record<string, number>> = {
  emitEvent: 200,
  emitEvents: 25 * EVENTS_PER_REQUEST_MOST,
};

/** What is not limited, and has no headers. */
const nothingCounted: Verdict = { refusal: null, headers: {} };

/**
 * Counts a request against the limits of its key and tenant: a query is one operation (ten, if it asks for the whole
 * schema), a subscription too, and so is each root field of a mutation that emits nothing; either is more for each
 * 1,000 of cost. Emits count as events, where these are limited, and as operations only for what their answers cost
 * beyond the usual. What is refused is not counted.
 *
 * @throws ApiError rate_limited, for who has no key and asks for the whole schema too often
 */
export function chargeRequest(
  { caller, tenantId, address, config, rateLimits }: Context,
  operation: KnownOperation,
  variables: Readonly<Record<string, unknown>>,
  cost: number,
): Verdict {
  const { root } = operation;
  if (caller === null) {
    // Introspection, which counted as one request when it came.
    rateLimits.requireAnonymous(address, root.operations, 1);
    return nothingCounted;
  }
  const operations = operationsOf(operation, cost);
  const events =
    rateLimits.limitsEmits && root.emits.length > 0
      ? eventsOf(operation, variables, { tenantId, max: config.limits.eventsPerRequestMax })
      : null;
  if (operations === 0 && events === null) {
    return nothingCounted; // emits without a limit
  }
  return rateLimits.charge({ by: caller, operations, events });
}

function operationsOf({ root: { operations, emits } }: KnownOperation, cost: number): number {
  if (emits.length === 0) {
    return operations + Math.floor(cost / COST_PER_OPERATION);
  }
  const usual = emits.reduce((sum, { name }) => sum + EMIT_ANSWER_COSTS[name.value]!, 0);
  return operations + Math.ceil(Math.max(0, cost - usual) / COST_PER_OPERATION);
}

/** Counts a request that was refused before it could run: malformed, or with a document that is broken or too dear. */
export function chargeBroken({ caller, rateLimits }: Context): Verdict['headers'] {
  return caller === null ? nothingCounted.headers : rateLimits.chargeBroken(caller);
}

interface RawEmit {
  tenantId?: unknown;
  events?: unknown;
}

/** How many events a request emits, by tenant. Refused ones count too: they were judged. */
function eventsOf(
  { root: { emits }, definition }: KnownOperation,
  given: Readonly<Record<string, unknown>>,
  { tenantId, max }: { tenantId: number | null; max: number },
): Map<number, number> {
  const variables = withDefaults(definition, given);
  const events = new Map<number, number>();
  for (const emit of emits) {
    const value = emit.arguments?.find(({ name }) => name.value === 'input')?.value;
    const input = (value === undefined ? null : valueFromASTUntyped(value, variables)) as RawEmit | null;
    const items = emit.name.value === 'emitEvents' ? [input?.events ?? []].flat() : [input];
    // Above the limit of one call none is emitted; they must not ruin the tenant for minutes.
    for (const item of items.slice(0, max) as (RawEmit | null)[]) {
      // Only a platform key has no tenant, and names one with each event. A tenant's key cannot use up another's.
      const tenant = tenantId ?? tenantNamed(item?.tenantId);
      if (tenant !== null) {
        events.set(tenant, (events.get(tenant) ?? 0) + 1);
      }
    }
  }
  return events;
}

/** An ID as it comes from a request: anything at all. */
function tenantNamed(id: unknown): number | null {
  const read = typeof id === 'string' || typeof id === 'number' ? readId('Tenant', `${id}`) : null;
  return typeof read === 'number' ? read : null;
}

/** Only what is missing has its default: null is a value. */
function withDefaults(
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const defaults = variableDefinitions.flatMap(({ variable: { name }, defaultValue }) =>
    defaultValue === undefined ? [] : [[name.value, valueFromASTUntyped(defaultValue)]],
  );
  return { ...Object.fromEntries(defaults), ...variables };
}

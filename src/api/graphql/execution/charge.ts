import { type DocumentNode, type FieldNode, type OperationDefinitionNode, valueFromASTUntyped } from 'graphql';
import { readId } from '../../../domain/ids/global-id.js';
import { EVENTS_PER_REQUEST_MOST } from '../../../platform/settings/limit-settings.js';
import type { Context } from '../../context/context.js';
import type { Verdict } from '../../context/rate-limits.js';
import { fieldsIn, fragmentsOf } from '../fields/selection.js';

/** The whole schema counts as ten operations: its answer takes as long as ten pages. */
const SCHEMA_OPERATIONS = 10;

/** This much cost counts as one more operation. */
const COST_PER_OPERATION = 1_000;

/**
 * The cost that the answer of an emit may have for free: each event with its outcome, its issues, or its payload. All
 * of it is in memory. Beyond that an emit reads like a query.
 */
const EMIT_ANSWER_COSTS: Readonly<Record<string, number>> = {
  emitEvent: 200,
  emitEvents: 25 * EVENTS_PER_REQUEST_MOST,
  scheduleEvent: 200,
};

/** The root fields of an operation: how many operations they count, and those of them that emit. */
export interface Root {
  operations: number;
  emits: readonly FieldNode[];
}

/** Fields count even if `@skip` leaves them out. */
export function rootOf(document: DocumentNode, { operation, selectionSet }: OperationDefinitionNode): Root {
  const fragments = fragmentsOf(document);
  const fields = fieldsIn(selectionSet, (name) => fragments.get(name));
  if (operation !== 'mutation') {
    const asksForSchema = fields.some(({ name }) => name.value === '__schema');
    return { operations: asksForSchema ? SCHEMA_OPERATIONS : 1, emits: [] };
  }
  // Fields with the same name in the answer run once.
  const unique = [...new Map(fields.map((field) => [(field.alias ?? field.name).value, field])).values()];
  const emits = unique.filter(({ name }) => Object.hasOwn(EMIT_ANSWER_COSTS, name.value));
  return { operations: unique.length - emits.length, emits };
}

const nothingCounted: Verdict = { refusal: null, headers: {} };

/**
 * Counts a request against the limits of its key and tenant. A query or subscription is one operation (ten for the
 * whole schema), and so is each root field of a mutation that emits nothing; each 1,000 of cost is one more. Emits
 * count as events, and as operations only for unusually expensive answers. A refused request is not counted.
 *
 * @throws ApiError rate_limited for a request without a key that asks for the whole schema too often
 */
export function chargeRequest(
  { caller, tenantId, address, config, rateLimits }: Context,
  { root, definition }: { root: Root; definition: OperationDefinitionNode },
  variables: Readonly<Record<string, unknown>>,
  cost: number,
): Verdict {
  const { operations, emits } = root;
  if (caller === null) {
    rateLimits.requireAnonymous(address, operations, 1); // one was counted when the request came
    return nothingCounted;
  }
  const events =
    rateLimits.limitsEmits && emits.length > 0
      ? eventsOf(emits, withDefaults(definition, variables), tenantId, config.limits.eventsPerRequestMax)
      : null;
  const free = emits.reduce((sum, { name }) => sum + EMIT_ANSWER_COSTS[name.value]!, 0);
  const more = Math.max(0, cost - free) / COST_PER_OPERATION;
  const counted = operations + (emits.length === 0 ? Math.floor(more) : Math.ceil(more));
  return counted === 0 && events === null
    ? nothingCounted
    : rateLimits.charge({ by: caller, operations: counted, events });
}

/** Counts a request that was refused before it could run: malformed, or with a document that is broken or too large. */
export function chargeBroken({ caller, rateLimits }: Context): Verdict['headers'] {
  return caller === null ? nothingCounted.headers : rateLimits.chargeBroken(caller);
}

interface RawEmit {
  tenantId?: unknown;
  events?: unknown;
}

/** The number of events that a request emits, by tenant. Refused events count too. */
function eventsOf(
  emits: readonly FieldNode[],
  variables: Record<string, unknown>,
  tenantId: number | null,
  max: number,
): Map<number, number> {
  const events = new Map<number, number>();
  for (const emit of emits) {
    const value = emit.arguments?.find(({ name }) => name.value === 'input')?.value;
    const input = (value === undefined ? null : valueFromASTUntyped(value, variables)) as RawEmit | null;
    const items = emit.name.value === 'emitEvents' ? [input?.events ?? []].flat() : [input];
    // A call with more events emits none, and must not use up the limit for minutes.
    for (const item of items.slice(0, max) as (RawEmit | null)[]) {
      // Only a platform key names tenants: the key of a tenant cannot use up the limit of another. Who has an external
      // id is looked up later, and the event counted then (src/api/graphql/emits/charge-events.ts).
      const tenant = tenantId ?? tenantNamed(item?.tenantId);
      if (tenant !== null) {
        events.set(tenant, (events.get(tenant) ?? 0) + 1);
      }
    }
  }
  return events;
}

function tenantNamed(id: unknown): number | null {
  const read = typeof id === 'string' || typeof id === 'number' ? readId('Tenant', `${id}`) : null;
  return typeof read === 'number' ? read : null;
}

/** The variables of an operation, with defaults for missing ones. A null is not missing. */
function withDefaults(
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const defaults = variableDefinitions.flatMap(({ variable: { name }, defaultValue }) =>
    defaultValue === undefined ? [] : [[name.value, valueFromASTUntyped(defaultValue)]],
  );
  return { ...Object.fromEntries(defaults), ...given };
}

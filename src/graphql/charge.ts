import { type GraphQLRequestContext, HeaderMap } from '@apollo/server';
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';
import { type Context, parseId } from '../context.js';
import type { Verdict } from '../rate-limits.js';
import { graphqlErrorOf } from './errors.js';

type Request = GraphQLRequestContext<Context>;

/** So much cost, on top of the operation itself, counts as one more operation. */
const COST_PER_OPERATION = 1_000;
export const operationsOfCost = (cost: number): number => Math.floor(cost / COST_PER_OPERATION);

const emitFields = new Set(['emitEvent', 'emitEvents']);

/**
 * Counts a request against the limits of its key and tenant: a query is one operation, and so is each root field of a
 * mutation that emits nothing; either is more for each 1,000 of cost. Emits count as events, where these are limited.
 *
 * @throws GraphQLError RATE_LIMITED, with nothing done and nothing counted
 */
export function chargeRequest(
  request: Request,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  cost: number,
): void {
  const { caller, limits } = request.contextValue;
  if (caller === null) {
    return; // introspection: counted by address
  }
  const operations = rootOf(document, operation).operations + operationsOfCost(cost);
  const events = limits.limitsEmits ? eventsOf(request, document, operation) : null;
  if (operations === 0 && events === null) {
    return; // an emit without a limit: the hot path
  }
  const { refusal, headers } = limits.charge({ keyId: caller.keyId, operations, events });
  setHeaders(request, headers);
  if (refusal !== null) {
    throw graphqlErrorOf(refusal);
  }
}

/** Counts a request that was refused before it could run: its document is broken, too dear or not allowed. */
export function chargeBroken(request: Request): void {
  const { caller, limits } = request.contextValue;
  if (caller !== null) {
    setHeaders(request, limits.chargeBroken(caller.keyId));
  }
}

function setHeaders({ response }: Request, headers: Verdict['headers']): void {
  response.http.headers ??= new HeaderMap();
  for (const [name, value] of Object.entries(headers)) {
    response.http.headers.set(name, value);
  }
}

interface Root {
  operations: number;
  emits: readonly FieldNode[];
}

/** Remembered with the parsed document, which every emit of a producer shares. */
const known = new WeakMap<OperationDefinitionNode, Root>();

/** Whatever `@skip` and `@include` say, a field counts. */
function rootOf(document: DocumentNode, operation: OperationDefinitionNode): Root {
  const remembered = known.get(operation);
  if (remembered !== undefined) {
    return remembered;
  }
  const fields = new Map<string, FieldNode>();
  collect(document, operation.selectionSet, fields, new Set());
  const all = [...fields.values()];
  const emits = operation.operation === 'mutation' ? all.filter(isEmit) : [];
  const operations = operation.operation === 'mutation' ? all.length - emits.length : 1;
  const root = { operations, emits };
  known.set(operation, root);
  return root;
}

function isEmit({ name }: FieldNode): boolean {
  return emitFields.has(name.value);
}

/** The root fields by the name that they have in the answer: equal ones run once. */
function collect(
  document: DocumentNode,
  { selections }: SelectionSetNode,
  fields: Map<string, FieldNode>,
  fragments: Set<string>,
): void {
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      fields.set((selection.alias ?? selection.name).value, selection);
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      collect(document, selection.selectionSet, fields, fragments);
    } else if (!fragments.has(selection.name.value)) {
      fragments.add(selection.name.value);
      const fragment = document.definitions.find(
        (definition): definition is FragmentDefinitionNode =>
          definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === selection.name.value,
      );
      if (fragment !== undefined) {
        collect(document, fragment.selectionSet, fields, fragments);
      }
    }
  }
}

interface RawEmit {
  tenantId?: unknown;
  events?: unknown;
}

/** How many events a request emits, by tenant. Refused ones count too: they were judged. */
function eventsOf(
  { request, contextValue: { tenantId, config } }: Request,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Map<number, number> | null {
  const { emits } = rootOf(document, operation);
  if (emits.length === 0) {
    return null;
  }
  const variables = withDefaults(operation, request.variables ?? {});
  const events = new Map<number, number>();
  for (const emit of emits) {
    const value = emit.arguments?.find(({ name }) => name.value === 'input')?.value;
    const input = (value === undefined ? null : valueFromASTUntyped(value, variables)) as RawEmit | null;
    const items = emit.name.value === 'emitEvents' ? [input?.events ?? []].flat() : [input];
    // Above the limit of one call none is emitted; they must not ruin the tenant for minutes.
    for (const item of items.slice(0, config.limits.eventsPerRequestMax) as (RawEmit | null)[]) {
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
  return typeof id === 'string' || typeof id === 'number' ? parseId(`${id}`) : null;
}

/** Only what is missing has its default: null is a value. */
function withDefaults(
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Record<string, unknown>,
): Record<string, unknown> {
  const defaults = variableDefinitions.flatMap(({ variable: { name }, defaultValue }) =>
    defaultValue === undefined ? [] : [[name.value, valueFromASTUntyped(defaultValue)]],
  );
  return { ...Object.fromEntries(defaults), ...variables };
}
